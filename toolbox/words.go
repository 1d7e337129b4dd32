package toolbox

import "strings"

// anyIn reports whether one of the words occurs in text, case aside; also if
// there are no words.
func anyIn(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			return true
		}
	}
	return len(words) == 0
}
