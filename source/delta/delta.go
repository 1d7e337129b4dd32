package delta

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/source/listed"
)

// Open opens a folder of Delta tables.
func Open(o listed.Options) (*listed.Source, error) {
	return listed.Open(&format{tables: lru.New[*listed.Table](maxTables, maxFiles)}, o)
}

// maxTables and maxFiles bound what is remembered of logs.
const maxTables, maxFiles = 1000, 100_000

// format implements listed.Format.
type format struct {
	tables *lru.Cache[*listed.Table] // by what is in the log
}

func (*format) Name() string { return "delta" }

func (*format) Split(root *listed.Root, name string) (dir, at string, err error) {
	return root.Split(name)
}

// Table replays the log of a table, unless it is as it was.
func (d *format) Table(ctx context.Context, r *listed.Request, name string) (*listed.Table, error) {
	dir, at, err := r.Root.Split(name)
	if err != nil {
		return nil, err
	}
	version, err := versionOf(at)
	if when, other := time.Parse(time.RFC3339, at); other == nil {
		version, err = versionAt(r.Root, dir, when)
	}
	if err != nil {
		return nil, err
	}
	l, err := listLog(r.Root, dir, version)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s\x00%s\x00%s", dir, at, l.print)
	if t, ok := d.tables.Get(key); ok {
		return t, nil
	}
	s := &state{live: map[string]*add{}}
	if err := s.replay(ctx, r, l); err != nil {
		return nil, err
	}
	t, err := s.table(l)
	if err != nil {
		return nil, err
	}
	d.tables.Put(key, t, 1+len(s.live))
	return t, nil
}

// versionOf reads what stands behind the @ of a relation: v12 or 12; -1: nothing.
func versionOf(at string) (int64, error) {
	if at == "" {
		return -1, nil
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(at, "v"), 10, 64)
	if err != nil || n < 0 {
		return 0, &api.Error{Code: api.CodeSource, Kind: api.KindBadPath,
			Message: fmt.Sprintf("%q is not a version of a Delta table", api.Clip(at, 40)),
			Hint:    "Behind the @ of a path stands the number of a version, as in orders@v12, or a time, as in orders@2026-01-31T18:00:00Z."}
	}
	return n, nil
}
