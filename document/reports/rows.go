package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table/xlsx"
)

// Rows are the result of a statement. Values are strings, json.Number, booleans
// and nil.
type Rows struct {
	Columns []string
	Dates   []bool   // for each column: its texts are dates or times
	Formats []string // for each column: the number format for its type; may be ""
	Values  [][]any
	Caveats []api.Caveat // about the values
	Asked   figures.Asked
}

// UnmarshalJSON implements json.Unmarshaler: numbers keep their digits.
func (r *Rows) UnmarshalJSON(text []byte) error {
	type plain Rows
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode((*plain)(r))
}

// ReadRows reads a result to its end; more rows than most are an error.
func ReadRows(batches api.Rows, most int) (*Rows, error) {
	fields := batches.Schema().Fields()
	out := &Rows{}
	for _, f := range fields {
		out.Columns = append(out.Columns, f.Name)
		out.Dates = append(out.Dates, slices.Contains([]arrow.Type{arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP, arrow.TIME32, arrow.TIME64},
			f.Type.ID()))
		out.Formats = append(out.Formats, numberFormat(f.Type))
	}
	for batches.Next() {
		batch := batches.RecordBatch()
		if int64(len(out.Values))+batch.NumRows() > int64(most) {
			return nil, &api.Error{Code: api.CodeTooLarge, Kind: api.KindRows,
				Message: fmt.Sprintf("the statement has more than %s rows, the most that can be put there", humanize.Grouped(int64(most))),
				Hint:    "Add a LIMIT, or sum the rows up."}
		}
		out.Values = append(out.Values, Values(batch)...)
	}
	out.Caveats = api.Arranged(batches.Caveats())
	return out, batches.Err()
}

// Values are the rows of a batch as documents store them.
func Values(batch arrow.RecordBatch) (out [][]any) {
	for _, row := range arrowjson.Rows(batch) {
		for i, v := range row.Values {
			row.Values[i] = documentValue(batch.Schema().Field(i), v)
		}
		out = append(out, row.Values)
	}
	return out
}

// numberFormat shows integers without an exponent, and decimals with all of their
// places.
func numberFormat(t arrow.DataType) string {
	if d, ok := t.(arrow.DecimalType); ok && d.GetScale() > 0 {
		return "0." + strings.Repeat("0", int(d.GetScale()))
	}
	if arrow.IsInteger(t.ID()) || arrow.IsDecimal(t.ID()) {
		return "0"
	}
	return ""
}

// documentValue returns a value as documents store it: numbers transported as
// text become numbers, and lists and structs become JSON.
func documentValue(f arrow.Field, v any) any {
	switch v := v.(type) {
	case nil, bool, json.Number:
		return v
	case string:
		if arrowjson.Numeric(f) && json.Valid([]byte(v)) {
			return json.Number(v)
		}
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// lines returns rows as text: tab-separated values, one line per row.
func (r *Rows) lines() string {
	var lines []string
	for _, row := range r.Values {
		var cells []string
		for _, v := range row {
			cells = append(cells, text(v))
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	return strings.Join(lines, "\n")
}

func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// Noted describes the rows for a receipt.
func (r *Rows) Noted(statement string) figures.Answer {
	return figures.Answer{Statement: statement, Asked: r.Asked, Caveats: r.Caveats, Columns: r.Columns}
}

// Marked are the rows with marks around their values, as those of an answer.
func (r *Rows) Marked(answer int) *Rows {
	with := *r
	with.Values = figures.Marked(answer, r.Values)
	return &with
}

// Table is the rows below their names.
func (r *Rows) Table() [][]any {
	head := make([]any, len(r.Columns))
	for i, name := range r.Columns {
		head[i] = name
	}
	return append([][]any{head}, r.Values...)
}

// Dated are the rows with dates and times as workbooks calculate with them. What is lost
// of them becomes caveats of the rows.
func (r *Rows) Dated() [][]any {
	var lost xlsx.Notes
	out := make([][]any, len(r.Values))
	for i, row := range r.Values {
		out[i] = slices.Clone(row)
		for c, v := range row {
			text, ok := v.(string)
			if !ok || !r.Dates[c] {
				continue
			}
			known := sheet.IsDate(text)
			if lost.Time(text, known, c); known {
				out[i][c] = sheet.Date(text)
			}
		}
	}
	r.Caveats = api.Arranged(append(r.Caveats, lost.Caveats(r.Columns)...))
	return out
}

// widest limits the width of columns, in characters; longer texts overflow their
// cell.
const widest = 60

// SheetTable returns the operations that write rows as a table of a sheet,
// starting at a cell, with number formats for their types and columns as wide as
// their contents.
func (r *Rows) SheetTable(name, start, table string) ([]sheet.Operation, error) {
	dated := &Rows{Columns: r.Columns, Values: r.Dated()}
	ops := []sheet.Operation{{Op: sheet.AddTable, Sheet: name, Start: start, Name: table, Values: dated.Table()}}
	for c := range r.Columns {
		from, err := sheet.Shifted(start, 0, c)
		if err != nil {
			return nil, err
		}
		ops = append(ops, sheet.Operation{Op: sheet.SetFormat, Sheet: name, Range: from, Format: &sheet.Format{Width: r.width(c)}})
		if r.Formats[c] == "" || len(r.Values) == 0 {
			continue
		}
		first, err := sheet.Shifted(start, 1, c)
		if err != nil {
			return nil, err
		}
		last, err := sheet.Shifted(start, len(r.Values), c)
		if err != nil {
			return nil, err
		}
		ops = append(ops, sheet.Operation{Op: sheet.SetFormat, Sheet: name, Range: first + ":" + last,
			Format: &sheet.Format{Number: r.Formats[c]}})
	}
	return ops, nil
}

// width is the required width of a column, in characters: next to its name there
// is a button.
func (r *Rows) width(c int) float64 {
	const button, least = 3, 8
	longest := max(utf8.RuneCountInString(r.Columns[c])+button, least)
	for _, row := range r.Values {
		longest = max(longest, utf8.RuneCountInString(text(row[c]))+1)
	}
	return float64(min(longest, widest))
}
