// Package resultset keeps whole results on the disk while their owners look at
// them a window at a time: ordered, filtered and summarized by an engine with
// bounded memory. It runs no statement of a user, only its own over rows that
// have come.
package resultset

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/server/blob"
)

// Limits bound what a store keeps.
type Limits struct {
	Bytes int64         // on the disk, of all results
	Each  int64         // of the rows of one result, in memory
	Own   int           // results of one user
	For   time.Duration // since a result was last looked at
	// Memory of the engine, as it writes sizes: "512MiB".
	Memory string
}

// Usual are the limits of a server.
var Usual = Limits{Bytes: 8 << 30, Each: 4 << 30, Own: 8, For: time.Hour, Memory: "512MiB"}

// Owner is a user with what they could read when a result came.
type Owner struct {
	User string
	// Access identifies their rights; see core.Core.Access.
	Access string
}

// Store keeps results below a folder that is its own. It is safe for concurrent
// use.
type Store struct {
	dir    string
	limits Limits
	now    func() time.Time
	blobs  blob.Store // nil: nothing is shared

	mu     sync.Mutex
	db     *duckdb.DB // opened with the first result
	sets   map[string]*Set
	made   int
	closed bool
	ended  chan struct{} // closed with the store
	taking singleflight.Group
}

// Set is a result: a database file with the table r, whose columns are c0, c1, …
// in the order of its rows. Each order or condition that is asked for becomes a
// table of the numbers of its rows, so that every window of it comes at once.
type Set struct {
	ID      string
	Columns []api.PageColumn
	Rows    int64
	Caveats []api.Caveat // never nil

	owner Owner
	store *Store
	used  time.Time // guarded by store.mu
	db    *duckdb.DB
	name  string // of the attached database
	path  string
	here  bool // this server made the result, and removes it from the others too
	bytes int64
	types []string // of the columns, as the engine prints them

	open  sync.RWMutex // for writing: the file goes
	gone  bool
	mu    sync.Mutex // guards views; held while one is made
	views []*view
	made  int
}

// view is a part of the rows in an order.
type view struct {
	key, table string
	found      int64
	users      int // who reads it now; guarded by the set's mu
}

// New returns a store below an existing folder. The caller closes it before the
// folder goes.
func New(dir string, limits Limits) *Store {
	return &Store{dir: dir, limits: limits, now: time.Now, sets: map[string]*Set{}, ended: make(chan struct{})}
}

var errClosed = &api.Error{Code: api.CodeUnavailable, Message: "the server is stopping"}

// errGone is returned for results of others, too.
var errGone = &api.Error{Code: api.CodeBadRequest, Kind: api.KindChanged, Message: "this result is not kept any more",
	Hint: "Run its statement again."}

// Keep reads all rows, and keeps them. The oldest results make room.
func (s *Store) Keep(ctx context.Context, owner Owner, rows api.Rows) (*Set, error) {
	db, name, err := s.begin()
	if err != nil {
		return nil, err
	}
	set := &Set{ID: rand.Text(), owner: owner, store: s, db: db, name: name, path: filepath.Join(s.dir, name+".db"), here: true}
	err = set.fill(ctx, rows)
	if err == nil {
		err = s.put(ctx, set)
	}
	if err != nil {
		set.remove()
		return nil, err
	}
	s.endAll(s.add(set))
	return set, nil
}

// begin names a result, and opens the engine for the first.
func (s *Store) begin() (*duckdb.DB, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, "", errClosed
	}
	if s.db == nil {
		db, err := duckdb.Open(duckdb.Options{MemoryLimit: s.limits.Memory, TempDir: filepath.Join(s.dir, "spill"), PreserveOrder: true})
		if err != nil {
			return nil, "", err
		}
		s.db = db
		go s.tidy()
	}
	s.made++
	return s.db, fmt.Sprintf("r%d", s.made), nil
}

// tidy removes what is overdue, until the store is closed.
func (s *Store) tidy() {
	clock := time.NewTicker(s.limits.For / 8)
	defer clock.Stop()
	for {
		select {
		case <-clock.C:
			s.endAll(s.overdue())
			s.sweep()
		case <-s.ended:
			return
		}
	}
}

// add keeps a result, and returns those that must go for it.
func (s *Store) add(set *Set) (old []*Set) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return []*Set{set}
	}
	set.used = s.now()
	byAge := slices.SortedFunc(mapValues(s.sets), func(a, b *Set) int { return cmp.Compare(b.used.UnixNano(), a.used.UnixNano()) })
	own, bytes := 1, set.bytes
	for _, o := range byAge {
		if o.ID == set.ID { // the same result with other rights, or copied by another request
			old = append(old, o)
			continue
		}
		if o.owner.User == set.owner.User {
			own++
		}
		bytes += o.bytes
		if bytes > s.limits.Bytes || o.owner.User == set.owner.User && own > s.limits.Own {
			delete(s.sets, o.ID)
			old, bytes = append(old, o), bytes-o.bytes
		}
	}
	s.sets[set.ID] = set
	return old
}

func mapValues(m map[string]*Set) func(func(*Set) bool) {
	return func(yield func(*Set) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// overdue takes out what nobody has looked at for long.
func (s *Store) overdue() (old []*Set) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, set := range s.sets {
		if s.now().Sub(set.used) >= s.limits.For {
			delete(s.sets, id)
			old = append(old, set)
		}
	}
	return old
}

// Find returns a result of the owner. One that came under other rights than the
// owner has now is removed.
func (s *Store) Find(id string, owner Owner) (*Set, error) {
	s.mu.Lock()
	set := s.sets[id]
	late := set != nil && s.now().Sub(set.used) >= s.limits.For
	if set == nil {
		s.mu.Unlock()
		return s.take(id, owner)
	}
	if set.owner.User != owner.User || late {
		s.mu.Unlock()
		return nil, errGone
	}
	if set.owner.Access != owner.Access {
		delete(s.sets, id)
		s.mu.Unlock()
		set.remove()
		s.unshare(id)
		return nil, errGone
	}
	set.used = s.now()
	s.mu.Unlock()
	return set, nil
}

// Drop removes a result of the owner, if there is one.
func (s *Store) Drop(id, user string) {
	s.mu.Lock()
	set := s.sets[id]
	if set == nil || set.owner.User != user {
		s.mu.Unlock()
		return
	}
	delete(s.sets, id)
	s.mu.Unlock()
	set.remove()
	s.unshare(id)
}

// DropAll removes all results of a user that this server has.
func (s *Store) DropAll(user string) {
	var ids []string
	s.mu.Lock()
	for id, set := range s.sets {
		if set.owner.User == user {
			ids = append(ids, id)
		}
	}
	s.mu.Unlock()
	for _, id := range ids {
		s.Drop(id, user)
	}
}

// Until returns when a result goes unless it is looked at.
func (s *Store) Until(set *Set) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return set.used.Add(s.limits.For).UTC()
}

// Close ends the engine and removes everything.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	close(s.ended)
	if s.db == nil {
		return
	}
	_ = s.db.Close() // the files go, whatever it says
	for _, set := range s.sets {
		_ = os.Remove(set.path)
	}
	clear(s.sets)
}

// told replaces an error of the engine by one that says what to do.
func told(err error) error {
	var known *api.Error
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case duckdb.IsDiskFull(err):
		return &api.Error{Code: api.CodeDiskFull, Message: "the disk that results are kept on is full", Hint: "Ask for fewer rows or columns.",
			Err: err}
	case duckdb.IsOutOfMemory(err):
		return &api.Error{Code: api.CodeBudget, Kind: api.KindMemory, Message: "this takes more memory than looking at a result may have",
			Hint: "Ask for fewer rows or columns.", Err: err}
	}
	return err
}

// shareTime bounds what is done for other servers with one result.
const shareTime = time.Minute

// sweep removes results that were shared long ago.
func (s *Store) sweep() {
	if s.blobs == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), shareTime)
	defer cancel()
	_ = s.blobs.Sweep(ctx, s.now().Add(-2*s.limits.For), nil) // the next one does it
}

// endAll removes results. Those that this server made are removed for all servers.
func (s *Store) endAll(old []*Set) {
	for _, o := range old {
		o.remove()
		if o.here {
			s.unshare(o.ID)
		}
	}
}
