package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Store is the snapshots below one home folder. Its methods can be called from
// several goroutines, and from several processes on the same home. They return
// *api.Error values.
type Store struct {
	files store.Store // home/snapshots, absolute
	run   string      // home/run: readers' links, and what their engines spill

	now          func() time.Time
	patience     time.Duration // how long a change waits for other changes
	readPatience time.Duration // how long a read waits for changes
}

// The names on disk; see doc.go.
const (
	snapshotsDir = "snapshots"
	runDir       = "run"
	pendingFile  = ".pending"
	sidecarExt   = ".meta.json"
	dataExt      = ".parquet"
	filePerm     = 0o600
)

// layout is the file naming of a snapshot store.
var layout = store.Store{
	RecordExt: sidecarExt, DataExt: dataExt, MaxRecord: maxSidecar, Linked: true,
	Name:       func(name string) bool { return api.CheckName("snapshot name", name) == nil },
	Generation: store.IsID,
}

// Option changes how a Store works.
type Option func(*Store)

// WithClock makes the store take the time from now.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// After updates something that is derived from all snapshots. It gets the
// undamaged ones, ordered by name. It runs under the store's exclusive lock, so
// it must be quick and must not call methods of a Store. If it fails, the change
// before it remains, and CatchUp runs it again.
type After func(live []Meta) error

// Open returns the store below home, makes its folders, and removes what killed
// processes left. It also succeeds if the home is read-only or the disk is full:
// snapshots can then be read, and methods that write return the reason why they
// cannot.
func Open(home string, opts ...Option) (*Store, error) {
	if home == "" {
		return nil, &api.Error{Code: api.CodeConfig, Message: "no home folder for snapshots", Hint: "Set DA_HOME."}
	}
	home, err := filepath.Abs(home)
	if err != nil {
		return nil, &api.Error{Code: api.CodeUnexpected, Message: "cannot find the home folder: " + err.Error(), Err: err}
	}
	s := &Store{
		files:        layout,
		run:          filepath.Join(home, runDir),
		now:          time.Now,
		patience:     time.Minute,
		readPatience: 5 * time.Second,
	}
	s.files.Dir = filepath.Join(home, snapshotsDir)
	for _, opt := range opts {
		opt(s)
	}
	if err := s.makeFolders(); err != nil && !atomicfile.DiskFull(err) && !atomicfile.NotWritable(err) {
		return nil, atomicfile.Explain("open the snapshots", err)
	}
	s.sweep()
	return s, nil
}

// sweep removes what killed processes left.
func (s *Store) sweep() {
	store.SweepFolders(s.run)
	s.sweepPartials()
	s.files.Sweep(func(name string) (string, bool) {
		m, found := s.load(name)
		return m.DataFile, found && m.Damage == nil
	})
}

// Dir returns the absolute path of the folder of the snapshots.
func (s *Store) Dir() string { return s.files.Dir }

// RunDir returns the absolute path of the folder for the links of readers.
func (s *Store) RunDir() string { return s.run }

// DataPath returns the current data file of the snapshot. A refresh or drop can
// remove it at any time: use Link to read it.
func (s *Store) DataPath(m Meta) string { return s.files.Path(m.DataFile) }

func (s *Store) makeFolders() error {
	if err := s.files.Make(store.NamesDir, store.UsedDir); err != nil {
		return err
	}
	return store.MakeDir(s.run)
}

// WithStep calls step with a stable name after each change on disk. It is for
// tests, which kill the process there.
func WithStep(step func(name string)) Option { return func(s *Store) { s.files.Step = step } }

func (s *Store) step(name string) {
	if s.files.Step != nil {
		s.files.Step(name)
	}
}

// Scratch makes a folder for an engine's spill files. It is on the same disk as
// the store; the caller closes it, which removes it. If it cannot be made, for
// example in a read-only home, its path is empty and the caller works without
// spilling.
func (s *Store) Scratch() *store.Folder {
	f, err := store.RunFolder(s.run)
	if err != nil {
		return &store.Folder{}
	}
	return f
}

// CatchUp runs an After that was due but did not succeed, because it failed or
// its process was killed. If nothing is due, it costs one lstat. A caller that
// only reads can ignore its error.
func (s *Store) CatchUp(after After) error {
	if _, err := os.Lstat(s.files.Path(pendingFile)); err != nil {
		return nil // nothing is due, or nothing can be known
	}
	unlock, err := s.lockAlone()
	if err != nil {
		return err
	}
	defer unlock()
	return s.follow(after)
}

// Expect records on disk that an After is due, because its caller is about to
// change something that the After depends on. The next CatchUp runs it.
func (s *Store) Expect(after After) error {
	unlock, err := s.lockAlone()
	if err != nil {
		return err
	}
	defer unlock()
	return s.expect(after)
}

// expect records on disk that after is due, before a change. The caller holds the
// store's exclusive lock.
func (s *Store) expect(after After) error {
	if after == nil {
		return nil
	}
	f, err := os.OpenFile(s.files.Path(pendingFile), os.O_CREATE|os.O_WRONLY|syscall.O_NOFOLLOW, filePerm)
	if err != nil {
		return err
	}
	return f.Close()
}

// follow runs after, and removes the pending record if it succeeds. The caller
// holds the store's exclusive lock.
func (s *Store) follow(after After) error {
	if after == nil {
		return nil
	}
	metas, err := s.List()
	if err != nil {
		return err
	}
	live := metas[:0]
	for _, m := range metas {
		if m.Damage == nil {
			live = append(live, m)
		}
	}
	if err := after(live); err != nil {
		return err
	}
	err = os.Remove(s.files.Path(pendingFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
