package snapshot

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Claim is the exclusive right to install a snapshot under a name, across all
// processes. A fetch or refresh holds it until Release. Its methods are called
// from one goroutine.
type Claim struct {
	s        *Store
	name     string
	existing *Meta
	renews   bool        // this is a refresh: keep the user's note and tags
	lock     *store.Lock // nil once released
	temp     *store.Owned
	// generation is that of the new data.
	generation string
	done       bool // the temporary file has been used
}

// Claim claims a name for a fetch. It fails before anything is scanned: with
// CodeSnapshotBusy if another process has the claim, with CodeSnapshotExists if
// the snapshot exists and force is not set.
func (s *Store) Claim(name string, force bool) (*Claim, error) {
	return s.claim(name, func(m *Meta) error {
		if m != nil && !force {
			return s.exists(*m)
		}
		return nil
	})
}

// ClaimExisting claims a name for a refresh. It returns CodeUnknownSnapshot if
// there is no such snapshot, and the snapshot's damage if its request cannot be
// read.
func (s *Store) ClaimExisting(name string) (*Claim, error) {
	c, err := s.claim(name, func(m *Meta) error {
		switch {
		case m == nil:
			return s.unknown(name)
		case !m.described():
			return m.Damage
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.renews = true
	return c, nil
}

func (s *Store) claim(name string, accept func(*Meta) error) (*Claim, error) {
	if err := api.CheckName("snapshot name", name); err != nil {
		return nil, err
	}
	if err := s.makeFolders(); err != nil {
		return nil, atomicfile.Explain(fmt.Sprintf("fetch snapshot '%s'", name), err)
	}
	unlock, err := s.lock(context.Background(), store.Shared, s.patience)
	if err != nil {
		return nil, err
	}
	defer unlock()
	// Read and lock under the store's lock, so that no install or drop can come
	// in between. Take the name's lock only for a fetch that will happen, because
	// it blocks other fetches.
	c := &Claim{s: s, name: name}
	if m, found := s.load(name); found {
		c.existing = &m
	}
	if err := accept(c.existing); err != nil {
		return nil, err
	}
	if c.lock, err = s.files.Claim(name, s.now()); err != nil {
		return nil, s.claimed(name, err)
	}
	if c.temp, err = s.files.OwnTemp(); err != nil {
		c.lock.Remove()
		return nil, atomicfile.Explain(fmt.Sprintf("fetch snapshot '%s'", name), err)
	}
	c.generation = c.temp.ID
	return c, nil
}

// Name returns the claimed name.
func (c *Claim) Name() string { return c.name }

// Existing returns the snapshot that an install will replace, or nil. It may be
// damaged. Nobody else changes it during the claim.
func (c *Claim) Existing() *Meta { return c.existing }

// Temp returns the path for the data of the new snapshot. The file does not exist
// yet; it can be written, replaced and renamed over freely until Install.
func (c *Claim) Temp() string { return c.s.files.TempPath(c.temp.ID) }

// Release ends the claim and removes the temporary file if it was not installed.
// It can be called more than once.
func (c *Claim) Release() {
	if c.lock == nil {
		return
	}
	c.s.files.ReleaseTemp(c.temp)
	c.lock.Remove()
	c.lock = nil
}

// exists makes the error for a name that is taken.
func (s *Store) exists(m Meta) error {
	e := &api.Error{
		Code: api.CodeSnapshotExists,
		Next: []api.Step{api.Set(api.OptionForce, "overwrite"), api.Do(api.ActionRefresh, "update in place", "name", m.Name)},
		Details: map[string]any{
			"snapshot": m.Name, "fetched_at": m.FetchedAt, "rows": m.Rows,
		},
	}
	e.Message = fmt.Sprintf("snapshot '%s' already exists (fetched %s, %s)", m.Name, ago(s.now().Sub(m.FetchedAt)), rows(m.Rows))
	if _, imported := m.Imported(); imported {
		e.Next = []api.Step{api.Set(api.OptionForce, "overwrite"), api.Set(api.OptionAs, "choose another name")}
	}
	if !m.described() {
		e.Message = fmt.Sprintf("snapshot '%s' already exists, but is damaged", m.Name)
		e.Next = []api.Step{api.Set(api.OptionForce, "overwrite"), api.Do(api.ActionDrop, "remove it", "name", m.Name)}
		e.Details = map[string]any{"snapshot": m.Name, "damage": m.Damage.Kind}
	}
	return e
}

// ago says how long ago something was, in the largest unit that fits.
func ago(d time.Duration) string {
	units := []struct {
		name string
		size time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}}
	for _, u := range units {
		switch n := int64(d / u.size); {
		case n == 1:
			return "1 " + u.name + " ago"
		case n > 1:
			return fmt.Sprintf("%d %ss ago", n, u.name)
		}
	}
	return "just now"
}

// rows says how many rows there are, as short as "245k rows".
func rows(n int64) string {
	if n == 1 {
		return "1 row"
	}
	units := []struct {
		name string
		size float64
	}{{"G", 1e9}, {"M", 1e6}, {"k", 1e3}}
	for _, u := range units {
		if f := float64(n) / u.size; f >= 1 {
			if f < 10 {
				f = math.Floor(f*10) / 10
			} else {
				f = math.Floor(f)
			}
			return strconv.FormatFloat(f, 'f', -1, 64) + u.name + " rows"
		}
	}
	return fmt.Sprintf("%d rows", n)
}
