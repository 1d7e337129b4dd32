package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/suggest"
)

// choose suggests known names in place of got: the nearest one if any is near,
// otherwise all of them.
func choose(got string, known []string) string {
	if near := suggest.Near(got, known); len(near) > 0 {
		return fmt.Sprintf("did you mean %q?", near[0])
	}
	if len(known) == 0 {
		return "there is nothing to choose from"
	}
	known = slices.Sorted(slices.Values(known))
	return "known are " + strings.Join(known, ", ")
}
