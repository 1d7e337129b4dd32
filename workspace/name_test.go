package workspace

import "testing"

// TestNamesThatLookLikeOthers are refused: those with characters that turn the order of
// others around, or end a line.
func TestNamesThatLookLikeOthers(t *testing.T) {
	for _, r := range []rune{0x202e, 0x202a, 0x2066, 0x2069, 0x200f, 0x061c, 0x2028, 0x2029} {
		if name, err := CleanName("invoice" + string(r) + "fdp.exe"); err == nil {
			t.Errorf("%U: %q", r, name)
		}
	}
	for _, name := range []string{"übersicht.xlsx", "עברית.csv", "文件.pdf", "a\u200db.txt"} {
		if _, err := CleanName(name); err != nil {
			t.Error(err)
		}
	}
}
