package state

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// TestIndexesChangeOneAfterTheOther changes the index of one user at two servers.
func TestIndexesChangeOneAfterTheOther(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		servers := []*Store{at.open(t, c), at.open(t, c)}
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				err := servers[i%2].ChangeIndex(ctx, "7", "", func(version string, index []byte) (string, []byte, error) {
					return fmt.Sprint("v", i), append(index, 'x'), nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		version, index, err := servers[0].Index(ctx, "7", "")
		if err != nil || len(index) != 20 {
			t.Fatalf("%s: %s, %v", version, index, err)
		}
		if same, index, err := servers[1].Index(ctx, "7", version); err != nil || same != version || index != nil {
			t.Errorf("at the known version: %s, %s, %v", same, index, err)
		}
		owners := []string{"7"}
		for i := range 1500 {
			owners = append(owners, fmt.Sprint("none", i))
		}
		for _, some := range [][]string{owners, owners[:1], owners[1:4]} {
			want := map[string]string{"7": version}
			if some[0] != "7" {
				want = map[string]string{}
			}
			if all, err := servers[1].IndexVersions(ctx, some); err != nil || !maps.Equal(all, want) {
				t.Errorf("the versions of %d owners: %v, %v", len(some), all, err)
			}
		}
		if version, index, err := servers[1].Index(ctx, "8", "x"); err != nil || version != "" || index != nil {
			t.Errorf("of another user: %s, %s, %v", version, index, err)
		}
	})
}

// TestOneServerAddsToAConversation: another one does when the first has been gone for long
// enough, and then the first cannot any more.
func TestOneServerAddsToAConversation(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		one, two := at.open(t, c), at.open(t, c)
		newUser(t, one)
		owner, err := one.Folder(ctx, "ann")
		if err != nil {
			t.Fatal(err)
		}
		hold := func(s *Store, holder string, create bool) error {
			return s.HoldConversation(ctx, owner, "c", holder, create, time.Minute)
		}
		add := func(s *Store, holder string, size int64, text string) bool {
			t.Helper()
			done, err := s.AppendConversation(ctx, owner, "c", holder, size, []byte(text))
			if err != nil {
				t.Error(err)
			}
			return done
		}
		if err := hold(one, "h1", false); !api.CodeSnapshotBusy.Is(err) {
			t.Errorf("one that is not there: %v", err)
		}
		if err := hold(one, "h1", true); err != nil {
			t.Fatal(err)
		}
		if !add(one, "h1", 0, "first\n") || add(two, "h2", 6, "x\n") || add(one, "h1", 0, "x\n") {
			t.Error("it was added by who may not, or where it was not to be")
		}
		if err := hold(two, "h2", false); !api.CodeSnapshotBusy.Is(err) {
			t.Errorf("while another holds it: %v", err)
		}
		c.add(2 * time.Minute)
		if err := hold(two, "h2", false); err != nil || add(one, "h1", 6, "x\n") || !add(two, "h2", 6, "second\n") {
			t.Errorf("when its holder was killed: %v", err)
		}
		if err := two.ReleaseConversation(ctx, owner, "c", "h2"); err != nil || hold(one, "h3", false) != nil {
			t.Errorf("when its holder has ended: %v", err)
		}
		text := ""
		err = one.ConversationLog(ctx, owner, "c", 8, func(at int64, part []byte) error {
			text += fmt.Sprint(at, string(part))
			return nil
		})
		if sizes, sizesErr := two.Conversations(ctx, owner); err != nil || sizesErr != nil || text != "6second\n" || sizes["c"] != 13 {
			t.Errorf("%q, %v: %v, %v", text, sizes, err, sizesErr)
		}
		if err := one.DeleteUser(ctx, "ann"); err != nil {
			t.Fatal(err)
		}
		if sizes, err := two.Conversations(ctx, owner); err != nil || len(sizes) > 0 || add(one, "h3", 13, "x\n") {
			t.Errorf("of a user who was deleted: %v, %v", sizes, err)
		}
	})
}

// TestWhatTheModelCostsIsOneSum holds what two servers spend of one bound.
func TestWhatTheModelCostsIsOneSum(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		servers := []*Store{at.open(t, c), at.open(t, c)}
		var held atomic.Int64
		var all sync.WaitGroup
		for i := range 30 {
			all.Go(func() {
				done, err := servers[i%2].ChangeModelCost(ctx, "f", func(_ string, cost int64) (int64, bool) {
					return cost + 10, cost < 100
				})
				if err != nil {
					t.Error(err)
				}
				if done {
					held.Add(10)
				}
			})
		}
		all.Wait()
		if _, cost, err := servers[0].ModelCost(ctx, "f"); err != nil || cost != 100 || held.Load() != 100 {
			t.Errorf("%d were held, written down are %d, %v", held.Load(), cost, err)
		}
		c.add(24 * time.Hour)
		if _, cost, err := servers[1].ModelCost(ctx, "f"); err != nil || cost != 0 {
			t.Errorf("on the next day: %d, %v", cost, err)
		}
	})
}

// TestAStateHasAnIDOfItsOwn, which all who use it find, whenever.
func TestAStateHasAnIDOfItsOwn(t *testing.T) {
	ids := map[string]bool{}
	onBoth(t, func(t *testing.T, at place) {
		id := at.open(t, newClock()).ID()
		if again := at.open(t, newClock()).ID(); len(id) != 16 || again != id || ids[id] {
			t.Errorf("%q and %q", id, again)
		}
		ids[id] = true
	})
}
