package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// typed is a statement of two lines, longer than what a terminal gives at once.
const typed = "SELECT origin, count(*) AS flights_that_were_more_than_an_hour_late\nFROM late GROUP BY ALL ORDER BY ALL LIMIT 1;"

// TestShellOnATerminal types into the shell as people do: fast, over two lines,
// with the history and with Ctrl-C.
func TestShellOnATerminal(t *testing.T) {
	p := newPlace(t)
	p.ok("fetch", "flights", "--select", "date,delay,origin", "--where", "delay > 60", "--as", "late")
	s := newScreen(t, p, 80, "trap : INT; da shell; echo left with $?; read wait")
	s.shows("Ctrl-D leaves")
	for line := range strings.Lines(typed) {
		s.keys(strings.TrimSuffix(line, "\n"))
		s.press("Enter")
	}
	s.shows("1 row in ")
	s.keys(`\timing`)
	s.press("Enter")
	s.shows("timing is on\nda>")
	s.press("Up")
	s.shows("timing is on\nda> \\timing")
	s.press("C-c")
	s.keys("x")
	s.shows("\nda> x")
	s.press("BSpace")
	s.keys(`SELECT count(*) FROM range(1000000000000) t(n) WHERE sqrt(n) = n % 7;`)
	s.press("Enter")
	s.shows("querying: ")
	s.press("C-c")
	s.shows("Error: interrupted.\nda>")
	s.keys(`SELECT 'still ' || 'here' AS it;`)
	s.press("Enter")
	s.shows("still here")
	s.keys("x") // the prompt is there again when it shows
	s.shows("da> x")
	s.press("BSpace", "C-d")
	s.shows("\nleft with 0")
	if text := s.text(); strings.Count(text, "flights_that_were_more_than_an_hour_late") != 2 || !strings.Contains(text, "Time: ") {
		t.Errorf("typed, and the result with its time:\n%s", text)
	}
	kept, err := os.ReadFile(filepath.Join(p.dir, "home", "shell_history"))
	if err != nil || strings.Count(string(kept), "\n") != 4 {
		t.Errorf("the history is %q, %v", kept, err)
	}
}

// TestShellOnADumbTerminal has no line editing and no colours.
func TestShellOnADumbTerminal(t *testing.T) {
	s := newScreen(t, newPlace(t), 80, "TERM=dumb da shell; echo left with $?; read wait")
	s.shows("da>")
	s.keys("SELECT nope;")
	s.press("Enter")
	s.shows("Error: ")
	s.keys("SELECT\n6 * 7 AS answer;")
	s.press("Enter")
	s.shows("42")
	s.press("C-d")
	s.shows("\nleft with 0")
	if text := s.text("-e"); strings.Contains(text, "\x1b[") {
		t.Errorf("escape sequences:\n%q", text)
	}
}
