package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/iostreams"
)

// fake is a host that notes what it is to run.
type fake struct {
	Host
	ran        []string
	shown      []string
	notes      []string
	out, error bytes.Buffer
}

func newFake(in io.Reader) *fake {
	f := &fake{}
	chosen := "table"
	f.Host = Host{
		IO:     &iostreams.Streams{In: in, Out: &f.out, Err: &f.error},
		Getenv: func(string) string { return "" }, Now: time.Now,
		Query: func(ctx context.Context, sql string, flags ...string) error {
			f.ran = append(f.ran, strings.Join(append(flags, sql), " "))
			if strings.Contains(sql, "wrong") {
				return &api.Error{Code: api.CodeStatement, Message: "refused"}
			}
			return ctx.Err()
		},
		Run: func(_ context.Context, args ...string) error {
			f.ran = append(f.ran, "da "+strings.Join(args, "|"))
			return nil
		},
		Commands: []string{"catalog", "fetch"},
		List:     func(context.Context) error { f.ran = append(f.ran, "list"); return nil },
		Relations: func() []Relation {
			return []Relation{{"late", "snapshot", []string{"delay", "origin", "long name"}}, {"rest", "synced table", nil}}
		},
		Tables:   func() []Word { return []Word{{Text: "flights", About: "one row for each"}} },
		Complete: func(words ...string) []Word { return []Word{{Text: "--where", About: strings.Join(words, "|")}} },
		Edit:     func(_ context.Context, file string) error { return os.WriteFile(file, []byte("SELECT 7;"), 0o600) },
		Show:     func(err error) { f.shown = append(f.shown, err.Error()) },
		Note:     func(text string) { f.notes = append(f.notes, text) },
		Settings: &Settings{
			SetFormat: func(name string) error {
				if name != "csv" {
					return errors.New("unknown format")
				}
				chosen = name
				return nil
			},
			Format: func() string { return chosen }, Formats: []string{"csv"}, Plots: []string{"bar", "line"},
			SetRecords: func(on bool) { f.ran = append(f.ran, fmt.Sprint("records ", on)) }, SetPaged: func(bool) {},
		},
	}
	return f
}

func TestWhatAScriptRuns(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
		err  string
	}{
		{"", nil, ""},
		{"SELECT 1;\n", []string{"SELECT 1"}, ""},
		{"SELECT 1; SELECT\n2 -- a; note\n;\n\n-- nothing\n", []string{"SELECT 1", "SELECT\n2"}, ""},
		{"SELECT ';\n' AS a;SELECT 2", []string{"SELECT ';\n' AS a", "SELECT 2"}, ""},
		{"SELECT wrong;\nSELECT 2;", []string{"SELECT wrong"}, "refused"},
		{"SELECT 1;\nexit\nSELECT 2;", []string{"SELECT 1"}, ""},
		{"\\q\nSELECT 2;", nil, ""},
		{"\\d\n\\d late\n\\d other\n", []string{"list", `SELECT column_name AS "column", column_type AS type FROM (DESCRIBE "late")`, "da schema|other"}, ""},
		{"\\fetch flights --where \"delay > 60\" --as 'a b';\n", []string{"da fetch|flights|--where|delay > 60|--as|a b"}, ""},
		{"\\ftch\n", nil, `unknown command \ftch`},
		{"\\fetch 'a\n", nil, "the quote ' does not end"},
		{"\\\n", nil, "a backslash alone"},
		{"\\d a b\n", nil, `\d takes one name`},
		{"\\x on\n\\o a.csv\nSELECT 1;\nSELECT 2;\n", []string{"records true", "--out=a.csv --force=false SELECT 1", "SELECT 2"}, ""},
		{"SELECT 1;\n\\p line --by a\n\\p\n", []string{"SELECT 1", "--plot=line --by a SELECT 1", "--plot=bar SELECT 1"}, ""},
		{"\\p\n", nil, "no statement has been run"},
		{"SELECT 1;\n\\watch 0\n", []string{"SELECT 1"}, `\watch takes`},
		{"\\e\n", nil, `\e is for terminals`},
		{"\\o a b\n", nil, `\o takes one file`},
		{"\\f csv\n\\f\n\\f nope\n", nil, "unknown format"},
	} {
		f := newFake(strings.NewReader(tt.in))
		err := Run(t.Context(), f.Host)
		if !slices.Equal(f.ran, tt.want) {
			t.Errorf("%q runs %q, want %q", tt.in, f.ran, tt.want)
		}
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: %v, want %q", tt.in, err, tt.err)
		}
		if strings.Contains(f.error.String(), prompt) {
			t.Errorf("%q: a prompt that nobody sees", tt.in)
		}
	}
}

// TestPeopleGoOn types errors at a terminal without line editing.
func TestPeopleGoOn(t *testing.T) {
	f := newFake(strings.NewReader("SELECT wrong; SELECT 2;\n\\nope\nSELECT\n3;\n\\timing\nSELECT 4;\nSELECT 5"))
	f.IO.InTerminal = true
	if err := Run(t.Context(), f.Host); err != nil {
		t.Fatal(err)
	}
	if want := []string{"SELECT wrong", "SELECT\n3", "SELECT 4"}; !slices.Equal(f.ran, want) {
		t.Errorf("ran %q, want %q", f.ran, want)
	}
	if len(f.shown) != 2 || !strings.Contains(f.shown[1], `\nope`) {
		t.Errorf("shown: %q", f.shown)
	}
	notes := strings.Join(f.notes, "\n")
	for _, want := range []string{"1 statement after it was not run", "timing is on", "Time: "} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %q", want, f.notes)
		}
	}
	if got := f.error.String(); !strings.HasPrefix(got, prompt) || !strings.Contains(got, prompt+promptMore) {
		t.Errorf("prompts: %q", got)
	}
}

// TestInterrupt ends a statement by a signal: at a terminal the shell goes on, in
// a script it ends.
func TestInterrupt(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		in, typed := io.Pipe()
		f := newFake(in)
		f.IO.InTerminal = terminal
		started := make(chan struct{})
		query := f.Query
		f.Query = func(ctx context.Context, sql string, flags ...string) error {
			if sql == "SELECT 1" {
				close(started)
				<-ctx.Done()
			}
			return query(ctx, sql, flags...)
		}
		ended := make(chan error, 1)
		go func() { ended <- Run(t.Context(), f.Host) }()
		fmt.Fprintln(typed, "SELECT 1;")
		<-started
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if terminal {
			fmt.Fprintln(typed, "SELECT 2;")
			typed.Close()
		}
		err := <-ended
		typed.Close()
		if want := 1 + map[bool]int{true: 1}[terminal]; len(f.ran) != want || api.CodeInterrupted.Is(err) == terminal {
			t.Errorf("terminal %t: ran %q, %v", terminal, f.ran, err)
		}
	}
}

func TestEveryCommandIsListed(t *testing.T) {
	f := newFake(strings.NewReader("\\?\n"))
	if err := Run(t.Context(), f.Host); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`\d [NAME]`, `\q`, "catalog, fetch"} {
		if !strings.Contains(f.out.String(), want) {
			t.Errorf("no %q in\n%s", want, f.out.String())
		}
	}
}

// TestEdit runs what an editor left.
func TestEdit(t *testing.T) {
	f := newFake(strings.NewReader("SELECT 1;\n\\e\n"))
	f.IO.InTerminal = true
	if err := Run(t.Context(), f.Host); err != nil || !slices.Equal(f.ran, []string{"SELECT 1", "SELECT 7"}) {
		t.Errorf("ran %q, %v", f.ran, err)
	}
}

// TestWatch runs a statement again until it fails.
func TestWatch(t *testing.T) {
	f := newFake(strings.NewReader("SELECT 1;\n\\watch 0.1\n"))
	query := f.Query
	f.Query = func(ctx context.Context, sql string, flags ...string) error {
		if len(f.ran) == 3 {
			sql = "wrong"
		}
		return query(ctx, sql, flags...)
	}
	if err := Run(t.Context(), f.Host); !api.CodeStatement.Is(err) || len(f.ran) != 4 {
		t.Errorf("ran %q, %v", f.ran, err)
	}
}

func TestSuggestions(t *testing.T) {
	s := &session{Host: newFake(strings.NewReader("")).Host}
	for _, tt := range []struct{ before, whole, want string }{
		{"SELECT del", "SELECT del FROM late", "delay"},
		{"SELECT count(ori", "SELECT count(ori", "origin"},
		{"SELECT * FROM ", "", "late rest"},
		{"SELECT * FROM late, R", "", "rest"},
		{"ON l.", "SELECT * FROM late AS l JOIN rest r ", "delay origin"},
		{"ON l.delay = r.", "SELECT * FROM late AS l JOIN rest r ", ""},
		{`ON "late".de`, "SELECT * FROM late JOIN rest ", "delay"},
		{"SEL", "", "SELECT"},
		{"sel", "", "select"},
		{"SELECT 'la", "", ""},
		{"SELECT 1 -- la", "", ""},
		{"SELECT date_tru", "", "date_trunc"},
		{`\ti`, "", `\timing`},
		{`\fe`, "", `\fetch`},
		{`\d fl`, "", "flights"},
		{`\d `, "", "flights late rest"},
		{`\p li`, "", "line"},
		{`\f c`, "", "csv"},
		{`\fetch flights --wh`, "", "--where"},
		{`\fetch flights 'open`, "", ""},
	} {
		var got []string
		found := s.suggest(tt.before, tt.whole+tt.before)
		for _, w := range found.words {
			got = append(got, w.Text)
		}
		for want := range strings.FieldsSeq(tt.want) {
			if !slices.Contains(got, want) {
				t.Errorf("%q: no %s in %q", tt.before, want, got)
			}
		}
		if tt.want == "" && len(got) > 0 || !strings.HasSuffix(tt.before, found.begun) {
			t.Errorf("%q: %q, begun %q", tt.before, got, found.begun)
		}
	}
}

// TestHighlight colours, and changes no character.
func TestHighlight(t *testing.T) {
	colours := strings.NewReplacer(bold, "", dim, "", green, "", cyan, "", magenta, "", plainAgain, "")
	for text, want := range map[string]string{
		"select 'a' -- b":  bold + "select" + plainAgain + " " + green + "'a'" + plainAgain + " " + dim + "-- b" + plainAgain,
		`\d late`:          magenta + `\d` + plainAgain + " late",
		"SELECT delay, 12": bold + "SELECT" + plainAgain + " delay, " + cyan + "12" + plainAgain,
		"'open\n;":         green + "'open\n;" + plainAgain,
	} {
		if got := highlight([]rune(text)); got != want || colours.Replace(got) != text {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "home", "shell_history")
	h := openHistory(file)
	for entry, kept := range map[string]bool{
		"SELECT 1\nFROM t;": true, " SELECT 'hidden';": false, "": false, strings.Repeat("x", maxEntryBytes+1): false,
		"SELECT * FROM t WHERE password = 'plugh';": false, "\\login https://ann:plugh@host": false,
		"SELECT 'ghp_" + strings.Repeat("0", 36) + "'": false, `\serve --token "abc"`: false, `\catalog --max-tokens 0`: true, "SELECT key FROM t WHERE key = 'a'": true,
	} {
		before := h.Len()
		err := h.add(entry)
		if (h.Len() > before) != kept || (err != nil) != holdsSecret(entry) {
			t.Errorf("%.40q: %d entries, %v", entry, h.Len(), err)
		}
	}
	if err := h.add(h.entries[h.Len()-1]); err != nil || h.Len() != 3 {
		t.Errorf("the same again: %d entries, %v", h.Len(), err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := h.add("SELECT 2;"); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of others is %v, %v", info.Mode(), err)
	}
	if again := openHistory(file); !slices.Equal(again.entries, h.entries) {
		t.Errorf("read: %q, want %q", again.entries, h.entries)
	}
}

// TestHistoryIsBounded reads a file that many shells have added to.
func TestHistoryIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	var text bytes.Buffer
	for i := range 2*maxEntries + 1 {
		text.Write(encode(fmt.Sprint("SELECT ", i)))
	}
	text.WriteString("no JSON\n")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	h := openHistory(file)
	data, err := os.ReadFile(file)
	if err != nil || h.Len() != maxEntries || h.entries[maxEntries-1] != fmt.Sprint("SELECT ", 2*maxEntries) || bytes.Count(data, []byte("\n")) != maxEntries {
		t.Errorf("%d entries, %d lines, %v", h.Len(), bytes.Count(data, []byte("\n")), err)
	}
}
