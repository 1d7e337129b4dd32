package state

import (
	"errors"
	"sync"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestWhatPeopleKnow: what is kept is there for all who share the state, and changes
// whole and one after the other.
func TestWhatPeopleKnow(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		one, two := at.open(t, c), at.open(t, c)
		set := func(s *Store, name, owner, data string) error {
			return s.ChangeKnown(ctx, "note", name, func(*Known) (*Known, error) { return &Known{Owner: owner, Data: data}, nil })
		}
		for _, name := range []string{"b", "a", "ä"} {
			if err := set(one, name, "ann", `{"n": "`+name+`"}`); err != nil {
				t.Fatal(err)
			}
		}
		if err := set(two, "b", "bob", "{}"); err != nil {
			t.Fatal(err)
		}
		if err := two.ChangeKnown(ctx, "note", "a", func(*Known) (*Known, error) { return nil, nil }); err != nil {
			t.Fatal(err)
		}
		refused := errors.New("refused")
		err := one.ChangeKnown(ctx, "note", "b", func(old *Known) (*Known, error) { return nil, refused })
		if !errors.Is(err, refused) {
			t.Errorf("a change that is refused: %v", err)
		}
		list, err := one.Known(ctx, "note")
		if err != nil || len(list) != 2 || list[0] != (Known{"note", "b", "bob", "{}"}) || list[1].Owner != "ann" {
			t.Errorf("kept are %+v: %v", list, err)
		}
		if other, err := one.Known(ctx, "question"); err != nil || len(other) != 0 {
			t.Errorf("of another kind: %+v: %v", other, err)
		}

		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				s := []*Store{one, two}[i%2]
				err := s.ChangeKnown(ctx, "count", "n", func(old *Known) (*Known, error) {
					if old == nil {
						return &Known{Data: "x"}, nil
					}
					return &Known{Data: old.Data + "x"}, nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n, err := two.Known(ctx, "count"); err != nil || len(n) != 1 || len(n[0].Data) != 20 {
			t.Errorf("20 changes gave %+v: %v", n, err)
		}

		// Whoever gets a name later does not own what was kept under it.
		u, err := one.CreateUser(ctx, api.NewUser{Name: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := one.CreateGroup(ctx, api.NewGroup{Name: "curators"}); err != nil {
			t.Fatal(err)
		}
		if in, err := two.IsMember(ctx, u.ID, "curators"); in || err != nil {
			t.Errorf("nobody is in the group: %v, %v", in, err)
		}
		if err := one.AddMember(ctx, "curators", "ann"); err != nil {
			t.Fatal(err)
		}
		if in, err := two.IsMember(ctx, u.ID, "curators"); !in || err != nil {
			t.Errorf("ann is in the group: %v, %v", in, err)
		}
		if err := two.DeleteUser(ctx, "ann"); err != nil {
			t.Fatal(err)
		}
		if list, err = one.Known(ctx, "note"); err != nil || list[1].Owner != "" {
			t.Errorf("of a user who was deleted: %+v: %v", list, err)
		}
	})
}
