package snapshot

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

func TestAnExistingNameIsRefusedBeforeAnything(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home, at(day0.Add(50*time.Hour)))
	mustPut(t, s, "cz_recent", "x", func(m *Meta) { m.Rows = 245832 })
	_, err := s.Claim("cz_recent", false)
	e := asCode(t, err, api.CodeSnapshotExists)
	if want := "snapshot 'cz_recent' already exists (fetched 2 days ago, 245k rows)"; e.Message != want {
		t.Errorf("message %q, want %q", e.Message, want)
	}
	want := []api.Step{api.Set(api.OptionForce, "overwrite"), api.Do(api.ActionRefresh, "update in place", "name", "cz_recent")}
	if !reflect.DeepEqual(e.Next, want) {
		t.Errorf("next %v, want %v", e.Next, want)
	}
	if e.Details["rows"] != int64(245832) || e.Details["fetched_at"] != day0 {
		t.Errorf("details %v", e.Details)
	}
	wantTree(t, home, holding([]string{"cz_recent"}))
}

func TestABusyNameNamesItsHolder(t *testing.T) {
	home := t.TempDir()
	holder := mustOpen(t, home, at(day0))
	c, err := holder.Claim("a", false)
	if err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, home, at(day0.Add(90*time.Second)))
	_, claimErr := s.Claim("a", true)
	_, dropErr := s.Drop("a", nil)
	for _, err := range []error{claimErr, dropErr} {
		e := asCode(t, err, api.CodeSnapshotBusy)
		if !strings.Contains(e.Message, "1 minute ago") || e.Details["pid"] != os.Getpid() || e.Hint == "" {
			t.Errorf("%+v: want process and time", e)
		}
	}
	// What the file says only helps the message.
	if err := os.WriteFile(s.files.Path(store.NamesDir+"/a"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = s.Claim("a", true)
	wantCode(t, err, api.CodeSnapshotBusy)
	c.Release()
	if c, err = s.Claim("a", false); err != nil {
		t.Fatal("a released name is still busy:", err)
	}
	c.Release()
	wantTree(t, home, holding(nil))
}

// TestWhoIsTurnedAwayDoesNotTurnAwayOthers tries a name that exists, again and
// again, while it is refreshed: a claim that fails must not be in the way of
// one that may have the name.
func TestWhoIsTurnedAwayDoesNotTurnAwayOthers(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustPut(t, s, "a", "x")
	stop, turned := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(turned)
		other := *s
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := other.Claim("a", false); !errors.Is(err, &api.Error{Code: api.CodeSnapshotExists}) {
				turned <- err
				return
			}
			other.sweep()
		}
	}()
	for range 300 {
		c, err := s.ClaimExisting("a")
		if err != nil {
			t.Fatal(err)
		}
		c.Release()
	}
	close(stop)
	if err := <-turned; err != nil {
		t.Errorf("the other got %v, want that the name exists", err)
	}
}

func TestPlainWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 0: "just now", time.Second: "1 second ago", 59 * time.Second: "59 seconds ago",
		61 * time.Minute: "1 hour ago", 23 * time.Hour: "23 hours ago", 24 * time.Hour: "1 day ago", 49 * time.Hour: "2 days ago",
	} {
		if got := ago(d); got != want {
			t.Errorf("ago(%v) = %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{
		0: "0 rows", 1: "1 row", 999: "999 rows", 1000: "1k rows", 9999: "9.9k rows", 245832: "245k rows",
		999_999: "999k rows", 1_250_000: "1.2M rows", 12_000_000_000: "12G rows",
	} {
		if got := rows(n); got != want {
			t.Errorf("rows(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestOneAtATimeHoldsAName(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	var holders, wins atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				c, err := s.Claim("a", false)
				if err != nil {
					if !api.CodeSnapshotBusy.Is(err) {
						t.Error(err)
					}
					continue
				}
				if n := holders.Add(1); n > 1 {
					t.Errorf("%d hold the name", n)
				}
				wins.Add(1)
				if err := fill(c.Temp(), "x"); err != nil { // takes a while
					t.Error(err)
				}
				holders.Add(-1)
				c.Release()
			}
		})
	}
	wg.Wait()
	if wins.Load() == 0 {
		t.Error("nobody ever got the name")
	}
}
