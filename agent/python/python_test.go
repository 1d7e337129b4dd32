//go:build linux && (amd64 || arm64)

package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/sandbox"
	"github.com/agnes-data/da/internal/testing/testneed"
)

func TestMain(m *testing.M) {
	if sandbox.Called(os.Args[1:]) {
		os.Exit(sandbox.Main(os.Stderr)) //nolint:forbidigo // this is main here
	}
	os.Exit(m.Run()) //nolint:forbidigo // this is main here
}

func open(t *testing.T) *Session {
	t.Helper()
	testneed.Program(t, "python3")
	i, err := Find(t.Context(), "")
	var e *api.Error
	if errors.As(err, &e) && e.Kind == "no_sandbox" {
		testneed.Skip(t, "Landlock and seccomp", "a kernel from 5.13 with both")
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := i.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func run(t *testing.T, s *Session, code string) *Result {
	t.Helper()
	r, err := s.Run(t.Context(), code)
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return r
}

func TestVariablesStay(t *testing.T) {
	s := open(t)
	run(t, s, "x = 20\ndef twice(n):\n    return 2 * n")
	if r := run(t, s, "print('hello')\ntwice(x) + 2"); r.Kind != "text" || r.Text != "42" || r.Printed != "hello\n" {
		t.Errorf("%+v", r)
	}
	if r := run(t, s, "y = 1\n1 / 0"); r.Kind != "error" || !strings.Contains(r.Text, "line 2") || !strings.Contains(r.Text, "ZeroDivisionError") {
		t.Errorf("%+v", r)
	}
	if r := run(t, s, "if"); r.Kind != "error" || !strings.Contains(r.Text, "SyntaxError") {
		t.Errorf("%+v", r)
	}
	if r := run(t, s, "import mimetypes\nmimetypes.guess_type('a.csv')[0]"); r.Text != "'text/csv'" {
		t.Errorf("types by names: %+v", r)
	}
	if r := run(t, s, "y"); r.Text != "1" {
		t.Errorf("after errors: %+v", r)
	}
	if r := run(t, s, "raise SystemExit"); r.Kind != "error" {
		t.Errorf("%+v", r)
	}
	if r := run(t, s, "print('x' * 100_000)"); len(r.Printed) > 21_000 || !strings.Contains(r.Printed, "80001 more characters") {
		t.Errorf("%d bytes were printed", len(r.Printed))
	}
	if r := run(t, s, "open('kept', 'w').write('x')\nimport os\nos.listdir('.')"); r.Text != "['kept']" {
		t.Errorf("%+v", r)
	}
}

// TestMisbehaviourEndsTheProcessOnly kills, floods and forges, and goes on.
func TestMisbehaviourEndsTheProcessOnly(t *testing.T) {
	s := open(t)
	forged := `answers.write('{"kind": "text", "text": "2"}\n')` + "\nanswers.flush()\n"
	for name, code := range map[string]string{
		"it forges an answer":    forged,
		"it aborts":              "import os\nos.abort()",
		"it leaves":              "import os\nos._exit(3)",
		"it crashes":             "import ctypes\nctypes.string_at(0)",
		"it closes its answers":  "import os\n[os.close(n) for n in range(3, 20)]",
		"it answers without end": "answers.write('x' * (8 << 20))\nanswers.flush()",
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(code, "answers") {
				code = "import gc, io\nanswers = [o for o in gc.get_objects() if isinstance(o, io.TextIOWrapper) and o.writable() and o.fileno() > 2][0]\n" + code
			}
			_, err := s.Run(t.Context(), code)
			var e *api.Error
			if !errors.As(err, &e) || e.Kind != "python_ended" {
				t.Fatalf("got %v", err)
			}
			if r := run(t, s, "6 * 7"); r.Text != "42" || !r.Restarted {
				t.Errorf("after it: %+v", r)
			}
		})
	}
	if r := run(t, s, "x = bytearray(4 << 30)"); r.Kind != "error" || !strings.Contains(r.Text, "MemoryError") {
		t.Errorf("4 GB: %+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	begun := filepath.Join(s.work(), "begun")
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(begun); err == nil {
				cancel()
			}
		}
	}()
	if _, err := s.Run(ctx, "open('begun', 'w')\nwhile True: pass"); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the turn was stopped") {
		t.Errorf("an endless loop: %v", err)
	}
	if r := run(t, s, "1"); !r.Restarted {
		t.Errorf("after it: %+v", r)
	}
}

// TestOneRunDoesNotFillTheDisk writes files below the limit of one, in several ways,
// until the limit of all ends it. What earlier calls have written is kept.
func TestOneRunDoesNotFillTheDisk(t *testing.T) {
	for name, code := range map[string]string{
		"in many files":       "while True: open(f'f{len(os.listdir())}', 'wb').write(part)",
		"in a folder":         "os.mkdir('d')\nos.chdir('d')\nwhile True: open(f'f{len(os.listdir())}', 'wb').write(part)",
		"in many small files": "for n in range(20_000): open(f'f{n}', 'w')\nwhile True: pass",
		"in many folders":     "for n in range(20_000): os.mkdir(f'd{n}')\nwhile True: pass",
		"in a closed folder":  "os.mkdir('d')\nfor n in range(200): open(f'd/f{n}', 'wb').write(part)\nos.chmod('d', 0)\nwhile True: pass",
		"without a size":      "import ctypes\nf = open('f', 'w')\nassert ctypes.CDLL(None).fallocate(f.fileno(), 1, ctypes.c_long(0), ctypes.c_long(200 << 20)) == 0\nwhile True: pass",
		"in deleted files":    "kept = []\nwhile True:\n    kept.append(open('f', 'wb', 0))\n    os.unlink('f')\n    kept[-1].write(part)",
		"in mapped files": "import mmap\nkept = []\nfor n in range(9):\n    f = open('f', 'wb+', 0)\n    f.truncate(1 << 30)\n    kept.append(mmap.mmap(f.fileno(), 4096))\n    os.unlink('f')\n    f.close()\n" +
			"    import gc; gc.collect()\nwhile True: pass",
		"beyond the longest path": "while True:\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)\n    open('f', 'wb').write(part[:1000])",
		"at its end":              "for n in range(200): open(f'f{n}', 'wb').write(part)",
		"by a thread":             "import threading\nlater = threading.Event()\ndef fill():\n    later.wait()\n    while True: open(f'f{len(os.listdir())}', 'wb').write(part)\nthreading.Thread(target=fill).start()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.with.Disk = 100 << 20
			run(t, s, "import os\npart = bytes(1 << 20)\nopen('before', 'w').write('x')")
			_, err := s.Run(t.Context(), code)
			if name == "by a thread" && err == nil { // which outlives its call, and writes in the next one only
				_, err = s.Run(t.Context(), "later.set()\nwhile True: pass")
			}
			var e *api.Error
			if !errors.As(err, &e) || e.Code != api.CodeTooLarge || e.Kind != "python_disk" || !strings.Contains(e.Hint, "agent.python_disk_mb") {
				t.Fatalf("got %v", err)
			}
			kept, err := os.ReadFile(filepath.Join(s.work(), "before"))
			if name == "beyond the longest path" {
				kept = []byte("x")
				if err == nil || !strings.Contains(e.Message, "also those of earlier calls") {
					t.Errorf("%v: %s", err, e.Message)
				}
			} else if err != nil || !strings.Contains(e.Message, "from before are kept") {
				t.Errorf("%v: %s", err, e.Message)
			}
			used, err := sandbox.Used(s.work(), 0, maxFile, s.with.diskMost())
			if string(kept) != "x" || err != nil || used.Over(s.with.diskMost()) || used.Entries > 20 {
				t.Errorf("left: %+v, %v, %q", used, err, kept)
			}
			if r := run(t, s, "6 * 7"); r.Text != "42" || !r.Restarted {
				t.Errorf("after it: %+v", r)
			}
		})
	}
}

// TestOneRunTakesNoMoreThanItMay ends a process that takes memory which no limit of the
// kernel counts, or too many threads.
func TestOneRunTakesNoMoreThanItMay(t *testing.T) {
	for want, code := range map[string]string{
		" of memory": "import mmap\nm = mmap.mmap(-1, 3 << 30)\nfor i in range(0, 3 << 30, 4096): m[i] = 1\nwhile True: pass",
		" threads,":  "import threading\nthreading.stack_size(32 << 10)\ne = threading.Event()\nfor n in range(600): threading.Thread(target=e.wait).start()\nwhile True: pass",
	} {
		s := open(t)
		_, err := s.Run(t.Context(), code)
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != "python_ended" || !strings.Contains(e.Message, want) || !strings.Contains(e.Message, "are allowed") {
			t.Fatalf("%s: %v", want, err)
		}
		if r := run(t, s, "6 * 7"); r.Text != "42" || !r.Restarted {
			t.Errorf("after it: %+v", r)
		}
	}
}

// withPandas is open in the system's Python, which is the one that make needs
// installs pandas for. It skips the test where that has none.
func withPandas(t *testing.T) *Session {
	t.Helper()
	t.Setenv("PATH", "/usr/bin"+string(os.PathListSeparator)+os.Getenv("PATH"))
	s := open(t)
	if !slices.Contains(s.with.Modules, "pandas") {
		testneed.Skip(t, "pandas", "make needs")
	}
	return s
}

// TestLinesBecomeADataFrame loads lines of JSON where nothing reads parquet: each
// type of column keeps its values, also those that are missing.
func TestLinesBecomeADataFrame(t *testing.T) {
	s := withPandas(t)
	text := `{"n":"9007199254740993","x":1.5,"at":"2026-01-02 03:04:05.000006","b":true,"t":"","m":3,"d":"12345678901234567.123","p":2.5}
{"n":null,"x":null,"at":null,"b":null,"t":null,"m":4,"d":1.5,"p":null}
`
	if err := os.WriteFile(filepath.Join(s.Data(), "d.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := Placed{Base: "d.jsonl", Columns: []string{"n", "x", "at", "b", "t", "m", "d", "p"}, Types: []string{"integer", "float", "timestamp", "boolean", "string", "integer", "decimal", "decimal"}}
	r, err := s.Load(t.Context(), at, "d", nil, 0)
	if err != nil || r.Kind != "table" || r.RowCount != 2 || fmt.Sprint(r.Dtypes) != "map[at:datetime64[ns] b:boolean d:object m:int64 n:Int64 p:float64 t:object x:float64]" {
		t.Fatalf("%+v, %v", r, err)
	}
	if r := run(t, s, "int(d.n[0]), d.n.isna()[1], str(d['at'][0]), d.t[0] == '', d.t[1] is None, int(d.m.sum()), str(d.d.sum())"); r.Text != "(9007199254740993, True, '2026-01-02 03:04:05.000006', True, True, 7, '12345678901234568.623')" {
		t.Errorf("%+v", r)
	}
}

// TestValuesAreShownExactly holds that values of data frames are shown as everywhere in
// the project, to the model and to the user.
func TestValuesAreShownExactly(t *testing.T) {
	s := withPandas(t)
	made := `d = pd.DataFrame({'i': [9007199254740993, -9223372036854775808], 'f': [float('nan'), float('-inf')],
 't': pd.to_datetime(['2026-01-02T03:04:05.123456789', None]), 'z': pd.to_datetime(['2026-01-02T03:04:05.5+02:00', None], utc=True),
 'd': [__import__('decimal').Decimal(v) for v in ('1.5', '12345678901234567.123')], 'e': pd.to_timedelta(['1 days 02:03:04.5', None]),
 'b': [b'x', None], 's': np.array([0.1, 2], dtype='float32'), 'l': [[1, 2**60], {'k': None}], 'w': pd.array([7, None], dtype='Int64')})
`
	want := `[["9007199254740993","NaN","2026-01-02T03:04:05.123456789","2026-01-02T01:04:05.5Z",1.5,"P1DT2H3M4.5S","eA==",0.1,[1,"1152921504606846976"],7],` +
		`["-9223372036854775808","-Infinity",null,null,"12345678901234567.123",null,null,2.0,{"k":null},null]]`
	r := run(t, s, made+"d.head()")
	if got, err := json.Marshal(r.Head); err != nil || strings.ReplaceAll(string(got), ",2,{", ",2.0,{") != want {
		t.Errorf("%s %+v", got, r)
	}
	f, err := s.Frame(t.Context(), "d", 10)
	if err != nil || fmt.Sprint(f.Types) != "[integer float timestamp timestamp decimal string string float string integer]" {
		t.Fatalf("%+v, %v", f, err)
	}
	if got, err := json.Marshal(f.Rows); err != nil || string(got) != want {
		t.Errorf("%s", got)
	}
}

// TestDataFramesArePruned holds that the oldest go when all take over 500 MB.
func TestDataFramesArePruned(t *testing.T) {
	s := withPandas(t)
	r := run(t, s, "import numpy, pandas\nfor i in range(7):\n    globals()[f'd{i}'] = pandas.DataFrame({'x': numpy.zeros(14_000_000)})")
	if fmt.Sprint(r.Pruned) != "[d0 d1 d2]" {
		t.Errorf("pruned: %+v", r)
	}
	if r := run(t, s, "'d2' in globals(), 'd3' in globals(), len(d6)"); r.Text != "(False, True, 14000000)" {
		t.Errorf("%+v", r)
	}
}

// TestTheModelIsToldOfModules holds that the tool names what Python brings, and
// that a resumed conversation is told that its variables are gone.
func TestTheModelIsToldOfModules(t *testing.T) {
	s := open(t)
	about := s.With(plain{}, nil, nil).List()[0].About
	for _, m := range append(s.with.Modules, s.with.Version) {
		if !strings.Contains(about, m) {
			t.Errorf("the model is not told of %s: %s", m, about)
		}
	}
	s.Resumed()
	if r := run(t, s, "1"); !r.Restarted {
		t.Errorf("after an earlier process: %+v", r)
	}
}

// plain are tools that a model has anyway.
type plain struct{}

func (plain) List() []agent.Tool { return nil }

func (plain) Call(context.Context, string, json.RawMessage) (string, bool) { return "plain", false }

func TestTools(t *testing.T) {
	s := open(t)
	tools := s.With(plain{}, nil, nil)
	list := tools.List()
	if len(list) != 1 || list[0].Name != "python_repl" || list[0].Time < time.Minute || !json.Valid(list[0].Schema) {
		t.Errorf("%+v", list)
	}
	if text, failed := tools.Call(t.Context(), "other", nil); text != "plain" || failed {
		t.Errorf("%s", text)
	}
	if text, failed := tools.Call(t.Context(), "python_repl", json.RawMessage(`{"code": "2 ** 64"}`)); failed || !strings.Contains(text, "18446744073709551616") {
		t.Errorf("%s", text)
	}
	frames := tools.Frames(func(context.Context, agent.FrameRequest) (*agent.DataFrame, error) { return nil, nil })
	run(t, s, "rows = [{'day': 'Mon', 'n': 1}, {'day': 'Tue', 'n': 2.5}, {'day': None}]")
	f, err := frames(t.Context(), agent.FrameRequest{Frame: "rows", Rows: 2, Cells: 100})
	if err != nil || fmt.Sprint(f.Columns, f.Types, f.Total, len(f.Rows)) != "[day n] [string float] 3 2" || string(f.Rows[1][1]) != "2.5" {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := frames(t.Context(), agent.FrameRequest{Frame: "nothing", Rows: 2, Cells: 100}); !api.CodeValidation.Is(err) {
		t.Errorf("no data frame: %v", err)
	}
	if text, failed := tools.Call(t.Context(), "python_repl", json.RawMessage(`{"code": "1 / 0"}`)); !failed || !strings.Contains(text, "in <module>\\nZeroDivisionError") {
		t.Errorf("%s", text)
	}
}

// TestCaveatsStayWithFrames: what is known of a data set is known of each frame that
// may come from it.
func TestCaveatsStayWithFrames(t *testing.T) {
	s := withPandas(t)
	for i, name := range []string{"a.jsonl", "b.jsonl"} {
		if err := os.WriteFile(filepath.Join(s.Data(), name), []byte("{\"n\":1}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := Placed{Base: name, Columns: []string{"n"}, Types: []string{"integer"}, Caveats: api.CaveatsOf(api.CaveatCut, name)}
		if r, err := s.Load(t.Context(), at, fmt.Sprintf("d%d", i), nil, 0); err != nil || fmt.Sprint(r.Caveats) != "["+name+"]" {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if r := run(t, s, "both = pd.concat([d0, d1])"); len(r.Caveats) > 0 {
		t.Errorf("%+v", r)
	}
	if r, err := s.Frame(t.Context(), "both", 10); err != nil || fmt.Sprint(r.Caveats) != "[a.jsonl b.jsonl]" {
		t.Errorf("%+v, %v", r, err)
	}
}
