package lake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/source/lake/kept"
	"github.com/agnes-data/da/source/lake/mirror"
)

// Options say where a lake is and what its engine may use. Sizes are in bytes.
type Options struct {
	// Root is the folder of the tables; required unless Bucket is set.
	Root string
	// Bucket has the tables instead of Root.
	Bucket *bucket.Options
	// CacheDir caches objects of Bucket while they are read, and until they are
	// evicted. CacheSize limits the cache; 0 means 20 GB. Other lakes and
	// processes can use the same folder.
	CacheDir  string
	CacheSize int64
	// MemoryLimit limits the engine for all requests together; 0 means 1 GB.
	// There are two engines, one for ordered results and one for all others.
	MemoryLimit int64
	// StatementMemory bounds each statement; 0: as MemoryLimit.
	StatementMemory int64
	// Threads is the number of workers of each engine; 0: one a core.
	Threads int
	// TempDir is for spill files when MemoryLimit is exceeded; empty means a
	// folder below the system's folder for temporary files. Nothing but this,
	// CacheDir and KeptDir is ever written.
	TempDir string
	// MaxTempSize limits the files in TempDir; 0 means 10 GB. Each worker has the
	// same limit of its own.
	MaxTempSize int64
	// KeptDir keeps what is known of the files, for the processes to come; empty:
	// nothing is kept. Other lakes and processes can use the same folder.
	KeptDir string
	// Statements limits how many whole statements run concurrently, each in its
	// own process; 0 means 4. Others wait.
	Statements int
}

const (
	defaultMemoryLimit = 1_000_000_000
	defaultMaxTempSize = 10_000_000_000
	defaultStatements  = 4
)

// Lake is a source: files under one root.
type Lake struct {
	dir     string // of the root, absolute, links resolved
	root    *os.Root
	mirror  *mirror.Mirror // nil: the files are the root's own
	tempDir string         // ours, below Options.TempDir
	links   string         // a folder in tempDir: see linked
	copies  *parquetCopies
	// linked finds the paths of links, which users do not know of.
	linked   *regexp.Regexp
	requests atomic.Int64 // numbers the folders of links
	engines  *embedded.Engines

	// tables and footers cache what files say, by version.
	tables     *lru.Cache[*table]
	footers    *lru.Cache[*footer]
	sound      *lru.Cache[struct{}] // files whose lists have been checked
	kept       *kept.Records
	keeping    sync.WaitGroup   // what is being kept
	now        func() time.Time // set by tests
	describing flights[*table]
	footing    flights[*footer]
}

var _ source.InProcessSource = (*Lake)(nil)

// ComputesHere implements source.InProcessSource. What reads a bucket mostly waits for it.
func (l *Lake) ComputesHere() bool { return l.mirror == nil }

// Open opens a lake. It reads only the root folder itself; the engine
// starts with Wake, or the first request that needs it.
func Open(o Options) (*Lake, error) {
	if o.Bucket == nil {
		return open(o, nil)
	}
	b, err := bucket.Open(*o.Bucket)
	if err != nil {
		return nil, err
	}
	m, err := mirror.Open(b, filepath.Join(o.CacheDir, mirror.Name(*o.Bucket)), o.CacheSize)
	if err != nil {
		return nil, err
	}
	o.Root = m.Files()
	return open(o, m)
}

func open(o Options, m *mirror.Mirror) (*Lake, error) {
	dir, err := filepath.Abs(o.Root)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, noRoot(o.Root, err)
	}
	// Opening anything but a folder might wait for ever.
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, noRoot(o.Root, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, noRoot(o.Root, err)
	}
	temp, err := os.MkdirTemp(o.TempDir, "da-lake-")
	if err == nil {
		// The engine resolves symbolic links in the paths of folders that it may
		// read.
		temp, err = filepath.EvalSymlinks(temp)
	}
	if err != nil {
		return nil, errors.Join(noScratch(err), root.Close())
	}
	workers, err := worker.NewPool(cmp.Or(o.Statements, defaultStatements))
	if err != nil {
		return nil, errors.Join(embedded.Internal("run statements", err), root.Close(), os.RemoveAll(temp))
	}
	if o.MemoryLimit == 0 {
		o.MemoryLimit = defaultMemoryLimit
	}
	if o.MaxTempSize == 0 {
		o.MaxTempSize = defaultMaxTempSize
	}
	engines := embedded.Options{MemoryLimit: o.MemoryLimit, StatementMemory: cmp.Or(o.StatementMemory, o.MemoryLimit), Threads: o.Threads,
		MaxTempSize: o.MaxTempSize}
	links, copies := filepath.Join(temp, "links"), filepath.Join(temp, "copies")
	if err := errors.Join(os.Mkdir(links, 0o700), os.Mkdir(copies, 0o700)); err != nil {
		return nil, errors.Join(noScratch(err), root.Close())
	}
	engines.TempDir, engines.Dirs = temp, []string{dir, links, copies}
	return &Lake{
		dir: dir, root: root, mirror: m, tempDir: temp,
		links: links, linked: regexp.MustCompile(regexp.QuoteMeta(links) + linkPattern),
		copies:  &parquetCopies{dir: copies, limit: o.MaxTempSize, byKey: map[string]*parquetCopy{}},
		engines: embedded.New(engines, workers),
		tables:  lru.New[*table](maxTables, maxTables), footers: lru.New[*footer](maxChunks, maxChunks),
		sound: lru.New[struct{}](maxChunks, maxChunks),
		kept:  kept.Open(o.KeptDir), now: time.Now,
	}, nil
}

func noScratch(err error) error {
	return &api.Error{Code: api.CodeNotWritable, Message: "no folder for temporary files can be made", Err: err}
}

func noRoot(root string, err error) error {
	return &api.Error{
		Code:    api.CodeConfig,
		Message: fmt.Sprintf("the root %s of a lake is not a readable folder", root),
		Err:     err,
	}
}

// Dialect is the engine's.
func (l *Lake) Dialect() predicate.Dialect { return predicate.DuckDB }

// Version lists the files without reading them.
func (l *Lake) Version(ctx context.Context, rel source.Relation) (string, error) {
	set, err := l.version(ctx, rel)
	if err != nil {
		return "", err
	}
	return set.version, nil
}

// Wake starts the engine that describes tables and runs unordered scans.
func (l *Lake) Wake() {
	if s, err := l.engines.Session(context.Background(), false); err == nil { // a request gets the error
		s.Done(true)
	}
}

// Idle closes the engines that are not in use.
func (l *Lake) Idle() { l.engines.Idle() }

// Close stops the engines; readers that are still open end with an error.
func (l *Lake) Close() error {
	l.keeping.Wait()
	return errors.Join(l.engines.Close(), l.root.Close(), os.RemoveAll(l.tempDir))
}
