package iceberg

import (
	"context"
	"fmt"

	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/source/listed"
)

// Open opens a folder of Iceberg tables.
func Open(o listed.Options) (*listed.Source, error) {
	return listed.Open(&format{tables: lru.New[*listed.Table](maxTables, maxTables)}, o)
}

// maxTables bounds what is remembered of metadata files.
const maxTables = 1000

// format implements listed.Format.
type format struct {
	tables *lru.Cache[*listed.Table] // by the metadata file
}

func (*format) Name() string { return "iceberg" }

func (*format) Travels() bool { return true }

// Table reads the newest metadata of a table, unless they are as they were.
func (d *format) Table(_ context.Context, r *listed.Request, name string) (*listed.Table, error) {
	dir, at, err := r.Root.Split(name)
	if err != nil {
		return nil, err
	}
	file, print, err := newest(r.Root, dir)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s\x00%s\x00%s", file, at, print)
	if t, ok := d.tables.Get(key); ok {
		return t, nil
	}
	m, err := readMetadata(r.Root, file)
	if err != nil {
		return nil, err
	}
	m.dir = dir
	t, err := m.table(at)
	if err != nil {
		return nil, err
	}
	d.tables.Put(key, t, 1)
	return t, nil
}
