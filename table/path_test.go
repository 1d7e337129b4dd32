package table

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestFilesOfTheKernelAreNoData refuses the environment of this process, with
// and without a root, by its path and by a link to it.
func TestFilesOfTheKernelAreNoData(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("there is no /proc here")
	}
	plain, dir := newTables(t)
	if err := os.Symlink("/proc/self/environ", filepath.Join(dir, "link.csv")); err != nil {
		t.Fatal(err)
	}
	rooted, err := New(Config{Dir: filepath.Join(dir, "cache"), Root: "/"})
	if err != nil {
		t.Fatal(err)
	}
	defer rooted.Close()
	for name, ts := range map[string]*Tables{"plain": plain, "rooted": rooted} {
		for _, path := range []string{"/proc/self/environ", filepath.Join(dir, "link.csv"), "/proc/version"} {
			_, err := ts.Rows(context.Background(), RowsRequest{Source: Source{Path: path}, RowStart: 1, RowCount: 1})
			if !api.CodeReadFailed.Is(err) || !strings.Contains(err.Error(), "of the kernel") {
				t.Errorf("%s, %s: %v", name, path, err)
			}
		}
	}
}

// TestWhatIsKeptIsTheUsers whatever the umask is.
func TestWhatIsKeptIsTheUsers(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	ts, dir := newTables(t)
	write(t, dir, "a.csv", sales)
	write(t, dir, "a.json", `[{"a":1}]`)
	for _, path := range []string{"a.csv", "a.json"} {
		if _, err := ts.Stats(context.Background(), StatsRequest{Source: Source{Path: path}}); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(filepath.Join(dir, "cache"), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
