package toolbox

import "strings"

// anyIn reports whether text contains one of the words, ignoring case. It is true
// if there are no words.
func anyIn(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			return true
		}
	}
	return len(words) == 0
}
