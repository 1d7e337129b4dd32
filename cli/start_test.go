package cli

import (
	"fmt"
	"strings"
	"testing"
)

// maxAtStart is how many bytes a package of ours may allocate before main: every
// command pays for it, and the larger tables and patterns can wait for their
// first use.
const maxAtStart = 160 << 10

// TestAStartIsCheap reads what each package allocates before main. That, unlike
// its time, is the same on every machine.
func TestAStartIsCheap(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	started := p.with("GODEBUG=inittrace=1").run("version")
	seen := 0
	for line := range strings.Lines(started.stderr) {
		var name, at, unit, clock string
		var took float64
		var bytes int
		if _, err := fmt.Sscanf(line, "init %s %s %s %f ms %s %d bytes", &name, &at, &unit, &took, &clock, &bytes); err != nil {
			continue
		}
		name, ours := strings.CutPrefix(name, "github.com/agnes-data/da/")
		if !ours {
			continue
		}
		seen++
		if bytes > maxAtStart {
			t.Errorf("%s allocates %d bytes before main, want at most %d: sync.OnceValue and lazyregexp put off what few commands need", name, bytes, maxAtStart)
		}
	}
	if seen < 10 {
		t.Errorf("found only %d packages of ours in what the runtime says:\n%s", seen, started.stderr)
	}
}
