package table

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table/cachedb"
	"github.com/agnes-data/da/table/intake"
)

// Defaults of the operations.
const (
	DefaultChunkRows  = 500
	DefaultWindowRows = 100
	DefaultTimeout    = 30 * time.Second // of a query
	ReadTimeout       = 5 * time.Minute  // for reading a whole file
	DefaultMemory     = "1GB"
)

// Config says where Tables works.
type Config struct {
	// Dir is the folder of cached knowledge about files.
	Dir string
	// Root confines every path, symbolic links included; empty: no bounds but
	// the user's own rights.
	Root string
	// WorkDir is the base of relative paths; empty: the process's.
	WorkDir string
	// MaxCache limits the cached databases, in bytes; 0: cachedb.DefaultMax.
	MaxCache int64
	// Stdin is read if a path is -; may be nil.
	Stdin io.Reader
	// Now returns the time; nil: time.Now.
	Now func() time.Time
}

// Tables answers questions about files. It is safe for concurrent use.
type Tables struct {
	cfg   Config
	store *cachedb.Store
	root  *os.Root // of cfg.Root; nil without one
	temp  string   // the folder of store if it goes with this process

	spool sync.Once // of Stdin, into piped
	piped string
	pipe  error
}

// Close removes what was stored for this process only.
func (t *Tables) Close() {
	if t.root != nil {
		_ = t.root.Close()
	}
	if t.piped != "" {
		_ = os.Remove(t.piped)
		t.store.Sweep("")
	}
	if t.temp != "" {
		_ = os.RemoveAll(t.temp)
	}
}

// New opens the cache of knowledge about files, and removes what is no longer
// useful. Where nothing can be written, what is learnt is kept for this process
// only.
func New(cfg Config) (*Tables, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	t := &Tables{cfg: cfg}
	if err := t.checkRoot(); err != nil {
		return nil, err
	}
	var err error
	t.store, err = cachedb.Open(cfg.Dir, cfg.MaxCache, cfg.Now, t.profile)
	if api.CodeNotWritable.Is(err) {
		var mkdir error
		if t.temp, mkdir = os.MkdirTemp("", "da-tables-"); mkdir != nil {
			return nil, err
		}
		t.store, err = cachedb.Open(t.temp, cfg.MaxCache, cfg.Now, t.profile)
	}
	if err != nil {
		return nil, err
	}
	t.store.Sweep("")
	return t, nil
}

// Source names a file and says how to read it.
type Source struct {
	Path string `json:"path"`
	intake.Options
	// Strict refuses a file in which something does not fit.
	Strict bool `json:"strict,omitempty"`
}

// examine returns what is known about a source, and reads it if necessary. The
// caller closes the result.
func (t *Tables) examine(ctx context.Context, s Source) (*looked, error) {
	src, file, err := t.open(ctx, s)
	if err != nil {
		return nil, err
	}
	e, err := t.store.Look(ctx, src, file)
	if err != nil {
		file.Close()
		return nil, t.explain(s.Path, err)
	}
	l := &looked{src: src, file: file, entry: e, shown: s.Path}
	if s.Strict {
		if err := strict(l); err != nil {
			l.Close()
			return nil, err
		}
	}
	return l, nil
}

// looked is a source that has been examined.
type looked struct {
	src   cachedb.Source
	file  *intake.File
	entry *cachedb.Entry
	shown string   // the path as the caller wrote it
	reads []string // names of the columns that are read, possibly with others; nil: all are read
	// direct says that these columns are not put into a database, but read from the
	// file by each scan.
	direct bool
	// passing says that they are put into a database that is not kept.
	passing bool
}

func (l *looked) Close() { _ = l.file.Close() }

func (l *looked) profile() *intake.Profile { return l.entry.Profile }
