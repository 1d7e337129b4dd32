// Package doctest helps the tests of documents: it finds files that other programs
// made, compares packages part by part, and opens results in other programs.
//
// It is for tests only.
package doctest

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testneed"
)

// Foreign lists files with one of the extensions that other programs made: those
// that 'make documents' has brought, and those in the folder that the variable
// DA_DOCUMENTS names, if there is one.
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

// Convert opens files, by the names that they get, in LibreOffice and returns what
// it makes of each in the other format, such as "txt:Text" or "pdf".
func Convert(t testing.TB, files map[string][]byte, format string) map[string][]byte {
	t.Helper()
	testneed.Program(t, "soffice")
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := []string{"-env:UserInstallation=file://" + filepath.Join(dir, "profile"), "--headless", "--convert-to", format, "--outdir", filepath.Join(dir, "out")}
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if out, err := exec.CommandContext(ctx, "soffice", args...).CombinedOutput(); err != nil {
		t.Fatalf("soffice: %v\n%s", err, out)
	}
	extension, _, _ := strings.Cut(format, ":")
	made := map[string][]byte{}
	for name := range files {
		data, err := os.ReadFile(filepath.Join(dir, "out", strings.TrimSuffix(name, filepath.Ext(name))+"."+extension))
		if err != nil {
			t.Errorf("%s: LibreOffice does not open it", name)
		}
		made[name] = data
	}
	return made
}
