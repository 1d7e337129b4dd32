package iceberg

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/source/listed"
)

// Open opens a folder of Iceberg tables.
func Open(o listed.Options) (*listed.Source, error) {
	return listed.Open(&format{tables: lru.New[*listed.Table](maxTables, maxTables)}, o)
}

// OpenCatalog opens the tables of a REST catalog, whose files lie below the root.
func OpenCatalog(c Catalog, o listed.Options) (*listed.Source, error) {
	asked, err := c.open()
	if err != nil {
		return nil, err
	}
	asked.borrows = o.Bucket != nil && o.Bucket.AccessKey == ""
	return listed.Open(&catalogued{format: format{tables: lru.New[*listed.Table](maxTables, maxTables)}, catalog: asked}, o)
}

// maxTables bounds what is remembered of metadata files.
const maxTables = 1000

// format implements listed.Format.
type format struct {
	tables *lru.Cache[*listed.Table] // by the metadata file
}

func (*format) Name() string { return "iceberg" }

func (*format) Split(root *listed.Root, name string) (dir, at string, err error) {
	return root.Split(name)
}

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
	return d.remembered(fmt.Sprintf("%s\x00%s\x00%s", file, at, print), at,
		func() (*metadata, error) { return readMetadata(r.Root, dir, file) })
}

// remembered describes a table, unless that is known by the key.
func (d *format) remembered(key, at string, read func() (*metadata, error)) (*listed.Table, error) {
	if t, ok := d.tables.Get(key); ok {
		return t, nil
	}
	m, err := read()
	if err != nil {
		return nil, err
	}
	t, err := m.table(at)
	if err != nil {
		return nil, err
	}
	d.tables.Put(key, t, 1)
	return t, nil
}

// named is a table as a catalog names it.
type named struct {
	location string          // of its metadata file
	text     json.RawMessage // of that file, if the catalog has it
	lent     []bucket.Lent   // keys for its files
	again    func(context.Context) ([]bucket.Lent, error)
	planning planning // nil: scans are planned here
}

// catalogued is the format of tables that a catalog names.
type catalogued struct {
	format
	catalog interface {
		probe(ctx context.Context) error
		list(ctx context.Context) ([]string, error)
		load(ctx context.Context, name string) (named, error)
	}
}

// Split implements listed.Format: no name of the catalog's has an @.
func (c *catalogued) Split(_ *listed.Root, name string) (table, at string, err error) {
	table, at, _ = strings.Cut(name, "@")
	return table, at, nil
}

// Probe asks the catalog for its settings.
func (c *catalogued) Probe(ctx context.Context) error {
	return c.catalog.probe(ctx)
}

// Tables implements listed.Lister.
func (c *catalogued) Tables(ctx context.Context, _ *listed.Request) (tables, views []string, err error) {
	tables, err = c.catalog.list(ctx)
	return tables, nil, err
}

// Table implements listed.Format.
func (c *catalogued) Table(ctx context.Context, r *listed.Request, name string) (*listed.Table, error) {
	table, at, err := c.Split(r.Root, name)
	if err != nil {
		return nil, err
	}
	found, err := c.catalog.load(ctx, table)
	if err != nil {
		return nil, err
	}
	if err := r.Root.Borrow(found.lent, found.again); err != nil {
		return nil, err
	}
	where, err := r.Root.Locate(found.location)
	if err != nil {
		return nil, err
	}
	return c.remembered(found.location+"\x00"+at, at, func() (*metadata, error) {
		dir := path.Dir(path.Dir(where)) // of the table, if it has been moved as a whole
		var m *metadata
		if found.text != nil {
			m, err = parseMetadata(dir, where, found.text)
		} else {
			m, err = readMetadata(r.Root, dir, where)
		}
		if err != nil {
			return nil, err
		}
		m.planning = found.planning
		if home, err := r.Root.Locate(m.Location); err == nil {
			m.dir = home
		}
		return m, nil
	})
}
