//go:build linux && (amd64 || arm64)

package python

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// standIns are modules that record how they are called, in place of libraries that
// no Debian package has.
var standIns = map[string]map[string]string{
	"pyarrow": {"pyarrow/__init__.py": "__version__ = '0.1'", "pyarrow/parquet.py": `
class Table:
    def __init__(self, said): self.said = said
    schema = columns = ()
    def slice(self, *a): return Table(self.said + ' slice' + repr(a))
    def to_pandas(self, types_mapper=None): raise ImportError('no pandas')
    def __repr__(self): return self.said
def read_table(path, columns=None): return Table('read_table ' + path.rsplit('/', 1)[1] + ' ' + repr(columns))
`},
	"polars": {"polars.py": `
def read_parquet(path, columns=None, n_rows=None): return 'read_parquet ' + path.rsplit('/', 1)[1] + ' ' + repr(columns) + ' ' + repr(n_rows)
`},
	"duckdb": {"duckdb.py": `
class Answer:
    def __init__(self, said): self.said = said
    def df(self): raise ImportError('no pandas')
    def fetchall(self): return self.said
def sql(text, params): return Answer(text + ' ' + params['path'].rsplit('/', 1)[1])
`},
}

// TestReadersOfParquet finds each library, and asks it for the columns and rows that
// are wanted.
func TestReadersOfParquet(t *testing.T) {
	for name, want := range map[string]string{
		"pyarrow": "read_table d.parquet ['a', 'b'] slice(0, 7)",
		"polars":  "read_parquet d.parquet ['a', 'b'] 7",
		"duckdb":  `SELECT "a", "b" FROM read_parquet($path) LIMIT 7 d.parquet`,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			with := *s.with
			lib := filepath.Join(t.TempDir(), "lib")
			write(t, lib, standIns[name])
			with.Modules, with.Prefixes = []string{name}, append(with.Prefixes, filepath.Dir(lib))
			s.with = &with
			run(t, s, "import sys\nsys.path.insert(0, '"+lib+"')")
			r, err := s.Load(t.Context(), Placed{Base: "d.parquet"}, "d", []string{"a", "b"}, 7)
			if err != nil || !strings.Contains(strings.ReplaceAll(r.Text, `\'`, "'"), want) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for file, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheInterpreterWithPandasIsFound holds that one behind another in PATH is preferred if
// it has pandas, and that one can be named.
func TestTheInterpreterWithPandasIsFound(t *testing.T) {
	open(t)
	dir := t.TempDir()
	for name, modules := range map[string]string{"plain": "[]", "first": `["numpy", "pandas"]`, "other": `["pandas"]`, "broken": "?"} {
		write(t, dir, map[string]string{name + "/python3": "#!/bin/sh\necho '{\"program\": \"/" + name + "\", \"modules\": " + modules + "}'\n"})
		if err := os.Chmod(filepath.Join(dir, name, "python3"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"broken:plain:first:other": "/first", "plain": "/plain", "none:other": "/other", "broken": ""} {
		var dirs []string
		for name := range strings.SplitSeq(path, ":") {
			dirs = append(dirs, filepath.Join(dir, name))
		}
		t.Setenv("PATH", strings.Join(dirs, string(os.PathListSeparator)))
		i, err := Find(t.Context(), "")
		if i == nil {
			i = &Interpreter{}
		}
		if i.Program != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", path, i.Program, err)
		}
	}
	if i, err := Find(t.Context(), filepath.Join(dir, "plain/python3")); err != nil || i.Program != "/plain" {
		t.Errorf("the one that is named: %+v, %v", i, err)
	}
}

// TestAVirtualEnvironment finds the python3 of an environment on the PATH, and runs
// code with its packages.
func TestAVirtualEnvironment(t *testing.T) {
	base := open(t).with
	env := t.TempDir()
	version := strings.Join(strings.Split(base.Version, ".")[:2], ".")
	write(t, env, map[string]string{"pyvenv.cfg": "home = " + filepath.Dir(base.Program) + "\n", "bin/.keep": "",
		"lib/python" + version + "/site-packages/polars.py": "here = 'the environment has it'"})
	if err := os.Symlink(base.Program, filepath.Join(env, "bin/python3")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(env, "bin"))
	s := open(t)
	if !slices.Contains(s.with.Modules, "polars") {
		t.Fatalf("found %+v", s.with)
	}
	if r := run(t, s, "import polars\npolars.here"); r.Kind != "text" || !strings.Contains(r.Text, "the environment has it") {
		t.Errorf("%+v", r)
	}
}
