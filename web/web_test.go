package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agnes-data/da/predicate"
)

// maxFirstLoad is what the page may take to load at first, compressed, in bytes.
// The editor and the charts come when they are needed.
const maxFirstLoad = 25_000

// manifest is what web/bundle says of dist.
func manifest(t *testing.T) (m struct {
	Sources   string   `json:"sources"`
	FirstLoad []string `json:"first_load"`
}) {
	t.Helper()
	data, err := os.ReadFile("dist/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBundlesAreMadeOfTheseSources(t *testing.T) {
	sum := sha256.New()
	add := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n%s", filepath.ToSlash(path), len(data), data)
		return nil
	}
	for _, root := range []string{"src", "package-lock.json"} {
		if err := filepath.WalkDir(root, add); err != nil {
			t.Fatal(err)
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != manifest(t).Sources {
		t.Error("web/dist was made of other sources: 'make generate' makes it anew")
	}
}

// TestReservedWordsAreQuoted holds that the page quotes a name wherever a dialect wants that.
func TestReservedWordsAreQuoted(t *testing.T) {
	data, err := os.ReadFile("src/sql/text.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(data), "const reserved = ")
	list, _, _ = strings.Cut(list, ";")
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(list, func(c rune) bool { return c == ' ' || c == '"' }) {
		words[w] = true
	}
	for _, d := range predicate.Dialects() {
		for w := range d.Traits().Reserved {
			if !words[w] {
				t.Errorf("%s: %s is not quoted", d, w)
			}
		}
	}
}

// TestLinesOfTheSourcesAreShort holds them to what fits a window.
func TestLinesOfTheSourcesAreShort(t *testing.T) {
	const most = 120
	err := filepath.WalkDir("src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(filepath.Ext(path), ".ts") {
			return err
		}
		data, err := os.ReadFile(path)
		for i, line := range strings.Split(string(data), "\n") {
			if n := utf8.RuneCountInString(line); n > most {
				t.Errorf("%s:%d: %d characters, at most %d", path, i+1, n, most)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheFirstLoadIsSmall(t *testing.T) {
	total := 0
	for _, name := range append(manifest(t).FirstLoad, Index) {
		a := File(name)
		if a == nil {
			t.Fatalf("%s is not embedded", name)
		}
		t.Logf("%6d %s", len(a.Gzipped), name)
		total += len(a.Gzipped)
	}
	if total > maxFirstLoad {
		t.Errorf("the first load is %d bytes compressed, at most %d", total, maxFirstLoad)
	}
}

// TestNothingIsKeptOfWhatNobodyAsksFor runs in a process of its own, in which no
// other test has asked for a file.
func TestNothingIsKeptOfWhatNobodyAsksFor(t *testing.T) {
	kept := func() (n int) {
		compressed.Range(func(any, any) bool { n++; return true })
		return n
	}
	if os.Getenv("DA_TEST_KEPT") != "" {
		if n := kept(); n != 0 {
			t.Errorf("%d files of the page are kept", n)
		}
		File("nothing.js")
		if n := kept(); n != 0 {
			t.Errorf("%d files that are not there are kept", n)
		}
		File(Index)
		if n := kept(); n != 1 {
			t.Errorf("%d files are kept after one was asked for", n)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "DA_TEST_KEPT=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestFiles(t *testing.T) {
	a := File(Index)
	r, err := gzip.NewReader(bytes.NewReader(a.Gzipped))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(r); err != nil || !bytes.Equal(plain, a.Data) {
		t.Errorf("the compressed page is another one: %v", err)
	}
	for _, name := range []string{"", ".", "..", "../web.go", "dist/index.html", "/index.html", "nothing.js", "a\x00b"} {
		if File(name) != nil {
			t.Errorf("%q is a file", name)
		}
	}
}
