package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/server/artifact"
	"github.com/agnes-data/da/server/fault"
	"github.com/agnes-data/da/source"
)

// Manifest implements api.Syncer. A local user has no server to sync from.
func (s *Session) Manifest(ctx context.Context) (*api.SyncManifest, error) {
	r := s.begin(api.EventSync, "")
	m, err := s.manifest(ctx)
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return m, nil
}

func (s *Session) manifest(ctx context.Context) (*api.SyncManifest, error) {
	list := &api.SyncManifest{Tables: []api.SyncTable{}, Failed: []api.SyncFailure{}, ServerTime: s.core.now().UTC()}
	if s.who.Local {
		return list, nil
	}
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, err
	}
	known := func(id string) bool { t := v.tables[id]; return t != nil && t.QueryMode == api.ModeLocal }
	if err := s.core.files.RemoveUnless(ctx, known); err != nil {
		s.core.log.Warn("files of tables that are not for sync any more stay for now", "cause", fault.Cause(err))
	}
	for _, t := range v.mine() {
		if t.QueryMode != api.ModeLocal {
			continue
		}
		m, err := s.fileFor(ctx, v, t.ID)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case api.CodeForbidden.Is(err): // the grants no longer fit the table
		case err != nil:
			s.core.log.Error("a table could not be made ready for sync", "table", t.ID, "cause", fault.Cause(err))
			list.Failed = append(list.Failed, api.SyncFailure{TableID: t.ID, Error: fault.Visible(err).Body()})
		default:
			file := m.SyncTable
			file.RowRule = v.ruled(t)
			list.Tables = append(list.Tables, file)
		}
	}
	return list, nil
}

// LocalTable implements api.Syncer. Only refusals are audited here: a successful caller
// goes on to TableData, which audits itself.
func (s *Session) LocalTable(ctx context.Context, tableID string) (*api.SyncTable, error) {
	m, err := s.local(ctx, tableID)
	if err != nil {
		return nil, s.begin(api.EventSync, tableID).end(ctx, err)
	}
	return &m.SyncTable, nil
}

func (s *Session) local(ctx context.Context, tableID string) (*artifact.File, error) {
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, err
	}
	return s.fileFor(ctx, v, tableID)
}

// fileFor returns the file of what the caller can read of a table: the largest
// set of columns that can be read together.
func (s *Session) fileFor(ctx context.Context, v *view, tableID string) (*artifact.File, error) {
	p, err := v.authorise(ctx, tableID)
	if err != nil {
		return nil, err
	}
	if p.QueryMode != api.ModeLocal {
		return nil, notForSync(tableID)
	}
	c := s.core
	ctx, cancel := c.withTimeout(ctx)
	defer cancel()
	return c.fileOf(ctx, p.table, p.widest())
}

// fileOf returns the file of a relation, which is rebuilt if necessary.
func (c *Core) fileOf(ctx context.Context, t *table, rel source.Relation) (*artifact.File, error) {
	defer c.quiet.begin()()
	written := func() {}
	defer func() { written() }()
	m, err := c.files.Get(ctx, artifact.Request{
		Memory:  engineMemory(c.writers.memory),
		TableID: t.ID, Key: cacheKey(t, rel, ""), Keep: t.RefreshEvery, Trust: c.limits.SchemaCacheTTL,
		Version: func(ctx context.Context) (string, error) {
			version, err := t.source.Version(ctx, rel)
			if rel.Rule != nil && version != "" {
				// The rows that a rule allows may depend on the date.
				version += " " + c.now().UTC().Format(time.DateOnly)
			}
			return version, err
		},
		Scan: func(ctx context.Context) (rows array.RecordReader, dated []api.Column, err error) {
			if written, err = c.writers.wait(ctx, "", c.limits.Scan.RequestTimeout); err != nil {
				written = func() {}
				return nil, nil, err
			}
			schema, err := c.schema(ctx, t, source.Relation{Name: rel.Name, Columns: rel.Columns, Masks: rel.Masks, Reading: rel.Reading})
			if err != nil {
				return nil, nil, err
			}
			names := columnNames(schema.Columns)
			if err := duckdb.CheckNames(names); err != nil {
				return nil, nil, err
			}
			for _, column := range schema.Columns {
				if rel.Whole() && column.DateOrder != "" { // hidden rows may prove the order, so it would tell of them
					dated = append(dated, column)
				}
			}
			rows, err = c.rows(ctx, t, source.Scan{Relation: rel, Select: names,
				Env: predicate.Env{Now: c.now().UTC().Truncate(time.Microsecond)}}, nil, nil)
			return rows, dated, err
		},
	})
	if err != nil {
		return nil, c.sourceError(ctx, t, err)
	}
	return m, nil
}

func notForSync(tableID string) error {
	return &api.Error{Code: api.CodeBadRequest, Kind: api.KindNotForSync, Message: "table '" + tableID + "' is not one to sync",
		Next: []api.Step{api.Do(api.ActionFetch, "get a part of it", "table_id", tableID)}, Details: map[string]any{"table_id": tableID}}
}

// TableData implements api.Syncer. The bytes count against the caller's daily
// quota.
func (s *Session) TableData(ctx context.Context, t api.SyncTable, from, n int64) (io.ReadCloser, error) {
	r := s.begin(api.EventSync, t.TableID)
	f, err := s.open(ctx, r, t, from, n)
	if err != nil {
		return nil, r.end(ctx, err)
	}
	return &tableData{Reader: io.NewSectionReader(f, from, n), file: f, ctx: ctx, record: r, size: n}, nil
}

func (s *Session) open(ctx context.Context, r *record, t api.SyncTable, from, n int64) (*os.File, error) {
	m, err := s.local(ctx, t.TableID)
	if err != nil {
		return nil, err
	}
	if m.XXH3 != t.XXH3 {
		return nil, TableChanged(t.TableID)
	}
	if from < 0 || n < 0 || from+n > m.Bytes {
		return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindRange, Message: fmt.Sprintf("the file has %d bytes", m.Bytes)}
	}
	if err := s.admitPart(ctx, r, n); err != nil {
		return nil, err
	}
	f, err := s.core.files.Open(m)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, TableChanged(t.TableID) // replaced between the two calls
	}
	if err != nil {
		return nil, internalError("open the file of "+t.TableID, err)
	}
	return f, nil
}

// TableChanged is the error for a file that has been replaced.
func TableChanged(tableID string) error {
	return &api.Error{Code: api.CodeBadRequest, Kind: api.KindChanged, Message: "table '" + tableID + "' has changed meanwhile",
		Next: []api.Step{api.Do(api.ActionSync, "get the new version")}, Details: map[string]any{"table_id": tableID}}
}

// tableData is a part of a file that is being read.
type tableData struct {
	io.Reader
	file   *os.File
	ctx    context.Context //nolint:containedctx // of the call that it belongs to
	record *record
	size   int64
	read   int64
	noted  bool
	closed bool
}

// Read implements io.Reader. The usage is recorded before the last bytes are
// returned.
func (d *tableData) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	d.read += int64(n)
	if d.record.lease != nil {
		if _, _, err := d.record.lease.Deliver(d.ctx, d.read); err != nil {
			return 0, internalError("note what is delivered", err)
		}
	}
	if d.read == d.size && n > 0 {
		if err := d.note(); err != nil {
			return 0, err
		}
	}
	return n, err
}

// note records what was read, once.
func (d *tableData) note() error {
	if d.noted {
		return nil
	}
	d.noted = true
	d.record.event.Data.ResultBytes = &d.read
	return d.record.end(context.WithoutCancel(d.ctx), nil)
}

// Close implements io.Closer. If the part was not read to its end, it records
// what was read.
func (d *tableData) Close() error {
	if d.closed {
		return nil
	}
	d.closed = true
	return errors.Join(d.note(), d.file.Close())
}
