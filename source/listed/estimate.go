package listed

import (
	"context"
	"math"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
	"github.com/agnes-data/da/source"
)

// Estimate returns what a scan would read, from the metadata alone: the files that
// it opens, and bounds of the rows that it finds.
func (s *Source) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	return with(ctx, s, func(r *Request) (*api.Estimate, error) {
		t, err := s.table(ctx, r, scan.Relation)
		if err != nil {
			return nil, err
		}
		if _, err := source.Selected(scan, t.Columns); err != nil {
			return nil, err
		}
		if _, err := scan.SQL(source.Selecting{Dialect: predicate.DuckDB}); err != nil { // what cannot be printed cannot be run
			return nil, err
		}
		files, chance, err := s.files(ctx, r, t, scan)
		if err != nil {
			return nil, err
		}
		if scan.Traced {
			files = t.trace(scan, files).read
		}
		return s.answer(ctx, r, t, scan, files, chance)
	})
}

func (s *Source) answer(ctx context.Context, r *Request, t *Table, scan source.Scan, files []File,
	chance func(*File) interval.Chance) (*api.Estimate, error) {
	bytes, nothing, free := sizeOf(files), int64(0), 0.0
	out := &api.Estimate{ScanBytes: &bytes, BilledBytes: &nothing, CostUSD: &free}
	if scan.Relation.Rule == nil {
		var err error
		if out.TableRows, _, err = t.total.of(ctx, r, t); err != nil {
			return nil, s.failure(ctx, r, err, asking{})
		}
	}
	rows, counted := interval.Count{}, true
	for i := range files {
		f := &files[i]
		if counted = counted && f.Known; counted {
			found := f.left(chance(f).True)
			rows.Low, rows.High = rows.Low+found.Low, rows.High+found.High
		}
	}
	switch limit := scan.Limit; {
	case !counted && limit == nil:
		return out, nil
	case !counted:
		rows = interval.Count{High: *limit}
	case limit != nil:
		rows = interval.Count{Low: min(rows.Low, *limit), High: min(rows.High, *limit)}
	}
	out.RowsLow, out.RowsHigh, out.RowsUpperBound = &rows.Low, &rows.High, &rows.High
	if rows.Low != rows.High {
		return out, nil
	}
	out.ResultRows = &rows.Low
	width, err := s.width(ctx, t, scan.Select)
	if err != nil {
		return nil, s.failure(ctx, r, err, asking{})
	}
	if width >= 0 {
		size := int64(math.Round(width * float64(rows.Low)))
		out.ResultBytes = &size
	}
	return out, nil
}

// width is how many bytes a row of some columns takes in Arrow buffers; below 0 if
// that depends on its values.
func (s *Source) width(ctx context.Context, t *Table, names []string) (row float64, err error) {
	e, err := s.engines.Session(ctx, false)
	if err != nil {
		return 0, err
	}
	defer func() { e.Done(err == nil) }()
	types := make([]string, len(names))
	for i, name := range names {
		types[i] = t.Columns[t.column(name)].Type
	}
	widths, err := s.engines.Widths(ctx, e, types)
	if err != nil {
		return 0, err
	}
	for _, typ := range types {
		if widths[typ] == 0 {
			return -1, nil
		}
		row += widths[typ]
	}
	return row, nil
}
