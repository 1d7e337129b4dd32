package listed

import (
	"context"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
)

// travel says how columns are selected, once it is known.
type travel struct {
	once    sync.Once
	columns []duckdb.Projected
	err     error
}

func (t *Table) projected() ([]duckdb.Projected, error) {
	t.travel.once.Do(func() { t.travel.columns, t.travel.err = duckdb.Project(engineColumns(t.Columns)) })
	return t.travel.columns, t.travel.err
}

func (t *Table) column(name string) int {
	return slices.IndexFunc(t.Columns, func(c api.Column) bool { return c.Name == name })
}

// Scan starts reading.
func (s *Source) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	return with(ctx, s, func(r *Request) (array.RecordReader, error) {
		t, err := s.table(ctx, r, scan.Relation)
		if err != nil {
			return nil, err
		}
		return s.read(ctx, r, t, scan)
	})
}

// Sample reads the first rows that the engine comes to; it sorts nothing.
func (s *Source) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	return with(ctx, s, func(r *Request) (array.RecordReader, error) {
		t, err := s.table(ctx, r, rel)
		if err != nil {
			return nil, err
		}
		return s.read(ctx, r, t, source.FirstRows(rel, t.Columns, n))
	})
}

// read starts a scan's statement and returns its rows, which keep the request.
func (s *Source) read(ctx context.Context, r *Request, t *Table, scan source.Scan) (array.RecordReader, error) {
	if _, err := source.Selected(scan, t.Columns); err != nil {
		return nil, err
	}
	files, _, err := s.files(ctx, r, t, scan)
	if err != nil {
		return nil, err
	}
	scan.Traced = scan.Traced && len(files) <= embedded.MaxTraced
	var trace *trace
	if scan.Traced {
		trace = t.trace(scan, files)
		files = trace.read
	}
	rows, done, err := s.rows(ctx, r, t, scan, files)
	if err != nil {
		return nil, err
	}
	if trace != nil {
		trace.Traced = embedded.Trace(rows, nil)
		rows = trace
	}
	out := s.reader(ctx, r, t, scan, rows, done)
	out.trace = trace
	return out, nil
}

// reader makes the engine's rows those of a scan.
func (s *Source) reader(ctx context.Context, r *Request, t *Table, scan source.Scan, rows array.RecordReader, done func(bool)) *reader {
	out := newReader(embedded.Warned(rows, t.caveats(scan)), r, done, func(err error) error {
		return s.failure(ctx, r, err, asking{seesAll: scan.Relation.Whole(), computes: scan.Where != nil})
	})
	out.version = t.Version
	return out
}

// rows runs the statement of a scan over some files.
func (s *Source) rows(ctx context.Context, r *Request, t *Table, scan source.Scan,
	files []File) (_ array.RecordReader, done func(bool), err error) {
	sql, err := s.statement(ctx, r, t, scan, files)
	if err == nil {
		var rows array.RecordReader
		if rows, done, err = s.compute(ctx, r, t, scan, sql); err == nil {
			return rows, done, nil
		}
	}
	return nil, nil, s.failure(ctx, r, err, asking{seesAll: scan.Relation.Whole(), computes: scan.Where != nil})
}

// compute runs a statement where the table can be read.
func (s *Source) compute(ctx context.Context, r *Request, t *Table, scan source.Scan, sql string) (array.RecordReader, func(bool), error) {
	plan, ok := t.Plan.(Apart)
	if !ok {
		return s.engines.Compute(ctx, scan, sql, r.files)
	}
	job, rows := worker.Job{Engine: s.engines.Settings(scan.Ordered()), SQL: sql}, int64(-1)
	if scan.Limit != nil && scan.Where == nil && scan.Relation.Rule == nil && len(scan.OrderBy) == 0 {
		rows = *scan.Limit
	}
	read := scan.Reads()
	if err := plan.Prepare(r, &job, func(c string) bool { return slices.Contains(read, c) }, rows); err != nil {
		return nil, nil, err
	}
	out, err := s.engines.Isolated(ctx, job, r.files, nil)
	if err != nil {
		return nil, nil, err
	}
	return out, func(bool) {}, nil
}

// statement writes the SELECT of a scan over some files.
func (s *Source) statement(ctx context.Context, r *Request, t *Table, scan source.Scan, files []File) (string, error) {
	travels, err := t.projected()
	if err != nil {
		return "", err
	}
	of := source.Selecting{Dialect: predicate.DuckDB, Barrier: embedded.Barrier}
	for _, name := range scan.Select {
		of.Items = append(of.Items, travels[t.column(name)].Expr)
	}
	var tested []duckdb.Column
	for _, name := range append(predicate.Columns(scan.Where), predicate.Columns(scan.Relation.Rule)...) {
		i := t.column(name) // a rule may name a column that is gone: the engine says so
		if c := (duckdb.Column{Name: name}); i >= 0 {
			if c.Type = t.Columns[i].Type; !slices.Contains(tested, c) {
				tested = append(tested, c)
			}
		}
	}
	number := ""
	if scan.Traced {
		number = t.number()
		of.Items = append(of.Items, "src."+duckdb.Quote(number))
	}
	if of.From, err = t.relationOf(ctx, r, files, number); err != nil {
		return "", err
	}
	of.From = duckdb.RowByRow(of.From, tested, nil)
	return scan.SQL(of)
}

// relationOf is a relation with the live rows of files; see Plan.From.
func (t *Table) relationOf(ctx context.Context, r *Request, files []File, number string) (string, error) {
	if len(files) == 0 {
		return t.empty(number), nil
	}
	from, err := t.Plan.From(ctx, r, files, number)
	if err == nil && slices.ContainsFunc(t.Columns, func(c api.Column) bool { return duckdb.HasLists(c.Type) }) {
		err = r.checkLists(files)
	}
	return from, err
}

// caveats returns those about the columns of a scan.
func (t *Table) caveats(scan source.Scan) (all []api.Caveat) {
	travels, err := t.projected()
	if err != nil {
		return nil // and the statement has failed
	}
	for _, name := range scan.Select {
		if i := t.column(name); travels[i].Warning != "" {
			all = append(all, api.Caveat{Kind: api.CaveatNarrowed, About: api.Subject{Columns: []string{name}}, Text: travels[i].Warning})
		}
	}
	about := api.CaveatsAbout(scan.Columns(), t.Caveats)
	return append(all, slices.DeleteFunc(about, func(c api.Caveat) bool { return !scan.Relation.SeesAll(c) })...)
}

// files lists those that a scan reads, and what it finds in each.
func (s *Source) files(ctx context.Context, r *Request, t *Table,
	scan source.Scan) (files []File, chances func(*File) interval.Chance, err error) {
	where := predicate.And(scan.Relation.Rule, scan.Where)
	constants, err := s.engines.Constants(ctx, where, scan.Env)
	if err != nil {
		return nil, nil, s.failure(ctx, r, err, asking{computes: true})
	}
	chance := func(g Group) interval.Chance {
		if where == nil {
			return interval.Always(g.Rows, true)
		}
		facts := interval.Facts{Rows: g.Rows, Constants: constants, Bounds: g.Bounds}
		return facts.Chance(where)
	}
	files, err = t.Plan.Files(ctx, r, func(g Group) bool { return g.Rows == 0 || chance(g).MayHold() })
	if err != nil {
		return nil, nil, s.failure(ctx, r, err, asking{})
	}
	return first(files, scan, where), func(f *File) interval.Chance { return chance(f.Group) }, nil
}

// first are as many files as a scan needs that wants any rows up to a limit.
func first(files []File, scan source.Scan, where predicate.Expr) []File {
	if scan.Limit == nil || where != nil || len(scan.OrderBy) > 0 {
		return files
	}
	rows := int64(0)
	for i := range files {
		if rows >= *scan.Limit {
			return files[:i]
		}
		rows += files[i].live().Low
	}
	return files
}
