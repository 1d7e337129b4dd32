package iceberg

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/listed"
)

// TestRefusedByName holds that what cannot be read is said, and nothing is guessed.
func TestRefusedByName(t *testing.T) {
	root := t.TempDir()
	meta := func(dir, name string) string { return filepath.Join(root, dir, "metadata", name) }
	change := func(file, old, with string) {
		t.Helper()
		text, err := os.ReadFile(file)
		if err == nil && !strings.Contains(string(text), old) {
			t.Fatalf("%s has no %s", file, old)
		}
		if err == nil {
			err = os.WriteFile(file, []byte(strings.Replace(string(text), old, with, 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	table := sourcetest.Table{Columns: []sourcetest.Column{{Name: "n", Kind: sourcetest.Int}}, Rows: [][]any{{int64(7)}}}
	for name, c := range map[string]struct {
		kind, word string
		do         func(dir string)
	}{
		"whole":  {"", "", func(string) {}},
		"future": {api.KindUnlikeFiles, "format 4", func(dir string) { change(meta(dir, "v1.metadata.json"), `"format-version":2`, `"format-version":4`) }},
		"encrypted": {api.KindUnlikeFiles, "encrypted", func(dir string) {
			change(meta(dir, "v1.metadata.json"), `"format-version":2`, `"format-version":3,"encryption-keys":[{"key-id":"k"}]`)
		}},
		"typed":    {api.KindUnlikeFiles, `"geometry"`, func(dir string) { change(meta(dir, "v1.metadata.json"), `"long"`, `"geometry"`) }},
		"listless": {api.KindUnlikeFiles, "listed in its metadata", func(dir string) { change(meta(dir, "v1.metadata.json"), `"manifest-list"`, `"manifests":[],"other"`) }},
		"idless": {api.KindUnlikeFiles, "have no ids", func(dir string) {
			enginetest.Parquet(t, filepath.Join(root, dir, "data", "a.parquet"), "SELECT 7::BIGINT AS n")
			size := sizeOf(t, filepath.Join(root, dir, "data", "a.parquet"))
			files := [][]opentables.IcebergFile{{{Path: "data/a.parquet", Rows: 1, Size: size, Day: -1}}}
			fields := []object{{"id": 1, "name": "n", "required": false, "type": "long"}}
			if err := opentables.WriteIcebergSnapshot(filepath.Join(root, dir), fields, nil, files); err != nil {
				t.Fatal(err)
			}
		}},
		"gone":    {api.KindUnreadable, "is not there", func(dir string) { remove(t, filepath.Join(root, dir, "data", "a.parquet")) }},
		"cut":     {api.KindUnreadable, "bytes", func(dir string) { truncate(t, filepath.Join(root, dir, "data", "a.parquet")) }},
		"headcut": {api.KindUnreadable, "as a manifest", func(dir string) { truncate(t, meta(dir, "m0.avro")) }},
		"outside": {api.KindOutsideRoot, "not lie below the root", func(dir string) {
			change(meta(dir, "v1.metadata.json"), `"manifest-list":"file://`+root, `"manifest-list":"s3://bucket`)
		}},
		"two": {api.KindBadPath, "only its catalog knows", func(dir string) {
			copyFile(t, meta(dir, "v1.metadata.json"), meta(dir, "00002-a.metadata.json"))
			copyFile(t, meta(dir, "v1.metadata.json"), meta(dir, "00002-b.metadata.json"))
		}},
		"newer": {"", "", func(dir string) { copyFile(t, meta(dir, "v1.metadata.json"), meta(dir, "00010-a.metadata.json")) }},
		"nobody": {api.KindNotFound, "no snapshot, branch or tag 5", func(dir string) {
			change(meta(dir, "v1.metadata.json"), `"current-snapshot-id":1`, `"current-snapshot-id":5`)
		}},
		"fresh": {"", "", func(dir string) {
			change(meta(dir, "v1.metadata.json"), `"current-snapshot-id":1`, `"current-snapshot-id":-1`)
		}},
	} {
		if err := opentables.WriteIceberg(t.Context(), enginetest.Writer(t), filepath.Join(root, name), table, ""); err != nil {
			t.Fatal(err)
		}
		c.do(name)
		src := open(t, root)
		rows, err := enginetest.Text(src.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: name}, Select: []string{"n"}}))
		var e *api.Error
		switch {
		case c.kind == "":
			if want := map[bool]string{true: "", false: "7"}[name == "fresh"]; err != nil || rows != want {
				t.Errorf("%s: %q, %v", name, rows, err)
			}
		case !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(err.Error(), c.word):
			t.Errorf("%s: %v, want it to be refused as %s for %q", name, err, c.kind, c.word)
		}
	}
}

// TestDamagedManifests holds that no change of a manifest is more than an error.
func TestDamagedManifests(t *testing.T) {
	root := t.TempDir()
	manyFiles(t, root, 1, 3)
	src, err := listed.NewRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"m0.avro", "list.avro"} {
		file := filepath.Join(root, "many", "metadata", name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(text); i += 3 {
			changed := slices.Clone(text)
			changed[i] = []byte{0, 0x7f, 0xff, text[i] + 1}[i%4]
			if err := os.WriteFile(file, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "list.avro" {
				_, err = readList(src, "many/metadata/"+name)
			} else {
				_, err = readManifest(src, "many/metadata/"+name, manifest{})
			}
			if err != nil && !isKnown(err) {
				t.Fatalf("%s, byte %d: %v", name, i, err)
			}
		}
	}
}

func sizeOf(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

func truncate(t *testing.T, file string) {
	t.Helper()
	if err := os.Truncate(file, sizeOf(t, file)-20); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
