package output

import "strings"

// Optional is the value behind p, or NULL.
func Optional[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// Joined writes a list, or what an empty one means.
func Joined(items []string, empty string) string {
	if len(items) == 0 {
		return empty
	}
	return strings.Join(items, ", ")
}
