package embedded

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
)

// Warned adds caveats to the schema of rows.
func Warned(rows array.RecordReader, caveats []api.Caveat) array.RecordReader {
	if len(caveats) == 0 {
		return rows
	}
	all := append(slices.Clone(api.SchemaCaveats(rows.Schema())), caveats...)
	return warnedRows{rows, api.SchemaWith(rows.Schema().Fields(), all)}
}

type warnedRows struct {
	array.RecordReader
	schema *arrow.Schema
}

// Schema returns the schema with the caveats.
func (w warnedRows) Schema() *arrow.Schema { return w.schema }
