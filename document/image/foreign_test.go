package image_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// foreign lists the pictures that the decoders' own tests are made of, and those in the
// folder that the variable DA_DOCUMENTS names.
func foreign(t testing.TB) (paths []string) {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/image").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{filepath.Join(strings.TrimSpace(string(dir)), "testdata"), os.Getenv("DA_DOCUMENTS")} {
		all, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range all {
			if slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"}, strings.ToLower(filepath.Ext(path))) {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) < 40 {
		t.Fatalf("there are only %d pictures", len(paths))
	}
	return paths
}

// TestForeignPictures looks into pictures of others, makes each smaller, and has
// another program say what has become of it.
func TestForeignPictures(t *testing.T) {
	testneed.Program(t, "identify")
	read, refused := 0, 0
	var made []string
	dir := t.TempDir()
	for _, path := range foreign(t) {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := image.Read(bytes.NewReader(data), int64(len(data)))
		var out bytes.Buffer
		if err == nil {
			_, err = image.Edit(bytes.NewReader(data), int64(len(data)), &out, []image.Operation{{Op: image.Resize, Width: 40}, {Op: image.Convert, Format: "png"}}, image.Options{})
		}
		var said *api.Error
		switch {
		case errors.As(err, &said) && said.Code == api.CodeReadFailed:
			refused++
			t.Logf("%s: %v", name, err)
			continue
		case err != nil:
			t.Errorf("%s: %v, %+v", name, err, info)
			continue
		}
		read++
		path := filepath.Join(dir, name+".png")
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		made = append(made, path)
	}
	said, err := exec.CommandContext(t.Context(), "identify", made...).CombinedOutput()
	if err != nil || bytes.Count(said, []byte(" PNG 40x")) != len(made) {
		t.Errorf("%v: %s", err, said)
	}
	t.Logf("%d pictures were read and changed, %d refused", read, refused)
}
