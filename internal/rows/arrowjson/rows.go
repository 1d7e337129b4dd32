package arrowjson

import (
	"encoding/json"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
)

// Objects writes the rows of batches of one schema as JSON objects.
type Objects struct {
	// Names are the members of each object, in column order.
	Names []string
	// Renamed says that the schema has a name twice, so that Names differ.
	Renamed bool
	keys    []string
}

// NewObjects prepares for batches of schema s.
func NewObjects(s *arrow.Schema) *Objects {
	names, renamed := Unique(Names(s), nil)
	return &Objects{Names: names, Renamed: renamed, keys: quoteKeys(names)}
}

// Append adds row i of a batch, bound by BindBatch, on one line.
func (o *Objects) Append(dst []byte, columns []*Column, i int) []byte {
	return appendObject(dst, o.keys, columns, i)
}

// Names lists the column names of s as they are.
func Names(s *arrow.Schema) []string {
	names := make([]string, s.NumFields())
	for i, f := range s.Fields() {
		names[i] = f.Name
	}
	return names
}

// BindBatch makes every column of a batch readable.
func BindBatch(batch arrow.RecordBatch) []*Column {
	columns := make([]*Column, batch.NumCols())
	for i, f := range batch.Schema().Fields() {
		columns[i] = Bind(f, batch.Column(i))
	}
	return columns
}

// Value returns value i as it would be after encoding and decoding as JSON: nil,
// bool, json.Number, string, []any or api.Row. It is for single values; use a
// Column for many.
func Value(field arrow.Field, arr arrow.Array, i int) any {
	return value(Bind(field, arr), i)
}

// Rows returns the rows of a batch with values as in Value, so that a row is the
// same whether or not it was sent as JSON. It is for samples.
func Rows(batch arrow.RecordBatch) []api.Row {
	objects, columns := NewObjects(batch.Schema()), BindBatch(batch)
	rows := make([]api.Row, batch.NumRows())
	for i := range rows {
		rows[i] = api.Row{Columns: objects.Names, Values: make([]any, len(columns))}
		for j, c := range columns {
			rows[i].Values[j] = value(c, i)
		}
	}
	return rows
}

func value(c *Column, i int) any {
	var row api.Row // reads JSON as the receiver of a row would
	object := append(c.AppendJSON([]byte(`{"":`), i), '}')
	if err := json.Unmarshal(object, &row); err != nil {
		// A JSON value nested too deeply to decode: return its text.
		text, _ := c.AppendText(nil, i)
		return string(text)
	}
	return row.Values[0]
}
