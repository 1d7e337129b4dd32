package listed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
)

// Options say where the tables are and what the engine may use. Sizes are in bytes.
type Options struct {
	Root            string          // a folder; unless Bucket is set
	Bucket          *bucket.Options // has the tables instead
	CacheDir        string          // for objects of Bucket that are read
	CacheSize       int64           // of all of them; 0: 20 GB
	MemoryLimit     int64           // of the engine, for all requests together; 0: 1 GB
	StatementMemory int64           // of each whole statement; 0: as MemoryLimit
	MaxTempSize     int64           // of temporary files; 0: 10 GB
	TempDir         string          // for temporary files; empty: the system's
}

const (
	defaultMemory   = 1_000_000_000
	defaultTempSize = 10_000_000_000
	statements      = 4 // whole ones that run at a time
	maxSound        = 100_000
)

// Source reads the tables below one folder.
type Source struct {
	format   Format
	root     *Root
	temp     string // ours
	links    string // a folder in temp
	linked   *regexp.Regexp
	requests atomic.Int64
	engines  *embedded.Engines
	sound    *lru.Cache[struct{}] // files whose lists have been checked; they do not change
}

var (
	_ source.Querier         = (*Source)(nil)
	_ source.Prober          = (*Source)(nil)
	_ source.Idler           = (*Source)(nil)
	_ source.InProcessSource = (*Source)(nil)
	_ source.Traveller       = (*Source)(nil)
)

func rootOf(o Options) (*Root, error) {
	if o.Bucket != nil {
		return newBucketRoot(*o.Bucket, o.CacheDir, o.CacheSize)
	}
	return NewRoot(o.Root)
}

// Open opens a source. It reads only the root folder itself.
func Open(format Format, o Options) (*Source, error) {
	root, err := rootOf(o)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp(o.TempDir, "da-tables-")
	if err == nil {
		temp, err = filepath.EvalSymlinks(temp) // the engine resolves links in its folders
	}
	links := filepath.Join(temp, "links")
	if err == nil {
		err = os.Mkdir(links, 0o700)
	}
	var workers *worker.Pool
	if err == nil {
		workers, err = worker.NewPool(statements)
	}
	if err != nil {
		return nil, errors.Join(&api.Error{Code: api.CodeNotWritable, Message: "no folder for temporary files can be made", Err: err},
			root.root.Close())
	}
	memory := cmp.Or(o.MemoryLimit, defaultMemory)
	return &Source{
		format: format, root: root, temp: temp, links: links, sound: lru.New[struct{}](maxSound, maxSound),
		linked: regexp.MustCompile(regexp.QuoteMeta(links) + `/\d+/(\d+)\.[a-z]+`),
		engines: embedded.New(embedded.Options{
			MemoryLimit: memory, StatementMemory: cmp.Or(o.StatementMemory, memory), MaxTempSize: cmp.Or(o.MaxTempSize, defaultTempSize),
			TempDir: temp, Dirs: []string{root.dir, links},
		}, workers),
	}, nil
}

// Dialect is the engine's.
func (s *Source) Dialect() predicate.Dialect { return predicate.DuckDB }

// ComputesHere implements source.InProcessSource. What reads a bucket mostly waits for it.
func (s *Source) ComputesHere() bool { return s.root.objects == nil }

// At implements source.Traveller.
func (s *Source) At(relation, version string) (string, error) {
	name := strings.TrimSuffix(relation, "/") + "@" + version
	_, offered, err := s.format.Split(s.root, relation)
	if err != nil {
		return "", err
	}
	// A table can have the whole as its name, which nobody has asked for.
	if _, at, err := s.format.Split(s.root, name); err != nil || at != version || offered != "" {
		return "", &api.Error{Code: api.CodeBadRequest, Kind: api.KindAsOf,
			Message: fmt.Sprintf("the instance offers this table as of one version, and not as of %s", version),
			Hint:    "Ask for the table without a version.", Err: err}
	}
	return name, nil
}

// Wake starts the engine.
func (s *Source) Wake() {
	if e, err := s.engines.Session(context.Background(), false); err == nil { // a request gets the error
		e.Done(true)
	}
}

// Idle closes the engines that are not in use.
func (s *Source) Idle() { s.engines.Idle() }

// Close stops the engines; readers that are still open end with an error.
func (s *Source) Close() error {
	return errors.Join(s.engines.Close(), s.root.root.Close(), os.RemoveAll(s.temp))
}

// Probe checks that the root is still a readable folder, or that the tables of a
// database can be listed.
func (s *Source) Probe(ctx context.Context) error {
	switch f := s.format.(type) {
	case interface{ Probe(context.Context) error }:
		return f.Probe(ctx)
	case Lister:
		_, _, err := s.Tables(ctx)
		return err
	}
	if s.root.objects != nil {
		_, err := s.root.during(ctx).objects.first("")
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // it is empty
		}
		return err
	}
	dir, err := os.Open(s.root.dir)
	if err == nil {
		_, err = dir.Stat()
		_ = dir.Close()
	}
	if err == nil {
		_, err = s.root.List(".")
	}
	if err == nil {
		return nil
	}
	return &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable, Message: "the root of the source is not a readable folder", Err: err,
		Hint: "The operator must correct the root of the source, or the rights of that folder. " + api.InServerLog}
}

// Tables lists the tables of a format that can tell them, and the views that it does not read.
func (s *Source) Tables(ctx context.Context) (tables, views []string, err error) {
	_, err = with(ctx, s, func(r *Request) (_ any, err error) {
		tables, views, err = s.format.(Lister).Tables(ctx, r) //nolint:forcetypeassert // who asks knows the format
		return nil, s.failure(ctx, r, err, asking{})
	})
	return tables, views, err
}

// Version returns the version of a table.
func (s *Source) Version(ctx context.Context, rel source.Relation) (string, error) {
	return with(ctx, s, func(r *Request) (string, error) {
		t, err := s.table(ctx, r, rel)
		if err != nil {
			return "", err
		}
		return t.Version, nil
	})
}

// Schema describes a table.
func (s *Source) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	return with(ctx, s, func(r *Request) (*source.Schema, error) {
		t, err := s.table(ctx, r, rel)
		if err != nil {
			return nil, err
		}
		return s.schema(ctx, r, t, rel)
	})
}

// schema is what of a table's description the caller can see.
func (s *Source) schema(ctx context.Context, r *Request, t *Table, rel source.Relation) (*source.Schema, error) {
	rows, bytes, err := t.total.of(ctx, r, t)
	if err != nil {
		return nil, err
	}
	out := &source.Schema{
		Format: s.format.Name(), Description: t.Description, Columns: t.Columns, PartitionBy: t.PartitionBy, ClusteredBy: t.ClusteredBy,
		RowCount: rows, SizeBytes: &bytes, Version: t.Version, Caveats: t.Caveats,
	}
	return out.Of(rel), nil
}

// table describes a relation as its metadata say now.
func (s *Source) table(ctx context.Context, r *Request, rel source.Relation) (*Table, error) {
	if rel.Reading != nil {
		return nil, &api.Error{Code: api.CodeConfig, Message: rel.Name + " is a " + s.format.Name() +
			" table, which says itself how its files are read; remove the table's keys about reading"}
	}
	t, err := s.format.Table(ctx, r, rel.Name)
	if err != nil {
		return nil, s.failure(ctx, r, err, asking{})
	}
	return t, nil
}
