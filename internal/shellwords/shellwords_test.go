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
