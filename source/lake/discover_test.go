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
		"My Airports": "my_airports", "Ünï": "uni", "Straße": "strasse", "Ærø łódź": "aero_lodz", "日本": "u65e5_u672c", "中国": "u4e2d_u56fd",
		"２０２４": "2024", "...": "table", strings.Repeat("ü", 100): strings.Repeat("u", maxID),
	} {
		if got := tableID(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
