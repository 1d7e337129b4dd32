package worker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agnes-data/da/api"
)

// TestNoOwnerKeepsTheOthersOut lets one owner ask for more than there is, again and
// again.
func TestNoOwnerKeepsTheOthersOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(4)
		got := make(chan string, 100)
		asked := 0
		ask := func(owner string) {
			asked++
			hold := time.Minute + time.Duration(asked)*time.Second // so that places come back one by one
			go func() {
				give, err := p.take(For(t.Context(), owner))
				if err != nil {
					t.Error(err)
					return
				}
				got <- owner
				<-time.After(hold) // of the bubble's clock
				give()
			}()
			synctest.Wait()
		}
		for range 9 {
			ask("mal")
		}
		ask("mel")
		ask("ann") // no place is left
		ask("bob")
		<-time.After(time.Hour)
		close(got)
		var order []string
		for owner := range got {
			order = append(order, owner)
		}
		if want := "mal mal mal mel"; strings.Join(order[:4], " ") != want {
			t.Errorf("the places went to %q, want %s first", order, want)
		}
		if next := strings.Join(order[4:6], " "); next != "ann bob" {
			t.Errorf("the next places went to %s", next)
		}
		if len(order) != 12 || len(p.owners)+len(p.waiting)+p.taken != 0 {
			t.Errorf("%d got a place; left are %v, %d wait, %d taken", len(order), p.owners, len(p.waiting), p.taken)
		}
	})
}

// ask takes a place for a minute, some times one after the other, and notes each time
// who had it. It returns when the first place is there or waited for.
func ask(t *testing.T, p *admission, order *[]string, owner string, times int) {
	go func() {
		for range times {
			give, err := p.take(For(t.Context(), owner))
			if err != nil {
				t.Error(err)
				return
			}
			*order = append(*order, owner)
			<-time.After(time.Minute)
			give()
		}
	}()
	synctest.Wait()
}

func TestOwnersTakeTurnsForASinglePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(1)
		var order []string
		for _, owner := range []string{"mal", "mal", "mal", "", "ann"} {
			ask(t, p, &order, owner, 1)
		}
		<-time.After(time.Hour)
		if got := strings.Join(order, " "); got != "mal  ann mal mal" {
			t.Errorf("the place went to %q", got)
		}
	})
}

// TestWhoAsksAgainComesLater has owners who ask for the next place when they have had
// one, and one who asks once.
func TestWhoAsksAgainComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(1)
		var order []string
		for _, owner := range []string{"mal", "mel", "mil"} {
			ask(t, p, &order, owner, 9)
		}
		<-time.After(210 * time.Second)
		ask(t, p, &order, "ann", 1)
		<-time.After(time.Hour)
		if got := strings.Join(order[:6], " "); got != "mal mel mil mal ann mel" {
			t.Errorf("the place went to %q", got)
		}
	})
}

func TestWhoLeavesTakesNoPlace(t *testing.T) {
	p := newPlaces(1)
	give, err := p.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(For(t.Context(), "ann"))
	cancel()
	if _, err := p.take(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("who has left: %v", err)
	}
	give()
	if p.taken != 0 || len(p.owners) != 0 || len(p.waiting) != 0 {
		t.Errorf("%d taken, %v left, %d wait", p.taken, p.owners, len(p.waiting))
	}
}

// TestWaitingIsNotRunning has a job that waits for longer than it may run.
func TestWaitingIsNotRunning(t *testing.T) {
	p := pool(1)
	r, err := p.Run(t.Context(), Job{SQL: endless})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	_, err = p.Run(t.Context(), Job{SQL: "SELECT 1", Wait: time.Nanosecond, Time: time.Hour})
	if !errors.Is(err, &api.Error{Code: api.CodeUnavailable, Kind: "busy"}) {
		t.Errorf("no room: %v", err)
	}
}

func TestAJobEndsWithItsTime(t *testing.T) {
	_, err := pool(1).Run(t.Context(), Job{SQL: "SELECT 1", Time: time.Nanosecond})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
