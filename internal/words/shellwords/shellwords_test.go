package shellwords

import (
	"os/exec"
	"strings"
	"testing"
)

// TestQuote asks a real shell what it makes of each word.
func TestQuote(t *testing.T) {
	for _, word := range []string{
		"", "plain", "two words", "it's", "$HOME", "`id`", "a\nb", `back\slash`, "delay > 60 AND origin = 'SEA'", "*", "~", "#x", "ř;&|<>()",
	} {
		out, err := exec.Command("sh", "-c", "printf %s "+Quote(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q becomes %q (%v)", word, out, err)
		}
	}
	if got := Join([]string{"da", "query", "SELECT 1"}); got != "da query 'SELECT 1'" || strings.Contains(got, `"`) {
		t.Errorf("joined: %s", got)
	}
}

// TestSplit asks a real shell what words it makes of each line.
func TestSplit(t *testing.T) {
	for _, line := range []string{
		"", "  ", "a b", `fetch flights --where "delay > 60" --as 'a b'`, `a\ b "c\"d\e\\" 'e\f'`, `""`, `'' x`, `a"b c"d`, "ř\tš", `it\'s`,
	} {
		words, err := Split(line)
		out, shellErr := exec.Command("sh", "-c", `for w in `+line+`; do printf '<%s>' "$w"; done`).Output()
		var got strings.Builder
		for _, w := range words {
			got.WriteString("<" + w + ">")
		}
		if err != nil || shellErr != nil || got.String() != string(out) {
			t.Errorf("%q becomes %s, and %s in a shell (%v, %v)", line, got.String(), out, err, shellErr)
		}
	}
	for _, line := range []string{`'a`, `"a`, `a\`} {
		if words, err := Split(line); err == nil {
			t.Errorf("%q becomes %q", line, words)
		}
	}
}
