package output

import "strings"

// Optional returns the value that p points to, or NULL.
func Optional[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// Joined joins a list with commas; empty is the text for an empty list.
func Joined(items []string, empty string) string {
	if len(items) == 0 {
		return empty
	}
	return strings.Join(items, ", ")
}
