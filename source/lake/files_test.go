package lake

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// names lists what a relation's name stands for.
func (f *folder) names(t *testing.T, name string) ([]string, error) {
	t.Helper()
	set, err := f.lake.resolve(t.Context(), name)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, file := range set.files {
		out = append(out, file.rel)
	}
	return out, nil
}

func TestPatterns(t *testing.T) {
	f := newFolder(t)
	for _, rel := range []string{
		"a.csv", "b.csv", "sub/a.csv", "sub/deep/er/a.csv", "sub/deep/b.csv", ".hidden.csv", "sub/.git/a.csv",
		"dir.csv/x.csv", "ü/é.csv", "[x].csv", "x.csv", "it's.csv", "a b.csv",
	} {
		f.write(t, rel, "v\n1\n")
	}
	for name, want := range map[string][]string{
		"a.csv":           {"a.csv"},
		"?.csv":           {"a.csv", "b.csv", "x.csv"},
		"[ab].csv":        {"a.csv", "b.csv"},
		"[x].csv":         {"[x].csv"}, // a file of that very name comes first
		"sub/*.csv":       {"sub/a.csv"},
		"*/*.csv":         {"dir.csv/x.csv", "sub/a.csv", "ü/é.csv"},
		"**/a.csv":        {"a.csv", "sub/a.csv", "sub/deep/er/a.csv"},
		"sub/**/*.csv":    {"sub/a.csv", "sub/deep/b.csv", "sub/deep/er/a.csv"},
		"sub/**/er/*.csv": {"sub/deep/er/a.csv"},
		".hidden.csv":     {".hidden.csv"},
		".h*.csv":         {".hidden.csv"},
		"it's.csv":        {"it's.csv"},
		"* *.csv":         {"a b.csv"},
		"ü/?.csv":         {"ü/é.csv"},
		"dir.csv/*":       {"dir.csv/x.csv"},
	} {
		if got, err := f.names(t, name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
		}
	}
	for name, says := range map[string]string{
		"":              "relative",
		"/etc/passwd":   "relative",
		"../a.csv":      "below",
		"sub/../a.csv":  "below",
		"a//b.csv":      "empty parts",
		"./a.csv":       "empty parts",
		`sub\a.csv`:     "forward slashes",
		"sub/**":        "ends in a file",
		"[a.csv":        "bracket",
		"none.csv":      "no file none.csv",
		"none*.csv":     "no file matches none*.csv",
		"none/a.csv":    "no file",
		"a.csv/b.csv":   "no file",
		"sub":           "folder",
		"*":             "formats", // .git is hidden, but [x].csv and dir.csv are there
		"a.csv\x00.csv": "relative",
	} {
		if name == "*" {
			f.write(t, "note.txt", "x")
		}
		_, err := f.names(t, name)
		refused(t, f, err, api.CodeSource, says)
	}
}

// TestNothingOutsideTheRoot tries every way out, by this package's listing and
// by the engine.
func TestNothingOutsideTheRoot(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	secret := filepath.Join(dir, "secret")
	for _, d := range []string{root, filepath.Join(root, "in"), secret} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f := openFolder(t, root, Options{})
	for _, file := range []string{filepath.Join(secret, "s.csv"), filepath.Join(root, "in", "i.csv")} {
		if err := os.WriteFile(file, []byte("v\n1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"abs.csv":      filepath.Join(secret, "s.csv"),
		"rel.csv":      "../secret/s.csv",
		"folder":       "../secret",
		"in/up":        "../../secret",
		"twice":        "folder",
		"proc.csv":     "/proc/self/environ",
		"broken.csv":   "nowhere.csv",
		"inside.csv":   "in/i.csv",
		"insidefolder": "in",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"abs.csv", "rel.csv", "a*.csv", "r?l.csv", "folder/s.csv", "fold*/s.csv", "folder/*.csv", "in/up/s.csv", "in/*/s.csv",
		"twice/s.csv", "twice/*.csv", "proc.csv",
	} {
		_, err := f.names(t, name)
		refused(t, f, err, api.CodeSource, "leads out")
		_, err = f.lake.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: name}, Select: []string{"v"}})
		refused(t, f, err, api.CodeSource, "leads out")
	}
	_, err := f.names(t, "broken.csv")
	refused(t, f, err, api.CodeSource, "link to nothing")
	// Links that stay inside are as good as what they lead to.
	for _, name := range []string{"inside.csv", "insidefolder/i.csv", "insidefolder/*.csv"} {
		same(t, f.rows(t, f.scan(t, name, "")), "1")
	}
	// "**" follows no links: they may lead back up.
	if got, err := f.names(t, "**/i.csv"); err != nil || !slices.Equal(got, []string{"in/i.csv"}) {
		t.Errorf("** found %v, %v", got, err)
	}

	// The second wall: the engine itself, if a statement ever named such a file.
	s, err := f.lake.engines.Session(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Done(true)
	for _, path := range []string{
		filepath.Join(secret, "s.csv"), filepath.Join(root, "abs.csv"), filepath.Join(root, "rel.csv"), filepath.Join(root, "folder", "s.csv"),
		filepath.Join(root, "..", "secret", "s.csv"), "/etc/passwd", filepath.Join(root, "proc.csv"),
	} {
		err := s.Exec(t.Context(), "SELECT * FROM read_csv('"+path+"', all_varchar = true)")
		if err == nil {
			t.Errorf("the engine reads %s", path)
		}
	}
	if err := s.Exec(t.Context(), "SELECT * FROM read_csv('"+filepath.Join(root, "in", "i.csv")+"')"); err != nil {
		t.Errorf("the engine does not read inside: %v", err)
	}
	if err := s.Exec(t.Context(), "SET memory_limit = '1TB'"); err == nil {
		t.Error("the engine's settings can be changed")
	}
}

func TestSpecialFiles(t *testing.T) {
	f := newFolder(t)
	if err := syscall.Mkfifo(filepath.Join(f.dir, "pipe.csv"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe.csv", "p*.csv"} {
		_, err := f.names(t, name)
		refused(t, f, err, api.CodeSource, "not a regular file")
	}
	if _, err := Open(Options{Root: filepath.Join(f.dir, "none")}); !api.CodeConfig.Is(err) {
		t.Errorf("a root that is not there: %v", err)
	}
	if _, err := Open(Options{Root: filepath.Join(f.dir, "pipe.csv")}); !api.CodeConfig.Is(err) {
		t.Errorf("a root that is no folder: %v", err)
	}
}

// TestLiteralNames reads files whose names mean something to a shell, to SQL
// or to the engine's own globbing, each beside one that they would match.
func TestLiteralNames(t *testing.T) {
	f := newFolder(t)
	names := []string{
		"a*b", "a?b", "axb", "[a", "[a]", "a", "it's", `back\slash`, "ü ñ", "a%20b", "{x,y}", "x=y", "tab\tname", "new\nline",
		"a[*]b", "$HOME", "~", "semi;colon", "--", "'", `"q"`, "#", "s3:",
	}
	for i, n := range names {
		for _, format := range []string{".parquet", ".csv", ".jsonl"} {
			tmp := "plain" + format
			f.copy(t, tmp, "SELECT "+string(rune('0'+i/10))+string(rune('0'+i%10))+" AS v", formatOption(format))
			if err := os.Rename(filepath.Join(f.dir, tmp), filepath.Join(f.dir, n+format)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, n := range names {
		for _, format := range []string{".parquet", ".csv", ".jsonl"} {
			if n == `back\slash` {
				// Reached by a pattern only: a backslash in one means other
				// things elsewhere.
				same(t, f.rows(t, f.scan(t, "back?slash"+format, "")), "7")
				continue
			}
			rows := f.rows(t, f.scan(t, n+format, ""))
			same(t, rows, trimZero(i))
		}
	}
	// All together, each once.
	if rows := f.rows(t, f.scan(t, "*.parquet", "")); len(rows) != len(names) {
		t.Errorf("%d rows of %d files", len(rows), len(names))
	}
	f.write(t, `both\and*.csv`, "v\n1\n")
	same(t, f.rows(t, f.scan(t, "both*.csv", "")), "1")
}

// TestOddPartitions reads values of partitions that the engine would take for
// patterns.
func TestOddPartitions(t *testing.T) {
	f := newFolder(t)
	values := []string{"a*b", "a?b", "[ab]", "{a,b}", "a b", "50%25", "it's", "NULL", "%4EULL", "__HIVE_DEFAULT_PARTITION__", "日本"}
	for _, format := range []string{".parquet", ".csv", ".jsonl"} {
		var want []string
		for _, v := range values {
			f.copy(t, "tmp"+format, "SELECT 1 AS v", formatOption(format))
			if err := os.Rename(f.path(t, "tmp"+format), f.path(t, format[1:]+"/k="+v+"/x"+format)); err != nil {
				t.Fatal(err)
			}
			text, ok := hiveValue(v)
			if !ok {
				text = "(null)"
			}
			want = append(want, "1|"+text)
		}
		same(t, sorted(f.rows(t, f.scan(t, format[1:]+"/*/*"+format, ""))), sorted(want)...)
	}
}

func trimZero(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return string(rune('0'+i/10)) + string(rune('0'+i%10))
}

func formatOption(ext string) string {
	return map[string]string{".parquet": "FORMAT parquet", ".csv": "FORMAT csv", ".jsonl": "FORMAT json"}[ext]
}

// TestRootWithOddName puts the whole lake into a folder whose name the engine
// would take for a pattern.
func TestRootWithOddName(t *testing.T) {
	root := filepath.Join(t.TempDir(), "l[a]k*e's")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	f := openFolder(t, root, Options{})
	f.copy(t, "y=1/a.parquet", "SELECT 1 AS v")
	f.copy(t, "y=2/a.parquet", "SELECT 2 AS v")
	same(t, sorted(f.rows(t, f.scan(t, "*/*.parquet", ""))), "1|1", "2|2")

	inside := filepath.Join(t.TempDir(), "env=prod")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	g := openFolder(t, inside, Options{})
	g.copy(t, "a.parquet", "SELECT 1 AS v")
	g.copy(t, "y=1/a.parquet", "SELECT 1 AS v")
	if got := columns(g.schema(t, "a.parquet")); got != "v INTEGER?" {
		t.Errorf("the root's own folder is a column: %s", got)
	}
	if got := columns(g.schema(t, "y=1/a.parquet")); got != "v INTEGER?, y BIGINT" {
		t.Errorf("the root's own folder is a column: %s", got)
	}
}

func TestVersion(t *testing.T) {
	f := newFolder(t)
	version := func() string {
		v, err := f.lake.Version(t.Context(), source.Relation{Name: "*.csv"})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	touch := func(rel string, at time.Time) {
		if err := os.Chtimes(filepath.Join(f.dir, rel), at, at); err != nil {
			t.Fatal(err)
		}
	}
	f.write(t, "a.csv", "v\n1\n")
	touch("a.csv", at)
	seen := []string{version()}
	changed := func(what string) {
		t.Helper()
		v := version()
		if slices.Contains(seen, v) {
			t.Errorf("%s: the version has been there before", what)
		}
		if v != version() {
			t.Errorf("%s: the version is not stable", what)
		}
		seen = append(seen, v)
	}
	f.write(t, "a.csv", "v\n12\n")
	touch("a.csv", at)
	changed("size")
	touch("a.csv", at.Add(time.Nanosecond))
	changed("time")
	f.write(t, "b.csv", "v\n1\n")
	touch("b.csv", at)
	changed("a new file")
	if err := os.Rename(filepath.Join(f.dir, "b.csv"), filepath.Join(f.dir, "c.csv")); err != nil {
		t.Fatal(err)
	}
	changed("a new name")
}
