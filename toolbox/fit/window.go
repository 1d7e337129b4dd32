package fit

import (
	"encoding/json"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// Part is the part of an answer about a window of rows that may not fit; its
// fields mean the same as in Answer, for the rows of the window.
type Part struct {
	Constant   map[string]any `json:"constant,omitempty" jsonschema:"columns that have one value in every row of the window, with that value; they are not in columns"`
	Truncated  bool           `json:"truncated" jsonschema:"rows that were asked for, parts of cells or columns are missing for lack of room"`
	CellsCut   int64          `json:"cells_cut,omitempty" jsonschema:"cells that are cut; each is an object with start and chars, its length"`
	ColumnsCut *ColumnsCut    `json:"columns_cut,omitempty" jsonschema:"columns for which there was no room"`
	Elided     *Elided        `json:"elided,omitempty" jsonschema:"the rows of the window that are not shown"`
	Rest       *Rest          `json:"rest,omitempty" jsonschema:"how to get the next rows"`
}

// Window collects a window of rows for an answer that has other members too.
type Window struct {
	// Options are as for a Collector; Reserve is without those other members.
	Options

	collector *Collector
	err       error
}

// Take reserves room for the other fields, head, and returns the function that
// receives the rows.
func (w *Window) Take(head any) func(arrow.RecordBatch) {
	n, err := sizeOf(head)
	w.Reserve += n
	w.err = err
	return func(batch arrow.RecordBatch) {
		if w.err == nil && w.collector == nil {
			w.collector, w.err = New(batch.Schema(), w.Options)
		}
		if w.err == nil {
			w.collector.Add(batch)
		}
	}
}

// Shown is what is shown of a window: column names and types, and rows.
type Shown struct {
	Columns, Types []string
	Rows           [][]json.RawMessage
	Part           Part
}

// Shown returns what fits; call it after the last row. columns and types are
// those of the window.
func (w *Window) Shown(columns, types []string) (Shown, error) {
	if w.err != nil {
		return Shown{}, w.err
	}
	if w.collector == nil { // there were no rows
		return Shown{Columns: columns, Types: types, Rows: [][]json.RawMessage{}}, nil
	}
	a := w.collector.Answer()
	s := Shown{Columns: a.Columns, Types: []string{}, Rows: a.Rows,
		Part: Part{Constant: a.Constant, Truncated: a.Truncated, CellsCut: a.CellsCut, ColumnsCut: a.ColumnsCut, Elided: a.Elided}}
	typeOf := map[string]string{}
	names, _ := arrowjson.Unique(columns, strings.ToLower) // as the collector does
	for i, name := range names {
		typeOf[name] = types[i]
	}
	for i, name := range s.Columns {
		typ, known := typeOf[name]
		if !known { // its name is cut
			typ = a.ColumnTypes[i]
		}
		s.Types = append(s.Types, typ)
	}
	return s, nil
}
