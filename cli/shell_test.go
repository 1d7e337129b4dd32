package cli

import (
	"crypto/md5"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// typed is a statement of two lines, longer than what a terminal gives at once.
const typed = "SELECT origin, count(*) AS flights_that_were_more_than_an_hour_late\nFROM late GROUP BY ALL ORDER BY ALL LIMIT 1;"

// TestShellOnATerminal types into the shell as people do: fast, over two lines,
// with the history and with Ctrl-C.
func TestShellOnATerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("fetch", "flights", "--select", "date,delay,origin", "--where", "delay > 60", "--as", "late")
	s := newScreen(t, p, 80, "trap : INT; da shell; echo left with $?; read wait")
	s.shows("Ctrl-D leaves")
	s.shows("da>") // before that the terminal itself echoes
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

// TestShellScreens looks at the shell at two widths: what Tab offers, colours,
// and a result in each of its forms.
func TestShellScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 200} {
		p := newPlace(t)
		p.ok("fetch", "flights", "--select", "date,delay,origin", "--where", "delay > 60", "--as", "late")
		s := newScreen(t, p, width, "export DA_PAGER=cat; da shell; read wait")
		s.shows("da>")
		s.keys("SELECT ori")
		s.press("Tab")
		s.shows("SELECT origin")
		s.keys(", count(*) AS n FROM la")
		s.press("Tab")
		s.shows("FROM late")
		s.keys(" GROUP BY ALL -- by origin")
		s.press("Enter")
		s.keys("ORDER BY 1 LIMIT 2;")
		s.press("Enter")
		s.shows("2 rows in ")
		s.keys(`\x`)
		s.press("Enter")
		s.shows("rows as lists are on\nda>")
		s.keys("SELECT 'it''s' AS text, 12 AS number FROM late LIMIT 1;")
		s.press("Enter")
		s.shows("1 row in ")
		s.keys(`\x off`)
		s.press("Enter")
		s.shows("rows as lists are off\nda>")
		s.keys(`\d late`)
		s.press("Enter")
		s.shows("3 rows in ")
		s.keys("SELECT d")
		s.press("Tab")
		s.shows("functions\n")
		compareScreen(t, fmt.Sprintf("shell-%d", width), s.text("-e"))
	}
}

// TestShellWithoutColour types what has colours elsewhere.
func TestShellWithoutColour(t *testing.T) {
	t.Parallel()
	s := newScreen(t, newPlace(t), 80, "NO_COLOR=1 da shell; read wait")
	s.shows("da>")
	s.keys("SELECT 'text' AS a, 12 -- note")
	s.press("Enter")
	s.keys(";")
	s.press("Enter")
	s.shows("1 row in ")
	if text := s.text("-e"); strings.Contains(text, "\x1b[") {
		t.Errorf("NO_COLOR has colours:\n%q", text)
	}
	s.keys("SELECT d")
	s.press("Tab")
	s.shows("date_trunc")
	if text := s.text("-e"); strings.Contains(text, "\x1b[3") || strings.Contains(text, ";3") {
		t.Errorf("what Tab offers has colours:\n%q", text)
	}
}

// TestShellPaste pastes several statements, which run when Enter is pressed.
func TestShellPaste(t *testing.T) {
	t.Parallel()
	s := newScreen(t, newPlace(t), 80, "da shell; read wait")
	s.shows("da>")
	var lines strings.Builder
	for i := range 30 {
		fmt.Fprintf(&lines, "SELECT\n%d AS a;\n", 1000+i)
	}
	for _, args := range [][]string{{"set-buffer", lines.String()}, {"paste-buffer", "-p"}} {
		if out, err := s.tmux(args...).CombinedOutput(); err != nil {
			t.Fatalf("tmux: %v\n%s", err, out)
		}
	}
	s.shows("1029 AS a;")
	if strings.Contains(s.text(), "1 row in") {
		t.Errorf("a statement was run already:\n%s", s.text())
	}
	s.press("Enter")
	s.shows("│ 1029 │")
}

// TestShellPager leaves the pager of a long result, and has the shell again.
func TestShellPager(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "less")
	s := newScreen(t, newPlace(t), 80, "da shell; read wait")
	s.shows("da>")
	s.keys("SELECT 'row ' || n AS x FROM range(500) t(n) ORDER BY n;")
	s.press("Enter")
	s.shows("row 10 ")
	s.keys("q")
	s.shows(" rows in ")
	// A window that became narrower holds less, and commands of da have a pager.
	if out, err := s.tmux("resize-window", "-x", "60").CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v\n%s", err, out)
	}
	s.keys("SELECT repeat('lorem ', 30) AS text;")
	s.press("Enter")
	s.shows("1 row in ")
	if strings.Contains(s.text(), strings.Repeat("lorem ", 10)) {
		t.Errorf("wider than the window:\n%s", s.text())
	}
	s.keys(`\help`)
	s.press("Enter")
	s.shows("unknown command")
	s.keys(`\where --help`)
	s.press("Enter")
	s.shows("Usage:")
}

// TestShellOnADumbTerminal has no line editing and no colours.
func TestShellOnADumbTerminal(t *testing.T) {
	t.Parallel()
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

// letters are what a keyboard can give: all of U+00A0 to U+00FF, some of other
// scripts, wide and combining ones, and emoji of several code points.
func letters() (all []string) {
	for r := rune(0xA0); r <= 0xFF; r++ {
		all = append(all, string(r))
	}
	for r := rune(0x100); r < 0xD800; r += 397 {
		if unicode.IsPrint(r) {
			all = append(all, string(r))
		}
	}
	return append(all, "e\u0301", "ก็", "שָ", "日", "한", "ﬁ", "€", "\uFEFF", "\uFFFD", "😀", "👩‍👩‍👧", "🇨🇿", "1️⃣", "👍🏽")
}

// TestShellLetters types each letter, and then pastes them, with and without a
// locale of UTF-8, and where the terminal does not mark what is pasted.
func TestShellLetters(t *testing.T) {
	t.Parallel()
	all := letters()
	text := strings.Join(all, "")
	for _, locale := range []string{"C.UTF-8", "C"} {
		s := newScreen(t, newPlace(t), 80, "LC_ALL="+locale+" da shell; read wait")
		s.shows("da>")
		s.keys("SELECT md5('")
		for _, letter := range all {
			s.keys(letter)
		}
		s.keys("') AS typed;")
		s.press("Enter")
		s.shows(fmt.Sprintf("%x", md5.Sum([]byte(text))))
		for i, flags := range [][]string{{"-p"}, nil, nil, nil} {
			long := strings.Repeat("x", i) + strings.Repeat(text, 5)    // the library reads 1024 bytes at once
			sql := "SELECT\nü FROM (SELECT md5('" + long + "') AS ü); " // behind a line that is read first
			for _, args := range [][]string{{"set-buffer", sql}, append([]string{"paste-buffer"}, flags...)} {
				if out, err := s.tmux(args...).CombinedOutput(); err != nil {
					t.Fatalf("tmux: %v\n%s", err, out)
				}
			}
			s.press("Enter")
			s.shows(fmt.Sprintf("%x", md5.Sum([]byte(long))))
		}
	}
}

// TestShellKeys presses each key at an empty prompt and within a statement: none
// ends the shell, none leaves it deaf.
func TestShellKeys(t *testing.T) {
	t.Parallel()
	s := newScreen(t, newPlace(t), 80, "da shell; echo left with $?; read wait")
	s.shows("da>")
	var keys []string
	for c := '!'; c <= '~'; c++ {
		if c != ';' { // tmux would end its command there
			keys = append(keys, "M-"+string(c))
		}
	}
	for c := 'a'; c <= 'z'; c++ {
		if !strings.ContainsRune("jm", c) { // these are Enter
			keys = append(keys, "M-C-"+string(c))
		}
		if !strings.ContainsRune("cdjmoqvz", c) { // these end a line or the shell, or wait for the next key
			keys = append(keys, "C-"+string(c))
		}
	}
	keys = append(keys, strings.Fields(`C-@ C-\\ C-] C-^ C-_ Escape BSpace M-BSpace Tab M-Tab Up Down Left Right Home End PPage NPage
		DC BTab C-Left C-Right C-Up C-Down M-Left M-Right M-Up S-Left C-Home F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12`)...)
	for _, typed := range []string{"", "select 'é foo' b"} {
		for some := range slices.Chunk(keys, 12) {
			for _, key := range some {
				if typed != "" {
					s.keys(typed)
				}
				s.press(key)
				s.press("C-g", "C-g", "C-e", "C-u") // ends searches and menus, and empties the line
			}
			name := strings.Join(some, " ")
			s.keys(fmt.Sprintf("SELECT '%x' || '.' AS a;", md5.Sum([]byte(typed+name))))
			s.press("Enter")
			s.shows(fmt.Sprintf("│ %x. │", md5.Sum([]byte(typed+name))))
			if text := s.text(); strings.Contains(text, "the line editor failed") {
				t.Fatalf("%q, then one of %s:\n%s", typed, name, text)
			}
		}
	}
}

// TestShellOnAFullScreen looks at what is left of results when there is no row
// below the prompt, also below statements that wrap and have several lines.
func TestShellOnAFullScreen(t *testing.T) {
	t.Parallel()
	s := newScreen(t, newPlace(t), 80, "da shell; read wait")
	if out, err := s.tmux("resize-window", "-x", "80", "-y", "24").CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v\n%s", err, out)
	}
	s.shows("da>")
	for i := range 8 {
		s.keys(fmt.Sprintf("SELECT 'r%d.' AS a;", i))
		s.press("Enter")
		s.shows(fmt.Sprintf("│ r%d. │\n└─────┘\n1 row in ", i))
		s.keys("x") // the prompt is there when it shows
		s.shows("\nda> x")
		s.press("BSpace")
	}
	s.keys("SELECT 9,")
	s.press("Enter")
	s.keys("'" + strings.Repeat("wide ", 20) + "' AS w,")
	s.press("Enter")
	s.keys("'é日本語' AS z;")
	s.press("Enter")
	s.shows("é日本語 │")
	s.keys("SELECT nope;")
	s.press("Enter")
	s.shows("Error: ")
	s.keys("x")
	s.shows("\nda> x")
	text := s.text()
	for i := range 8 {
		if whole := fmt.Sprintf("da> SELECT 'r%d.' AS a;\n┌─────┐\n│ a   │\n├─────┤\n│ r%d. │\n└─────┘\n1 row in ", i, i); !strings.Contains(text, whole) {
			t.Errorf("of result %d something is gone:\n%s", i, text)
		}
	}
	if strings.Count(text, "1 row in ") != 9 || !strings.Contains(text, "da> SELECT 9,\n    'wide ") || !strings.Contains(text, "    'é日本語' AS z;\n┌") {
		t.Errorf("something is gone:\n%s", text)
	}
}
