package table

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/intake"
)

// dataTable is the name of the first file in statements.
const dataTable = "data"

// RowsRequest asks for rows by position.
type RowsRequest struct {
	Source
	RowStart int64    `json:"row_start"` // from 1
	RowCount int64    `json:"row_count"`
	Columns  []string `json:"columns,omitempty"` // empty: all
	Take     Taker    `json:"-"`
	// Named, if set, is called with the columns and their types before Take.
	Named   func(columns, types []string) `json:"-"`
	Timeout time.Duration                 `json:"-"` // 0: ReadTimeout
}

// Taker receives the rows of an answer as they are read. It is called before the
// first row with the answer so far, without its columns, and returns a function
// that gets the rows. The answer then only counts them. A batch is valid only
// during the call.
type Taker func(head any) func(arrow.RecordBatch)

// Rows are rows of a file, in its order.
type Rows struct {
	Columns     []string            `json:"columns"`
	ColumnTypes []string            `json:"column_types"`
	Rows        [][]json.RawMessage `json:"rows"`
	RowStart    int64               `json:"row_start"`
	RowCount    int64               `json:"row_count"` // rows returned
	TotalRows   int64               `json:"total_rows"`
	HasMore     bool                `json:"has_more"`
	Caveats     []api.Caveat        `json:"caveats"`
}

// Rows reads rows by position.
func (t *Tables) Rows(ctx context.Context, r RowsRequest) (*Rows, error) {
	if r.RowStart < 1 || r.RowCount < 0 {
		return nil, badWindow(r)
	}
	ctx, cancel := limitTime(ctx, r.Timeout, ReadTimeout)
	defer cancel()
	l, err := t.examine(ctx, r.Source)
	if err != nil {
		return nil, notRead(ctx, err)
	}
	defer l.Close()
	p := l.profile()
	columns, err := chooseColumns(l, r.Columns)
	if err != nil {
		return nil, err
	}
	l.only(columns)
	out := &Rows{
		Columns: []string{}, ColumnTypes: []string{}, Rows: [][]json.RawMessage{},
		RowStart: r.RowStart, TotalRows: p.Rows,
	}
	for _, c := range columns {
		out.Columns = append(out.Columns, c.Name)
		out.ColumnTypes = append(out.ColumnTypes, string(c.Type))
	}
	out.Caveats = api.CaveatsAbout(out.Columns, Caveats(p))
	if r.Named != nil {
		r.Named(out.Columns, out.ColumnTypes)
	}
	r.RowCount = min(r.RowCount, math.MaxInt64-r.RowStart)
	if len(columns) > 0 && r.RowCount > 0 && r.RowStart <= p.Rows {
		w := &window{most: r.RowCount}
		if r.Take != nil {
			head := *out
			head.Columns, head.ColumnTypes = nil, nil
			w.take = r.Take(head)
		}
		warned, err := t.readRows(ctx, l, out.Columns, r, w)
		if err != nil {
			return nil, timedOut(ctx, err)
		}
		out.Caveats = append(out.Caveats, api.CaveatsOf(api.CaveatNarrowed, warned...)...)
		out.Rows, out.RowCount = w.rows, w.kept
	}
	out.HasMore = r.RowStart-1+out.RowCount < p.Rows
	return out, nil
}

func badWindow(r RowsRequest) error {
	return &api.Error{
		Code: api.CodeValidation, Message: "rows are counted from 1, and their number cannot be negative",
		Next: []api.Step{api.SetTo(api.OptionRowStart, "1", "begin with the first row"),
			api.Set(api.OptionRowCount, "say how many: 0 or more")},
		Details: map[string]any{"row_start": r.RowStart, "row_count": r.RowCount},
	}
}

// chooseColumns finds columns by name, case aside if need be.
func chooseColumns(l *looked, names []string) ([]intake.Column, error) {
	p := l.profile()
	if len(names) == 0 {
		return p.Columns, nil
	}
	var all []string
	for _, c := range p.Columns {
		all = append(all, c.Name)
	}
	var out []intake.Column
	for _, name := range names {
		found := -1
		for i, c := range all {
			if c == name || found < 0 && strings.EqualFold(c, name) {
				found = i
				if c == name {
					break
				}
			}
		}
		if found < 0 {
			return nil, unknownColumn(l.shown, name, all)
		}
		out = append(out, p.Columns[found])
	}
	return out, nil
}

func (t *Tables) readRows(ctx context.Context, l *looked, columns []string, r RowsRequest, w *window) (warnings []string, err error) {
	if l.nearStart(columns, r) {
		return nil, t.readStart(ctx, l, columns, r, w)
	}
	s, err := t.session(ctx, map[string]*looked{dataTable: l}, limits{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	sql, warnings, err := s.conn.Legible(ctx, rowsSQL(l, columns, r))
	if err != nil {
		return nil, queryError(ctx, nil, err)
	}
	stream, err := s.conn.Query(ctx, sql)
	if err != nil {
		return nil, queryError(ctx, nil, err)
	}
	defer stream.Release()
	return warnings, queryError(ctx, nil, w.read(stream))
}

// rowsSQL selects rows by position.
func rowsSQL(l *looked, columns []string, r RowsRequest) string {
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = duckdb.Quote(c)
	}
	from, position := relation(l, "f0"), "rowid"
	if l.file.Kind == format.Parquet {
		from, position = "read_parquet("+duckdb.PathLiteral(l.file.EnginePath())+", file_row_number = true)", "file_row_number"
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE %[3]s >= %[4]d AND %[3]s < %[5]d ORDER BY %[3]s",
		strings.Join(quoted, ", "), from, position, r.RowStart-1, r.RowStart-1+r.RowCount)
}

// window collects a part of a result as JSON.
type window struct {
	skip  int64 // rows before it
	most  int64
	extra int64                   // rows behind it that are counted
	take  func(arrow.RecordBatch) // gets the rows, if set
	rows  [][]json.RawMessage
	kept  int64 // rows in it
	seen  int64 // rows of the result that were read
	whole bool  // the result was read to its end
}

// read reads as much of the result as the window needs.
func (w *window) read(r array.RecordReader) error {
	w.rows = [][]json.RawMessage{}
	for r.Next() {
		rec := r.RecordBatch()
		n := rec.NumRows()
		if w.seen+n > w.skip && w.seen < w.skip+w.most {
			w.keep(rec, max(0, w.skip-w.seen), min(n, w.skip+w.most-w.seen))
		}
		w.seen += n
		if w.seen > w.skip+w.most+w.extra {
			return r.Err()
		}
	}
	w.whole = r.Err() == nil
	return r.Err()
}

// keep keeps rows [from, until) of a batch.
func (w *window) keep(rec arrow.RecordBatch, from, until int64) {
	w.kept += until - from
	if w.take != nil {
		part := rec.NewSlice(from, until)
		defer part.Release()
		w.take(part)
		return
	}
	columns := arrowjson.BindBatch(rec)
	for i := from; i < until; i++ {
		row := make([]json.RawMessage, len(columns))
		for j, c := range columns {
			row[j] = c.AppendJSON(nil, int(i))
		}
		w.rows = append(w.rows, row)
	}
}
