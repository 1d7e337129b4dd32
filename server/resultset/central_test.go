package resultset

import (
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/server/blob"
)

// TestAResultIsTakenOnce by those who ask for it at another server, at the same time.
func TestAResultIsTakenOnce(t *testing.T) {
	blobs := blob.InFolder(t.TempDir())
	one, two := newTest(t, Usual), newTest(t, Usual)
	one.Share(blobs)
	two.Share(blobs)
	set := keep(t, one, "SELECT range AS n FROM range(100000)")
	var all sync.WaitGroup
	var taken [8]*Set
	for i := range taken {
		all.Go(func() {
			if _, err := two.Find(set.ID, Owner{User: "eve", Access: "all"}); err == nil {
				t.Error("somebody else has it")
			}
			var err error
			if taken[i], err = two.Find(set.ID, ann); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, other := range taken {
		if other != taken[0] || other == nil {
			t.Fatalf("%p and %p", other, taken[0])
		}
	}
	if two.made != 1 {
		t.Errorf("copied %d times", two.made)
	}
}

// TestWhatIsNotKeptIsNotShared: neither for want of room nor for want of interest. A copy goes
// without what it was made of.
func TestWhatIsNotKeptIsNotShared(t *testing.T) {
	c := struct{ time.Time }{time.Now()}
	blobs := blob.InFolder(t.TempDir())
	few := Usual
	few.Own = 1
	one, two := newTest(t, few), newTest(t, few)
	one.now = func() time.Time { return c.Time }
	one.Share(blobs)
	two.Share(blobs)
	there := func(id string, want bool) {
		t.Helper()
		s := newTest(t, Usual)
		s.Share(blobs)
		if _, err := s.Find(id, ann); (err == nil) != want {
			t.Errorf("another server finds it: %v", err)
		}
	}
	first := keep(t, one, "SELECT 1 AS n")
	if _, err := two.Find(first.ID, ann); err != nil {
		t.Fatal(err)
	}
	keep(t, two, "SELECT 2 AS n") // instead of the copy
	there(first.ID, true)
	second := keep(t, one, "SELECT 3 AS n")
	there(first.ID, false)
	there(second.ID, true)
	c.Time = c.Add(2 * few.For)
	one.endAll(one.overdue())
	there(second.ID, false)
}
