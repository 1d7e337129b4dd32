package cli

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

// fetchKilled runs a fetch and kills it once so many bytes have passed the strait
// and some of them lie on the disk: what is in between is the system's.
func (p *place) fetchKilled(s *strait, at int64, args ...string) {
	p.t.Helper()
	cmd := p.command(args...)
	started := make(chan struct{})
	was := p.partialBytes()
	var once sync.Once
	s.set(func(passed int64) {
		if passed >= at && p.partialBytes() != was {
			once.Do(func() {
				<-started
				_ = cmd.Process.Kill()
			})
		}
	}, nil)
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	close(started)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != -1 {
		p.t.Fatalf("the fetch was not killed: %v", err)
	}
	s.set(nil, nil)
}

// scansOf counts the scans of a table that delivered rows.
func (p *place) scansOf(table string) (n int) {
	p.t.Helper()
	var answer struct{ Events []api.AuditEvent }
	text := p.ok("admin", "audit", "--table", table, "--json")
	if json.Unmarshal([]byte(text), &answer.Events) != nil {
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			p.t.Fatalf("%v: %s", err, text)
		}
	}
	for _, e := range answer.Events {
		if e.EventType == api.EventScan && e.Data.ResultRows != nil && *e.Data.ResultRows > 0 {
			n++
		}
	}
	return n
}

// hashOf returns the content hash of a snapshot.
func (p *place) hashOf(name string) string {
	p.t.Helper()
	var m snapshot.Meta
	text, err := os.ReadFile(filepath.Join(p.dir, "home", "snapshots", name+".meta.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return m.ContentHash
}

// partialBytes is the size of what fetches have left.
func (p *place) partialBytes() (n int64) {
	for _, file := range p.partials() {
		if info, err := os.Stat(file); err == nil {
			n += info.Size()
		}
	}
	return n
}

func (p *place) partials() []string {
	left, _ := filepath.Glob(filepath.Join(p.dir, "home", "snapshots", ".partial", "*"))
	return left
}

// TestAFetchThatIsKilledGoesOn kills a fetch several times: the last one brings
// only what was missing, of the one scan that ran.
func TestAFetchThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	p := localPlace(t, 20).served()
	s := straitTo(t, p.get("DA_SERVER"))
	p = p.with("DA_SERVER=" + s.URL)
	fetch := []string{"fetch", "big", "--as", "got", "--no-estimate"}
	const kills = 3
	for range kills {
		p.fetchKilled(s, s.passed.Load()+5_000_000, fetch...)
	}
	if len(p.partials()) != 2 || p.scansOf("big") > 1 {
		t.Fatalf("left %v, %d scans", p.partials(), p.scansOf("big"))
	}
	before := s.passed.Load()
	o := p.run(fetch...)
	if o.code != 0 || !strings.Contains(o.stderr, "going on after the ") {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	rest := s.passed.Load() - before
	if n := p.scansOf("big"); n != 1 || len(p.partials()) != 0 {
		t.Errorf("%d scans ran, %v is left", n, p.partials())
	}
	if kept, _ := filepath.Glob(filepath.Join(p.dir, "state", "kept", "*", "*")); len(kept) > 0 {
		t.Errorf("the server keeps %v", kept)
	}
	p.ok("fetch", "big", "--as", "whole", "--no-estimate", "--fresh")
	if p.hashOf("got") != p.hashOf("whole") {
		t.Error("what was fetched in parts differs from what was fetched at once")
	}
	if info, err := os.Stat(oneFile(t, filepath.Join(p.dir, "home", "snapshots", "got-*.parquet"))); err != nil || rest >= info.Size() {
		t.Errorf("the last fetch brought %d bytes of %v, %v", rest, info, err)
	}
	// What is asked for freshly begins anew, and a snapshot that has the rows
	// leaves nothing to go on with.
	for _, again := range [][]string{{"--fresh"}, {"--where", "i < 700000"}} {
		p.fetchKilled(s, s.passed.Load()+5_000_000, "fetch", "big", "--as", "next", "--no-estimate", "--fresh", "--force")
		o := p.run(append([]string{"fetch", "big", "--as", "next", "--no-estimate", "--force"}, again...)...)
		if o.code != 0 || strings.Contains(o.stderr, "going on") || len(p.partials()) != 0 {
			t.Errorf("%v: exit %d: %s, left %v", again, o.code, o.stderr, p.partials())
		}
	}
}

// TestAFetchWhoseServerIsKilledBeginsAnew: the next server does not have the rest,
// and clears away what the killed one kept. What comes is of one scan.
func TestAFetchWhoseServerIsKilledBeginsAnew(t *testing.T) {
	t.Parallel()
	base := localPlace(t, 20)
	server, p := base.server()
	s := straitTo(t, p.get("DA_SERVER"))
	p = p.with("DA_SERVER=" + s.URL)
	fetch := []string{"fetch", "big", "--as", "got", "--no-estimate"}
	p.fetchKilled(s, 5_000_000, fetch...)
	killNow(t, server)
	if kept, _ := filepath.Glob(filepath.Join(p.dir, "state", "kept", "*")); len(kept) == 0 {
		t.Fatal("the killed server left nothing")
	}
	// The table changes, too: rows of both would be a lie.
	base.writeBig(20, 7)
	_, next := base.server()
	target, err := url.Parse(next.get("DA_SERVER"))
	if err != nil {
		t.Fatal(err)
	}
	*s.target = *target
	if o := p.run(fetch...); o.code != 0 || strings.Contains(o.stderr, "going on") {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	p.ok("fetch", "big", "--as", "whole", "--no-estimate", "--fresh")
	if p.hashOf("got") != p.hashOf("whole") || len(p.partials()) != 0 {
		t.Errorf("it differs from what the table holds now; left %v", p.partials())
	}
	if kept, _ := filepath.Glob(filepath.Join(p.dir, "state", "kept", "*", "*")); len(kept) > 0 {
		t.Errorf("%v is left", kept)
	}
}

// killNow kills a process as kill -9 does.
func killNow(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
}
