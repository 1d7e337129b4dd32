package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSyncedTablesAreChecked: rows that break the checks of a synced table do not replace it.
func TestSyncedTablesAreChecked(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	instance := "sources:\n  files: { type: lake, root: ./data }\ntables:\n  - { id: cities, source: files, path: cities.csv, query_mode: local, public: true }\n"
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(instance), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(rows, scale int) {
		t.Helper()
		text := "name,people\n"
		for i := range rows {
			text += fmt.Sprintf("c%d,%d\n", i, scale*(i*37%50))
		}
		if err := os.WriteFile(filepath.Join(p.dir, "data", "cities.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(100, 1)
	c := p.served()
	count := func(want string) {
		t.Helper()
		if got := c.ok("query", "SELECT count(*), sum(people) FROM cities", "-o", "csv"); !strings.HasSuffix(got, want+"\n") {
			t.Errorf("cities are %q, and should be %s", got, want)
		}
	}
	sync := func(code int, said string, args ...string) {
		t.Helper()
		if o := c.run(append([]string{"sync"}, args...)...); o.code != code || !strings.Contains(o.stderr, said) {
			t.Errorf("sync %v: exit %d, and not %d with %q\n%s", args, o.code, code, said, o.stderr)
		}
	}
	sync(0, "1 table up to date")
	if learned := c.ok("check", "learn", "cities"); !strings.Contains(learned, "cities:") {
		t.Errorf("what was learned is not shown: %s", learned)
	}
	write(90, 1)
	sync(0, "1 table up to date")
	count("90,2235")
	write(90, 100) // another unit
	sync(10, "of cities")
	count("90,2235")
	if o := c.run("sync", "--json"); o.code != 10 || !strings.Contains(o.stderr, `"action":"learn"`) {
		t.Errorf("exit %d\n%s", o.code, o.stderr)
	}
	sync(0, "does not hold", "--accept-drift")
	count("90,223500")
	write(4, 100)
	c.ok("check", "learn", "cities", "--forget")
	sync(0, "1 table up to date")
	count("4,7200")
}
