// Package doctest helps to test documents: it finds files written by other
// programs, compares packages part by part, and opens results in other programs.
//
// It is for tests only.
package doctest

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// Foreign lists files written by other programs that have one of the extensions:
// those downloaded by 'make documents', and those in the folder named by the
// variable DA_DOCUMENTS, if it is set.
func Foreign(t testing.TB, extensions ...string) []string {
	t.Helper()
	brought := filepath.Join(root(t), ".cache", "documents")
	testneed.File(t, brought, "the documents of other programs", "make documents")
	var paths []string
	for _, folder := range []string{brought, os.Getenv("DA_DOCUMENTS")} {
		if folder == "" {
			continue
		}
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && slices.Contains(extensions, strings.ToLower(filepath.Ext(path))) {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(paths) == 0 {
		t.Fatalf("there is no file with %v below %s", extensions, brought)
	}
	return paths
}

func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no go.mod above the test")
	return ""
}

// Differing lists the parts that are not packed by the same bytes in both packages.
func Differing(t testing.TB, before, after []byte) []string {
	t.Helper()
	a, b := entries(t, before), entries(t, after)
	var names []string
	for name, raw := range a {
		if !bytes.Equal(raw, b[name]) {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Touched lists the parts that differ though an edit has no business in them: all but
// the main part, whatever its name is, those that it relates to by some kinds, the
// relations and the list of types.
func Touched(t testing.TB, before, after []byte, kinds ...string) []string {
	t.Helper()
	expected := map[string]bool{"[content_types].xml": true}
	for _, data := range [][]byte{before, after} { // parts come and go
		p, err := ooxml.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		main, err := p.Main()
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.Relations(main)
		if err != nil {
			t.Fatal(err)
		}
		expected[strings.ToLower(main)] = true
		for _, r := range all {
			if slices.Contains(kinds, r.Kind) {
				expected[strings.ToLower(r.Target)] = true
			}
		}
	}
	return slices.DeleteFunc(Differing(t, before, after), func(part string) bool {
		return strings.HasSuffix(part, ".rels") || expected[strings.ToLower(part)]
	})
}

func entries(t testing.TB, data []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		if all[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Convert opens files in LibreOffice, each under the name of its key, and returns
// each converted to another format, such as "txt:Text" or "pdf". A file that
// LibreOffice does not open fails the test.
func Convert(t testing.TB, files map[string][]byte, format string) map[string][]byte {
	t.Helper()
	made := convert(t, files, format)
	for name := range files {
		if made[name] == nil {
			t.Errorf("%s: LibreOffice does not open it", name)
		}
	}
	return made
}

// ConvertChanged is like Convert, for changed files. Files that LibreOffice could
// not open even before the change are skipped and logged.
func ConvertChanged(t testing.TB, changed, before map[string][]byte, format string) map[string][]byte {
	t.Helper()
	const together = 25 // a file that crashes LibreOffice takes the others with it
	made := map[string][]byte{}
	names := slices.Sorted(maps.Keys(changed))
	for part := range slices.Chunk(names, together) {
		files := map[string][]byte{}
		for _, name := range part {
			files[name] = changed[name]
		}
		maps.Copy(made, convert(t, files, format))
	}
	for _, name := range names {
		if made[name] != nil {
			continue
		}
		if alone := convert(t, map[string][]byte{name: changed[name]}, format)[name]; alone != nil {
			made[name] = alone
		} else if convert(t, map[string][]byte{name: before[name]}, format)[name] != nil {
			t.Errorf("%s: LibreOffice opens it before the change and not after it", name)
		} else {
			t.Logf("%s: LibreOffice opens it neither before nor after the change", name)
		}
	}
	return made
}

// convert is nil for files that LibreOffice does not open.
func convert(t testing.TB, files map[string][]byte, format string) map[string][]byte {
	t.Helper()
	testneed.Program(t, "soffice")
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := []string{"-env:UserInstallation=file://" + filepath.Join(dir, "profile"), "--headless", "--convert-to", format, "--outdir", filepath.Join(dir, "out")}
	names := slices.Sorted(maps.Keys(files))
	for i, name := range names {
		// Numbers, since a workbook and a document of one name would become one file.
		path := filepath.Join(dir, strconv.Itoa(i)+filepath.Ext(name))
		if err := os.WriteFile(path, files[name], 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if out, err := exec.CommandContext(ctx, "soffice", args...).CombinedOutput(); err != nil {
		t.Logf("soffice: %v\n%s", err, out)
	}
	extension, _, _ := strings.Cut(format, ":")
	made := map[string][]byte{}
	for i, name := range names {
		if data, err := os.ReadFile(filepath.Join(dir, "out", strconv.Itoa(i)+"."+extension)); err == nil {
			made[name] = data
		}
	}
	return made
}

// Refused reports whether an error says what is wrong with a file, and logs it.
func Refused(t testing.TB, path string, err error) bool {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) {
		return false
	}
	t.Logf("%s is refused: %v", filepath.Base(path), e)
	return true
}
