package cli

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// crowd is how many processes run against each other.
const crowd = 16

// TestOneNameManyFetches starts many fetches of one name at once: one wins,
// the others end with 6 and ask the server for nothing.
func TestOneNameManyFetches(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var scans atomic.Int64
	client := proxied(t, p, func(r *http.Response) error {
		if strings.HasSuffix(r.Request.URL.Path, "/scan") {
			scans.Add(1)
		}
		return nil
	})
	for _, from := range []struct {
		name  string
		place *place
	}{{"embedded", p}, {"http", client}} {
		var won, lost atomic.Int64
		each(crowd, func(int) {
			switch o := from.place.run("fetch", "flights", "--as", from.name, "--no-estimate"); o.code {
			case 0:
				won.Add(1)
			case 6:
				lost.Add(1)
			default:
				t.Errorf("%s: exit %d\n%s", from.name, o.code, o.stderr)
			}
		})
		if won.Load() != 1 || lost.Load() != crowd-1 {
			t.Errorf("%s: %d won, %d lost", from.name, won.Load(), lost.Load())
		}
	}
	if scans.Load() != 1 {
		t.Errorf("the server ran %d scans", scans.Load())
	}
}

// TestManyNames fetches many names at once, while queries, lists, refreshes
// and drops of others run all the time: no command fails because of another.
func TestManyNames(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("fetch", "flights", "--as", "shared")
	var others sync.WaitGroup
	stop := make(chan struct{})
	repeat := func(body func()) {
		others.Add(1)
		go func() {
			defer others.Done()
			for {
				body()
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
	}
	must := func(args ...string) {
		if o := p.run(args...); o.code != 0 {
			t.Errorf("da %v: exit %d\n%s", args, o.code, o.stderr)
		}
	}
	repeat(func() { must("query", "SELECT count(*) FROM shared") })
	repeat(func() { must("snapshot", "list") })
	repeat(func() { must("snapshot", "refresh", "shared") })
	repeat(func() {
		must("fetch", "airports", "--as", "passing", "--no-estimate")
		must("snapshot", "drop", "passing")
	})
	each(crowd, func(i int) {
		must("fetch", "flights", "--where", fmt.Sprintf("delay > %d", i), "--as", fmt.Sprintf("n%d", i), "--no-estimate")
	})
	close(stop)
	others.Wait()
	var counts []string
	for i := range crowd {
		counts = append(counts, fmt.Sprintf("SELECT count(*) FROM n%d", i))
	}
	must("query", strings.Join(counts, " UNION ALL "))
}

// each runs body n times at once and waits for all.
func each(n int, body func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		go func() {
			defer all.Done()
			body(i)
		}()
	}
	all.Wait()
}
