package snapshot

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// pruneStore has snapshots of 100, 200 … bytes of content that were fetched 1,
// 2 … days before now; "d1" to "d5".
func pruneStore(t *testing.T) (s *Store, home string) {
	home = t.TempDir()
	s = mustOpen(t, home, at(day0))
	for i := 1; i <= 5; i++ {
		mustPut(t, s, "d"+string(rune('0'+i)), strings.Repeat("x", 100*i-12), func(m *Meta) {
			m.FetchedAt = day0.Add(-time.Duration(i) * 24 * time.Hour)
		})
	}
	return s, home
}

const day = 24 * time.Hour

func TestPruneTakesWhatThePolicySays(t *testing.T) {
	cases := []struct {
		name   string
		policy PrunePolicy
		want   []Pruned
	}{
		{"older", PrunePolicy{OlderThan: 4 * day}, []Pruned{{"d4", 400, ReasonOlder}, {"d5", 500, ReasonOlder}}},
		{"larger", PrunePolicy{LargerThan: 400}, []Pruned{{"d5", 500, ReasonLarger}}},
		{"both", PrunePolicy{OlderThan: 2 * day, LargerThan: 300}, []Pruned{{"d4", 400, ReasonBoth}, {"d5", 500, ReasonBoth}}},
		{"nothing", PrunePolicy{OlderThan: 100 * day}, []Pruned{}},
		{"all", PrunePolicy{All: true}, []Pruned{
			{"d1", 100, ReasonAll}, {"d2", 200, ReasonAll}, {"d3", 300, ReasonAll}, {"d4", 400, ReasonAll}, {"d5", 500, ReasonAll},
		}},
		{"auto, enough room", PrunePolicy{Auto: true, Quota: 1500}, []Pruned{}},
		{"auto, stale first", PrunePolicy{Auto: true, Quota: 1000, StaleAfter: 5 * day}, []Pruned{{"d5", 500, ReasonStale}}},
		{"auto, then least used", PrunePolicy{Auto: true, Quota: 600, StaleAfter: 5 * day}, []Pruned{
			{"d5", 500, ReasonStale}, {"d3", 300, ReasonOverQuota}, {"d2", 200, ReasonOverQuota},
		}},
		{"auto, no room", PrunePolicy{Auto: true, Quota: 0}, []Pruned{
			{"d5", 500, ReasonOverQuota}, {"d3", 300, ReasonOverQuota}, {"d2", 200, ReasonOverQuota},
			{"d1", 100, ReasonOverQuota}, {"d4", 400, ReasonOverQuota},
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, home := pruneStore(t)
			if _, err := read(s, "d4"); err != nil { // used now
				t.Fatal(err)
			}
			before := tree(t, home)
			dry, err := s.Prune(c.policy, true, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := tree(t, home); !reflect.DeepEqual(got, before) {
				t.Errorf("a dry run changed %v to %v", before, got)
			}
			calls := 0
			var live int
			done, err := s.Prune(c.policy, false, func(l []Meta) error { calls++; live = len(l); return nil })
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(done.Removed, c.want) {
				t.Errorf("removed %v, want %v", done.Removed, c.want)
			}
			dry.DryRun = false
			if !reflect.DeepEqual(dry, done) {
				t.Errorf("the dry run said %+v, but it was %+v", dry, done)
			}
			if n := map[bool]int{true: 1}[len(c.want) > 0]; calls != n || n > 0 && live != 5-len(c.want) {
				t.Errorf("after ran %d times, with %d; want %d", calls, live, n)
			}
			metas, err := s.List()
			if err != nil || len(metas) != 5-len(c.want) {
				t.Errorf("left %v, %v", metas, err)
			}
			var left int64
			for _, m := range metas {
				left += m.BytesLocal
			}
			if left != done.LeftBytes || left+done.FreedBytes != 1500 {
				t.Errorf("left %d, freed %d; want 1500 in all, %d left", done.LeftBytes, done.FreedBytes, left)
			}
		})
	}
}

func TestPruneWithoutAPredicateIsRefused(t *testing.T) {
	s, home := pruneStore(t)
	for _, p := range []PrunePolicy{
		{}, {Quota: 1}, {StaleAfter: day}, {OlderThan: -1}, {LargerThan: -1}, {All: true, OlderThan: day},
		{Auto: true, LargerThan: 1}, {All: true, Auto: true}, {Auto: true, Quota: -1},
	} {
		_, err := s.Prune(p, false, nil)
		if e := asCode(t, err, api.CodeUsage); len(e.Next) == 0 {
			t.Errorf("%+v: no next step", p)
		}
	}
	wantTree(t, home, holding([]string{"d1", "d2", "d3", "d4", "d5"}))
}

func TestPruneSkipsWhatIsBeingFetched(t *testing.T) {
	s, home := pruneStore(t)
	c, err := s.ClaimExisting("d2")
	if err != nil {
		t.Fatal(err)
	}
	for _, dryRun := range []bool{true, false} {
		r, err := s.Prune(PrunePolicy{All: true}, dryRun, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Removed) != 4 || !reflect.DeepEqual(r.Skipped, []Pruned{{"d2", 200, ReasonBusy}}) || r.LeftBytes != 200 {
			t.Errorf("%+v: want d2 skipped", r)
		}
	}
	c.Release()
	wantTree(t, home, holding([]string{"d2"}))
}

func TestPruneAllTakesDamagedOnes(t *testing.T) {
	s, home := pruneStore(t)
	mustWrite(t, s.files.RecordPath("d3"), "{")
	if err := os.Remove(s.files.LinkPath("d3")); err != nil {
		t.Fatal(err)
	}
	r, err := s.Prune(PrunePolicy{Auto: true, Quota: 0}, false, nil)
	if err != nil || len(r.Removed) != 4 {
		t.Errorf("auto removed %+v, %v; want what it knows", r, err)
	}
	if r, err = s.Prune(PrunePolicy{All: true}, false, nil); err != nil || len(r.Removed) != 1 {
		t.Errorf("all removed %+v, %v", r, err)
	}
	wantTree(t, home, holding(nil))
}
