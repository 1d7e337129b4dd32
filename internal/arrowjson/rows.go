package arrowjson

import (
	"encoding/json"
	"fmt"

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

// Value returns value i as it looks after a journey through JSON: nil, bool,
// json.Number, string, []any or api.Row. It is meant for a few values; for
// many, use a Column.
func Value(field arrow.Field, arr arrow.Array, i int) (any, error) {
	one := []*Column{Bind(field, arr)}
	row, err := decode(appendObject(nil, quoteKeys([]string{field.Name}), one, i))
	if err != nil {
		return nil, err
	}
	return row.Values[0], nil
}

// RowsOf returns the rows of a batch with values as those of Value, so that a
// row is the same whether it has travelled or not. It is meant for samples.
func RowsOf(batch arrow.RecordBatch) ([]api.Row, error) {
	objects, columns := NewObjects(batch.Schema()), BindBatch(batch)
	rows := make([]api.Row, batch.NumRows())
	var text []byte
	for i := range rows {
		text = objects.Append(text[:0], columns, i)
		row, err := decode(text)
		if err != nil {
			return nil, err
		}
		row.Columns = objects.Names
		rows[i] = row
	}
	return rows, nil
}

func decode(object []byte) (api.Row, error) {
	var row api.Row
	if err := json.Unmarshal(object, &row); err != nil {
		return api.Row{}, fmt.Errorf("row as JSON: %w", err)
	}
	return row, nil
}
