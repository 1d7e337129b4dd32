package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/testneed"
)

var updateScreens = flag.Bool("update-screens", false, "write the screens of testdata/screens anew")

// screen is a real terminal, run by tmux.
type screen struct {
	t      *testing.T
	socket string
	env    []string
}

// newScreen runs a command of the shell in a terminal of this width.
func newScreen(t *testing.T, p *place, width int, command string) *screen {
	t.Helper()
	testneed.Program(t, "tmux")
	bin := filepath.Join(p.dir, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(daPath, filepath.Join(bin, "da")); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	// The path of a socket may not be long, as those of test folders are.
	sockets, err := os.MkdirTemp("", "da-tmux")
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, socket: filepath.Join(sockets, "s"), env: append(p.env,
		"PATH="+bin+":"+os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TERM=screen", "PS1=$ ", "SHELL=/bin/sh")}
	t.Cleanup(func() {
		_ = s.tmux("kill-server").Run() // it may have ended with its shell
		_ = os.RemoveAll(sockets)
	})
	start := s.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", "40", "-c", p.dir, command)
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v\n%s", err, out)
	}
	return s
}

func (s *screen) tmux(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-S", s.socket}, args...)...)
	cmd.Env = s.env
	return cmd
}

// ends waits for the end of a command that signals it.
func (s *screen) ends() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	wait := s.tmux("wait-for", "done")
	wait = exec.CommandContext(ctx, wait.Path, wait.Args[1:]...)
	wait.Env = s.env
	if out, err := wait.CombinedOutput(); err != nil {
		s.t.Fatalf("the command does not end: %v %s\n%s", err, out, s.text())
	}
}

// keys types text.
func (s *screen) keys(text string) {
	s.t.Helper()
	if begin, ok := strings.CutSuffix(text, ";"); ok {
		text = begin + `\;` // alone at the end it is a sign of tmux's own
	}
	s.press("-l", text)
}

// press presses keys by their names, such as Enter and C-c.
func (s *screen) press(names ...string) {
	s.t.Helper()
	if out, err := s.tmux(append([]string{"send-keys"}, names...)...).CombinedOutput(); err != nil {
		s.t.Fatalf("tmux: %v\n%s", err, out)
	}
}

// text is what the screen shows, with its colours if flags say so.
func (s *screen) text(flags ...string) string {
	s.t.Helper()
	out, err := s.tmux(append([]string{"capture-pane", "-p", "-S", "-200"}, flags...)...).Output()
	if err != nil {
		s.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// shows waits until the screen shows a text.
func (s *screen) shows(want string) {
	s.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-tick.C {
		if strings.Contains(s.text(), want) {
			return
		}
	}
	s.t.Fatalf("the screen does not show %q:\n%s", want, s.text())
}

// pressUntil presses a key until the screen shows a text: a terminal that is asked
// where its cursor is may take what is typed meanwhile for its answer.
func (s *screen) pressUntil(key, want string) {
	s.t.Helper()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for range 30 {
		s.press(key)
		if <-tick.C; strings.Contains(s.text(), want) {
			return
		}
	}
	s.t.Fatalf("the screen does not show %q:\n%s", want, s.text())
}

// wideSQL has more columns than a screen, and text of several scripts.
func wideSQL() string {
	var columns []string
	for i := range 53 {
		columns = append(columns, fmt.Sprintf("%d AS column_%02d", i*i, i))
	}
	return "SELECT " + strings.Join(columns, ", ")
}

const scriptsSQL = `SELECT * FROM (VALUES (1, '東京都千代田区', 'full width'), (2, 'שלום עולם', 'right to left'),
  (3, 'مرحبا', 'right to left'), (4, 'Příliš žluťoučký', 'accents'), (5, NULL, 'nothing'), (6, e'tab\there \x1b[31mred', 'controls')) t(n, words, kind)`

// TestScreens compares what people see with what they saw before, at two
// widths, in a real terminal.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			p := newPlace(t)
			p.ok("fetch", "flights", "--select", "date,delay,origin", "--where", "delay > 60", "--as", "late")
			for name, sql := range map[string]string{
				"wide.sql": wideSQL(), "scripts.sql": scriptsSQL,
				"long_text.sql": "SELECT repeat('lorem ipsum ', 40) AS text, 1 AS one",
			} {
				if err := os.WriteFile(filepath.Join(p.dir, name), []byte(sql), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for name, command := range map[string]string{
				"catalog": "da catalog",
				"schema":  "da schema flights",
				"query":   `da query "SELECT origin, count(*) AS n, avg(delay) AS mean FROM late GROUP BY ALL ORDER BY 1"`,
				"wide":    "da query --file wide.sql",
				"scripts": "da query --file scripts.sql",
				"clipped": "da query --file long_text.sql",
				"error":   `da fetch flights --where "dela > 3"`,
				"bars":    `da query "SELECT origin, avg(delay) AS mean FROM late GROUP BY ALL ORDER BY 1" --plot bar`,
				"line":    `da query "SELECT n AS x, sin(n / 20) AS sine FROM range(200) t(n)" --plot line`,
				"dumb":    "TERM=dumb da query --file scripts.sql",
				"plain":   `NO_COLOR=1 da query "SELECT origin, avg(delay) AS mean FROM late GROUP BY ALL ORDER BY 1" --plot bar; NO_COLOR=1 da catalog`,
			} {
				s := newScreen(t, p, width, "export DA_PAGER=cat; "+command+"; tmux wait-for -S done; read wait")
				s.ends()
				compareScreen(t, fmt.Sprintf("%s-%d", name, width), s.text("-e"))
			}
		})
	}
}

// caveatPlace has a file without names, one that is larger than an answer may be, and a
// snapshot of the first.
func caveatPlace(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	p.write(t, "data/bare.csv", "Ann,Oslo\nBob,Rome\nCid,Bern\n")
	wide := "id,name\n"
	for n := range 200 {
		wide += fmt.Sprintf("%d,name %[1]d\n", n)
	}
	p.write(t, "data/wide.csv", wide)
	p.write(t, "instance.yaml", `api: { scan: { max_result_bytes: 50 } }
sources:
  files: { type: lake, root: data }
tables:
  - { id: bare, source: files, path: bare.csv }
  - { id: wide, source: files, path: wide.csv }
`)
	p.ok("fetch", "bare", "--as", "old")
	return p
}

// TestScreensOfCaveats compares a result that is cut, a snapshot that is old and names that
// are a guess with what people saw of them before.
func TestScreensOfCaveats(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			p := caveatPlace(t)
			for name, command := range map[string]string{
				"caveat-cut":     "da query 'SELECT * FROM wide' --remote --allow-cut",
				"caveat-stale":   envLater + "=960h da query 'SELECT Oslo FROM old'",
				"caveat-guessed": "da query 'SELECT * FROM bare' --remote",
			} {
				s := newScreen(t, p, width, "export DA_PAGER=cat; "+command+"; tmux wait-for -S done; read wait")
				s.ends()
				compareScreen(t, fmt.Sprintf("%s-%d", name, width), s.text("-e"))
			}
		})
	}
}

// TestContentsOnATerminal spells out what of a file's text, or of a note, would act on a
// terminal; a pipe gets a file as it is.
func TestContentsOnATerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const hostile = "a\x1b[31mred\tb\u202ec\u009b31m\r\nnext\r\n"
	p.write(t, "hostile.txt", hostile)
	p.ok("files", "put", "hostile.txt")
	p.ok("files", "edit", "hostile.docx", "--create", "--operations", `[{"op":"append_paragraph","text":"b\u202ec\u009b31m"}]`)
	p.ok("fetch", "airports", "--as", "noted")
	p.ok("snapshot", "note", "noted", "b\u202ec\u009b31m")
	if got := p.ok("files", "read", "hostile.txt"); got != hostile {
		t.Errorf("a pipe gets %q", got)
	}
	for command, want := range map[string]string{
		"da files read hostile.txt":  `a\x1b[31mred    b\u202ec\x9b31m` + "\nnext\n",
		"da files read hostile.docx": `b\u202ec\x9b31m` + "\n",
		"da snapshot note noted":     `b\u202ec\x9b31m` + "\n",
	} {
		s := newScreen(t, p, 80, "export DA_PAGER=cat; "+command+"; tmux wait-for -S done; read wait")
		s.ends()
		if got := s.text("-e"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: the screen is\n%q", command, got)
		}
	}
}

// TestScreensSuitDarkAndLight holds that all screens use colours that can be read
// on a dark and on a light background: no black, no white, and none behind a text.
func TestScreensSuitDarkAndLight(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/screens/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	coloured := false
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`␛\[([0-9;]*)m`).FindAllStringSubmatch(string(text), -1) {
			for code := range strings.SplitSeq(m[1], ";") {
				coloured = coloured || code == "34"
				if !slices.Contains([]string{"", "0", "1", "2", "31", "32", "33", "34", "35", "36", "90", "94"}, code) {
					t.Errorf("%s has the colour %s", file, code)
				}
			}
		}
	}
	if !coloured {
		t.Error("no screen has a colour")
	}
	for _, name := range []string{"plain-80.txt", "plain-200.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", "screens", name))
		if err != nil || strings.Contains(string(text), "␛") {
			t.Errorf("%s has colours with NO_COLOR: %v", name, err)
		}
	}
}

// measuredTime is how long a query took, below its result.
var measuredTime = regexp.MustCompile(`( rows?) in [0-9. ms]+\n`)

func compareScreen(t *testing.T, name, got string) {
	t.Helper()
	// Escape sequences are spelt out, so that the file can be read.
	// Versions of tmux differ in how often they say what is so anyway.
	got = strings.NewReplacer("\x1b[39m", "", "\x1b[49m", "", "\x1b[0;", "\x1b[", "\x1b", "␛").Replace(got)
	got = measuredTime.ReplaceAllString(got, "$1 in TIME\n")
	file := filepath.Join("testdata", "screens", name+".txt")
	if *updateScreens {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: the screen is\n%s\nnot\n%s(if that is right: go test ./cli -run Screens -update-screens)", name, got, want)
	}
}

// TestScreenPager reads a long result in less, and leaves it.
func TestScreenPager(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "less")
	p := newPlace(t)
	const command = `da query "SELECT 'row ' || n AS x FROM range(500) t(n) ORDER BY n"`
	s := newScreen(t, p, 80, command+"; echo came back; read wait")
	s.shows("row 10 ")
	if strings.Contains(s.text(), "row 200 ") {
		t.Fatalf("more than a screen came at once:\n%s", s.text())
	}
	s.keys("G")
	s.shows("row 499 ")
	s.keys("q")
	s.shows("\ncame back")
}

// TestScreenWithoutColour looks at what a terminal gets that wants none.
func TestScreenWithoutColour(t *testing.T) {
	s := newScreen(t, newPlace(t), 80, "NO_COLOR=1 da query 'SELECT NULL AS nothing'; tmux wait-for -S done; read wait")
	s.ends()
	if text := s.text("-e"); strings.Contains(text, "\x1b[") || !strings.Contains(text, "nothing") {
		t.Errorf("NO_COLOR has colours:\n%q", text)
	}
}
