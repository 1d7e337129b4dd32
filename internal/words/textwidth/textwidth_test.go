package textwidth

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	tests := []struct {
		s           string
		width, most int
		lines       string
		cut         bool
	}{
		{"", 5, 3, "", false},
		{"abc", 5, 3, "abc", false},
		{"abcdefgh", 5, 3, "abcde/fgh", false},
		{"abcdefghijklmno", 5, 3, "abcde/fghij/klmno", false},
		{"abcdefghijklmnop", 5, 3, "abcde/fghij/klmn…", true},
		{"日本語テ", 5, 3, "日本/語テ", false},
		{"e\u0301e\u0301e\u0301", 2, 3, "e\u0301e\u0301/e\u0301", false},
		{"日", 1, 3, "…", true},
	}
	for _, tt := range tests {
		lines, cut := Wrap(tt.s, tt.width, tt.most, "…")
		if got := strings.Join(lines, "/"); got != tt.lines || cut != tt.cut {
			t.Errorf("%q: got %q, %v", tt.s, got, cut)
		}
	}
}
