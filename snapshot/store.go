package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
	"github.com/agnes-data/da/internal/store"
)

// Store is the snapshots below one home folder. Its methods may be called from
// several goroutines, and by several processes on one home; they return
// *api.Error values.
type Store struct {
	files store.Store // home/snapshots, absolute
	run   string      // home/run: readers' links, and what their engines spill

	now          func() time.Time
	patience     time.Duration // how long changes are waited for before a change
	readPatience time.Duration // and how long before a look
}

// The names on disk; doc.go says what they are.
const (
	snapshotsDir = "snapshots"
	runDir       = "run"
	pendingFile  = ".pending"
	sidecarExt   = ".meta.json"
	dataExt      = ".parquet"
	filePerm     = 0o600
)

// layout is how a store of snapshots calls its files.
var layout = store.Store{
	RecordExt: sidecarExt, DataExt: dataExt, MaxRecord: maxSidecar, Linked: true,
	Name:       func(name string) bool { return api.CheckName("snapshot name", name) == nil },
	Generation: store.IsID,
}

// Option changes how a Store works.
type Option func(*Store)

// WithClock makes the store tell the time by now.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// After brings something up to date that is derived from all snapshots. It
// gets the undamaged ones, ordered by name, and runs while the store is locked
// for everybody else: it must be quick, and must not call methods of a Store.
// If it fails, the change that it follows stands, and CatchUp tries it again.
type After func(live []Meta) error

// Open returns the store below home, makes its folders, and sweeps what killed
// processes left. Where nothing can be written, because the home is read-only
// or the disk is full, the store opens all the same: what is there can be
// read, and the writing methods say why they can't.
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

// sweep clears away what killed processes left.
func (s *Store) sweep() {
	store.SweepFolders(s.run)
	s.sweepPartials()
	s.files.Sweep(func(name string) (string, bool) {
		m, found := s.load(name)
		return m.DataFile, found && m.Damage == nil
	})
}

// Dir returns the folder that holds the snapshots, absolute.
func (s *Store) Dir() string { return s.files.Dir }

// RunDir returns the folder, absolute, below which the links of readers lie.
func (s *Store) RunDir() string { return s.run }

// DataPath returns the file that holds the snapshot's rows now. A refresh or a
// drop may remove it at any time: to read it, use Link.
func (s *Store) DataPath(m Meta) string { return s.files.Path(m.DataFile) }

func (s *Store) makeFolders() error {
	if err := s.files.Make(store.NamesDir, store.UsedDir); err != nil {
		return err
	}
	return store.MakeDir(s.run)
}

// WithStep makes the store tell step each change on disk after it was made, by
// a stable name. It is for tests, which stop the process there.
func WithStep(step func(name string)) Option { return func(s *Store) { s.files.Step = step } }

func (s *Store) step(name string) {
	if s.files.Step != nil {
		s.files.Step(name)
	}
}

// Scratch makes a folder for what an engine cannot keep in memory. It lies
// where the store lies, and goes with its holder, who closes it. In a home where
// none can be made, as in one that is read-only, its path is empty and the
// holder does without.
func (s *Store) Scratch() *store.Folder {
	f, err := store.RunFolder(s.run)
	if err != nil {
		return &store.Folder{}
	}
	return f
}

// CatchUp runs an After that was due after an earlier change and did not
// succeed, because its process was killed or it failed. It costs one look at
// the disk if none is due.
// A caller that only reads may pass over its error.
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

// Expect notes on disk that something else is about to change from which is
// derived what an After makes: the next CatchUp runs it.
func (s *Store) Expect(after After) error {
	unlock, err := s.lockAlone()
	if err != nil {
		return err
	}
	defer unlock()
	return s.expect(after)
}

// expect notes on disk that after is due, before a change. The store is locked.
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

// follow runs after, and takes the note back if it succeeds. The store is
// locked.
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
