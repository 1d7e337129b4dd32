package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCrashAfterEachStep kills da after each thing that an install, a refresh
// or a drop does on disk. The next commands see the old snapshot or the new
// one, and nothing else is left.
func TestCrashAfterEachStep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		args     []string
		old, new string // count(*) before and after; empty: no snapshot
	}{
		{"install", []string{"fetch", "airports", "--as", "s", "--no-estimate"}, "", "3"},
		{"overwrite", []string{"fetch", "airports", "--as", "s", "--no-estimate", "--where", "iata <> 'SEA'", "--force"}, "3", "2"},
		{"refresh", []string{"snapshot", "refresh", "s", "--where", "iata <> 'SEA'"}, "3", "2"},
		{"drop", []string{"snapshot", "drop", "s"}, "3", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := newPlace(t)
			if c.old != "" {
				before.ok("fetch", "airports", "--as", "s")
			}
			steps := before.copied().steps(c.args)
			if len(steps) < 4 {
				t.Fatalf("only the steps %v", steps)
			}
			// The next process does not see what was only read, or written to the disk for good.
			invisible := []string{"record-read", "loaded", "data-synced", "record-synced", "removal-synced"}
			steps = slices.Concat(steps[:1], slices.DeleteFunc(steps[1:], func(step string) bool { return slices.Contains(invisible, step) }))
			var sawOld, sawNew bool
			for _, step := range steps {
				p := before.copied()
				if o := p.with(envKillAt + "=" + step).run(c.args...); o.code != -1 {
					t.Fatalf("%s: not killed, exit %d\n%s", step, o.code, o.stderr)
				}
				switch got := p.state(); got {
				case c.old:
					sawOld = true
				case c.new:
					sawNew = true
				default:
					t.Errorf("%s: the snapshot has %q rows", step, got)
				}
				// And the same command works now, whatever the crash left.
				if o := p.run(c.args...); o.code != 0 && o.code != 6 && o.code != 2 {
					t.Errorf("%s: then exit %d\n%s", step, o.code, o.stderr)
				}
				if got, _ := p.rows(); got != c.new && c.name != "refresh" {
					t.Errorf("%s: then the snapshot has %q rows", step, got)
				}
			}
			// The very first step of a drop is its commit.
			if !sawOld && c.name != "drop" || !sawNew {
				t.Errorf("the kills were not on both sides of the commit: old %v, new %v", sawOld, sawNew)
			}
		})
	}
}

// copied is a second place with the snapshots and the instance of the first.
func (p *place) copied() *place {
	p.t.Helper()
	to := newPlace(p.t).with("DA_INSTANCE=" + filepath.Join(p.dir, "instance.yaml"))
	if _, err := os.Stat(filepath.Join(p.dir, "home")); err != nil {
		return to
	}
	if out, err := exec.Command("cp", "-a", filepath.Join(p.dir, "home"), to.dir).CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	return to
}

// steps lists the steps that a command makes on disk.
func (p *place) steps(args []string) []string {
	p.t.Helper()
	file := filepath.Join(p.dir, "steps")
	p.with(envSteps + "=" + file).ok(args...)
	text, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	return slices.Compact(strings.Fields(string(text)))
}

// state asks the commands that a user would: the number of rows of snapshot s,
// empty if there is none. It wants list and query to agree, and no leftovers.
func (p *place) state() string {
	p.t.Helper()
	listed := strings.Contains(p.ok("snapshot", "list", "--json"), `"name":"s"`)
	rows, code := p.rows()
	if listed != (code == 0) {
		p.t.Errorf("listed is %v, but the query ends with %d", listed, code)
	}
	want := []string{}
	if listed {
		want = whole("s")
	}
	if files := p.files(); !slices.Equal(files, want) {
		p.t.Errorf("left behind: %v, want %v", files, want)
	}
	return rows
}

// rows counts those of snapshot s, and gives the exit code of the query.
func (p *place) rows() (n string, code int) {
	p.t.Helper()
	o := p.run("query", "SELECT count(*) AS n FROM s", "-o", "csv")
	return strings.TrimSpace(strings.TrimPrefix(o.stdout, "n\n")), o.code
}
