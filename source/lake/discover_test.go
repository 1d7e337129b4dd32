package lake

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// locked is a folder tree in which one folder may not be read. The tests may
// run as a user for whom no permission is missing.
type locked struct {
	fstest.MapFS
	name string
}

func (l locked) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == l.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.MapFS.ReadDir(name)
}

func TestDiscoverPassesOverWhatItMayNotRead(t *testing.T) {
	tree := fstest.MapFS{"a.csv": {}, "in/x.csv": {}, "shut/y.csv": {}, "z.csv": {}}
	tables, skipped, err := discover(locked{tree, "shut"})
	if err != nil || len(tables) != 3 {
		t.Errorf("tables %v, %v", tables, err)
	}
	if len(skipped) != 1 || skipped[0].Path != "shut" || skipped[0].Reason != "it cannot be read: permission denied" {
		t.Errorf("left out %v", skipped)
	}
	if _, _, err = discover(locked{tree, "."}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("an unreadable folder: %v", err)
	}
}

func TestDiscoverNamesTheFolder(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nope")
	_, _, err := Discover(t.Context(), missing)
	if !api.CodeReadFailed.Is(err) || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "'"+missing+"'") ||
		strings.Contains(err.Error(), "stat .") {
		t.Errorf("a missing folder: %v", err)
	}
}

// TestTableIDs makes ids that can be read and told apart of names in any
// alphabet.
func TestTableIDs(t *testing.T) {
	for name, want := range map[string]string{
		"My Airports": "my_airports", "Ünï": "uni", "Straße": "strasse", "Ærø łódź": "aero_lodz", "日本": "ri_ben", "中国": "zhong_guo", "Москва 2024": "moskva_2024", "Ελλάδα": "ellada",
		"２０２４": "2024", "...": "table", strings.Repeat("ü", 100): strings.Repeat("u", api.MaxName),
	} {
		if got := tableID(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestDiscoverJSON offers JSON that has rows, and says of other JSON how to have
// it.
func TestDiscoverJSON(t *testing.T) {
	f := newFolder(t)
	for name, text := range map[string]string{
		"rows.json": `[{"a":1}]`, "map.geojson": `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1},"geometry":null}]}`,
		"settings.json": `{"a":{"b":1}, "items":[{"a":1},{"a":2}]}`, "numbers.json": "[1, 2]", "words.json": "hello\n", "empty.jsonl": "", "empty.csv": "", "report.txt": "a  b\n1  2\n",
		"days/1.json": `[{"a":1}]`, "days/2.json": `{"a":2}`, "odd/data.json": `[{"a":1}]`, "odd/package.json": "[1]",
		"tool/package.json": "{\n \"name\": \"tool\",\n \"files\": [{\"a\": 1}]\n}\n", "spread.json": "{\n \"a\": 1\n}\n{\n \"a\": 2\n}\n",
		"both/package.json": "{\n \"name\": \"tool\"\n}\n", "both/settings.json": "{\n \"name\": \"tool\"\n}\n",
	} {
		f.write(t, name, text)
	}
	tables, skipped, err := Discover(t.Context(), f.dir)
	if err != nil {
		t.Fatal(err)
	}
	var offered []string
	for _, table := range tables {
		offered = append(offered, table.Path)
		if _, err := f.lake.Schema(t.Context(), source.Relation{Name: table.Path}); err != nil {
			t.Errorf("%s: %v", table.Path, err)
		}
	}
	if got := strings.Join(offered, " "); got != "odd/data.json days/*.json map.geojson rows.json spread.json" {
		t.Errorf("offered: %s", got)
	}
	said := ""
	for _, s := range skipped {
		said += s.Path + ": " + s.Reason + "\n"
		if ways := len(s.Next); s.Path == "report.txt" && ways != 2 || s.Reason == "it is empty" && ways != 0 {
			t.Errorf("%s: other ways to read it: %v", s.Path, s.Next)
		}
	}
	const one = "it holds no rows: line 1: the file is one object, and no list of objects"
	for _, want := range []string{"empty.jsonl: it is empty\n", "empty.csv: it is empty\n", "tool/package.json: " + one, "both/package.json: " + one, "both/settings.json: " + one, "settings.json: " + one, "numbers.json: it holds no rows: line 1: row 1 is a number", "words.json: it holds no rows: line 1: row 1 is a number or a word, not an object", "odd/package.json: it holds no rows", "odd/*.json: it is not one table"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
}
