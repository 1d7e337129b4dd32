package pdf_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agnes-data/da/document/pdf"
)

// TestADamagedCacheIsCompiledAnew cuts the compiled library short, as a full disk
// would.
func TestADamagedCacheIsCompiledAnew(t *testing.T) {
	made := create(t, `[{"op":"add_page"}]`) // and the library is compiled
	dir := filepath.Join(t.TempDir(), "cache")
	files := copied(t, compiled(t).CacheDir, dir, func(file string, data []byte) error { return os.WriteFile(file, data[:len(data)/2], 0o600) })
	if len(files) == 0 {
		t.Fatal("nothing was compiled")
	}
	d, err := pdf.Open(t.Context(), bytes.NewReader(made), int64(len(made)), pdf.Options{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	for _, file := range files {
		if now, err := os.Stat(file); err == nil && now.ModTime().Equal(old) {
			t.Errorf("%s is still there", filepath.Base(file))
		}
	}
}

// old is when the copied files were written.
var old = time.Unix(1_000_000_000, 0)

func copied(t *testing.T, from, to string, write func(file string, data []byte) error) (files []string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case relErr != nil:
			return relErr
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := filepath.Join(to, rel)
		files = append(files, name)
		if err := write(name, data); err != nil {
			return err
		}
		return os.Chtimes(name, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
