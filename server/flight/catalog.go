package flightapi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
)

// The catalog has one level: statements name tables by their ids alone. So there is one
// catalog and one schema, both without a name, which is how drivers are told to name none.

const tableType = "TABLE"

// rowsOf sends rows of texts, in which nil is NULL.
func rowsOf(schema *arrow.Schema, rows ...[]any) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, row := range rows {
		for i, v := range row {
			switch v := v.(type) {
			case string:
				b.Field(i).(*array.StringBuilder).Append(v)
			case []byte:
				b.Field(i).(*array.BinaryBuilder).Append(v)
			}
		}
	}
	out := make(chan flight.StreamChunk, 1)
	out <- flight.StreamChunk{Data: b.NewRecordBatch()}
	close(out)
	return schema, out, nil
}

// GetFlightInfoCatalogs names the ticket of DoGetCatalogs.
func (*statements) GetFlightInfoCatalogs(_ context.Context, desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return ticketed(desc, desc.Cmd, schema_ref.Catalogs), nil
}

// DoGetCatalogs lists the one catalog.
func (*statements) DoGetCatalogs(context.Context) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return rowsOf(schema_ref.Catalogs, []any{""})
}

// GetFlightInfoSchemas names the ticket of DoGetDBSchemas.
func (*statements) GetFlightInfoSchemas(_ context.Context, _ flightsql.GetDBSchemas,
	desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return ticketed(desc, desc.Cmd, schema_ref.DBSchemas), nil
}

// DoGetDBSchemas lists the one schema.
func (*statements) DoGetDBSchemas(_ context.Context, cmd flightsql.GetDBSchemas) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	if err := checkPatterns(cmd.GetDBSchemaFilterPattern()); err != nil {
		return nil, nil, err
	}
	if !isUnnamed(cmd.GetCatalog()) || !like(cmd.GetDBSchemaFilterPattern(), "") {
		return rowsOf(schema_ref.DBSchemas)
	}
	return rowsOf(schema_ref.DBSchemas, []any{"", ""})
}

// GetFlightInfoTables names the ticket of DoGetTables.
func (*statements) GetFlightInfoTables(_ context.Context, cmd flightsql.GetTables,
	desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return ticketed(desc, desc.Cmd, tablesSchema(cmd)), nil
}

func tablesSchema(cmd flightsql.GetTables) *arrow.Schema {
	if cmd.GetIncludeSchema() {
		return schema_ref.TablesWithIncludedSchema
	}
	return schema_ref.Tables
}

// DoGetTables lists the tables that the caller may read.
func (*statements) DoGetTables(ctx context.Context, cmd flightsql.GetTables) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	if err := checkPatterns(cmd.GetDBSchemaFilterPattern(), cmd.GetTableNameFilterPattern()); err != nil {
		return nil, nil, err
	}
	types := cmd.GetTableTypes()
	if !isUnnamed(cmd.GetCatalog()) || !like(cmd.GetDBSchemaFilterPattern(), "") || len(types) > 0 && !slices.Contains(types, tableType) {
		return rowsOf(tablesSchema(cmd))
	}
	data := visitOf(ctx).data
	list, err := data.Tables(ctx)
	if err != nil {
		return nil, nil, err
	}
	var rows [][]any
	for _, t := range list.Tables {
		if !like(cmd.GetTableNameFilterPattern(), t.ID) {
			continue
		}
		row := []any{"", "", t.ID, tableType}
		if cmd.GetIncludeSchema() {
			schema, err := data.Schema(ctx, t.ID)
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			var columns []api.Column
			if err == nil { // a table whose source is away has no columns now
				columns = schema.Columns
			}
			row = append(row, flight.SerializeSchema(arrowSchema(columns), memory.DefaultAllocator))
		}
		rows = append(rows, row)
	}
	return rowsOf(tablesSchema(cmd), rows...)
}

// GetFlightInfoTableTypes names the ticket of DoGetTableTypes.
func (*statements) GetFlightInfoTableTypes(_ context.Context, desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return ticketed(desc, desc.Cmd, schema_ref.TableTypes), nil
}

// DoGetTableTypes lists the one type of tables.
func (*statements) DoGetTableTypes(context.Context) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return rowsOf(schema_ref.TableTypes, []any{tableType})
}

// GetFlightInfoPrimaryKeys names the ticket of DoGetPrimaryKeys.
func (*statements) GetFlightInfoPrimaryKeys(_ context.Context, _ flightsql.TableRef,
	desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return ticketed(desc, desc.Cmd, schema_ref.PrimaryKeys), nil
}

// DoGetPrimaryKeys lists none: no source tells them.
func (*statements) DoGetPrimaryKeys(context.Context, flightsql.TableRef) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return rowsOf(schema_ref.PrimaryKeys)
}

// GetFlightInfoExportedKeys names the ticket of DoGetExportedKeys.
func (*statements) GetFlightInfoExportedKeys(_ context.Context, _ flightsql.TableRef,
	desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return ticketed(desc, desc.Cmd, schema_ref.ExportedKeys), nil
}

// DoGetExportedKeys lists none.
func (*statements) DoGetExportedKeys(context.Context, flightsql.TableRef) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return rowsOf(schema_ref.ExportedKeys)
}

// GetFlightInfoImportedKeys names the ticket of DoGetImportedKeys.
func (*statements) GetFlightInfoImportedKeys(_ context.Context, _ flightsql.TableRef,
	desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return ticketed(desc, desc.Cmd, schema_ref.ImportedKeys), nil
}

// DoGetImportedKeys lists none.
func (*statements) DoGetImportedKeys(context.Context, flightsql.TableRef) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return rowsOf(schema_ref.ImportedKeys)
}

// GetFlightInfoCrossReference names the ticket of DoGetCrossReference.
func (*statements) GetFlightInfoCrossReference(_ context.Context, _ flightsql.CrossTableRef,
	desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return ticketed(desc, desc.Cmd, schema_ref.CrossReference), nil
}

// DoGetCrossReference lists none.
func (*statements) DoGetCrossReference(context.Context, flightsql.CrossTableRef) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return rowsOf(schema_ref.CrossReference)
}

// GetFlightInfoXdbcTypeInfo names the ticket of DoGetXdbcTypeInfo.
func (*statements) GetFlightInfoXdbcTypeInfo(_ context.Context, _ flightsql.GetXdbcTypeInfo,
	desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return ticketed(desc, desc.Cmd, schema_ref.XdbcTypeInfo), nil
}

// DoGetXdbcTypeInfo lists none: nothing is created here, so no type has to be written.
func (*statements) DoGetXdbcTypeInfo(context.Context, flightsql.GetXdbcTypeInfo) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return rowsOf(schema_ref.XdbcTypeInfo)
}

// isUnnamed reports whether a filter admits what has no name.
func isUnnamed(name *string) bool { return name == nil || *name == "" }

// maxPattern is the length in bytes of the longest pattern that is looked for: names have
// at most api.MaxName.
const maxPattern = 1000

// checkPatterns refuses patterns that are work and find nothing.
func checkPatterns(patterns ...*string) error {
	if slices.ContainsFunc(patterns, func(p *string) bool { return p != nil && len(*p) > maxPattern }) {
		return &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("a pattern of names is longer than %d bytes", maxPattern)}
	}
	return nil
}

// like reports whether a name has the form of a pattern of LIKE in any case, whose escape
// is \; nil is any. Where a % has taken too little, it takes one more.
func like(pattern *string, name string) bool {
	if pattern == nil {
		return true
	}
	p, n := []rune(strings.ToLower(*pattern)), []rune(strings.ToLower(name))
	at, back, taken := 0, -1, 0 // in p; behind the last %; how far that has gone in n
	for i := 0; i < len(n); {
		one := at
		if at < len(p) && p[at] == '\\' {
			one = min(at+1, len(p)-1)
		}
		switch {
		case at < len(p) && p[at] == '%':
			at++
			back, taken = at, i
		case at < len(p) && (p[at] == '_' || p[one] == n[i]):
			at, i = one+1, i+1
		case back >= 0:
			taken++
			at, i = back, taken
		default:
			return false
		}
	}
	return strings.Trim(string(p[at:]), "%") == "" || string(p[at:]) == "\\"
}

// arrowSchema tells drivers what columns are like before rows come. Rows bring their own
// types, which can be finer.
func arrowSchema(columns []api.Column) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowType(c.Type), Nullable: c.Nullable}
	}
	return arrow.NewSchema(fields, nil)
}

// arrowTypes are those of the names of types, in the dialects of all sources.
var arrowTypes = map[string]arrow.DataType{
	"TINYINT": arrow.PrimitiveTypes.Int8, "SMALLINT": arrow.PrimitiveTypes.Int16, "INT2": arrow.PrimitiveTypes.Int16,
	"INTEGER": arrow.PrimitiveTypes.Int32, "INT": arrow.PrimitiveTypes.Int32, "INT4": arrow.PrimitiveTypes.Int32,
	"BIGINT": arrow.PrimitiveTypes.Int64, "INT8": arrow.PrimitiveTypes.Int64, "INT64": arrow.PrimitiveTypes.Int64,
	"REAL": arrow.PrimitiveTypes.Float32, "FLOAT": arrow.PrimitiveTypes.Float32, "FLOAT4": arrow.PrimitiveTypes.Float32,
	"DOUBLE": arrow.PrimitiveTypes.Float64, "DOUBLE PRECISION": arrow.PrimitiveTypes.Float64, "FLOAT8": arrow.PrimitiveTypes.Float64,
	"FLOAT64": arrow.PrimitiveTypes.Float64, "BOOLEAN": arrow.FixedWidthTypes.Boolean, "BOOL": arrow.FixedWidthTypes.Boolean,
	"DATE": arrow.FixedWidthTypes.Date32, "TIME": arrow.FixedWidthTypes.Time64us,
	"TIMESTAMP": &arrow.TimestampType{Unit: arrow.Microsecond}, "TIMESTAMP WITHOUT TIME ZONE": &arrow.TimestampType{Unit: arrow.Microsecond},
	"TIMESTAMPTZ": arrow.FixedWidthTypes.Timestamp_us, "TIMESTAMP WITH TIME ZONE": arrow.FixedWidthTypes.Timestamp_us,
	"BLOB": arrow.BinaryTypes.Binary, "BYTEA": arrow.BinaryTypes.Binary, "BYTES": arrow.BinaryTypes.Binary,
}

// arrowType is that of the name of a type; text for all that has no name of its own.
func arrowType(name string) arrow.DataType {
	name = strings.ToUpper(name)
	if t := arrowTypes[name]; t != nil {
		return t
	}
	var digits, scale int32
	if n, _ := fmt.Sscanf(strings.Replace(name, "NUMERIC", "DECIMAL", 1), "DECIMAL(%d,%d)", &digits, &scale); n == 2 && digits <= 38 {
		return &arrow.Decimal128Type{Precision: digits, Scale: scale}
	}
	return arrow.BinaryTypes.String
}
