package flightsql

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
)

// column is a column and how it is selected.
type column struct {
	api.Column
	expr    string // the select item
	warning string // what is lost, as a sentence without a full stop
}

// column decides how a column is read. The engine casts values that have no type
// in the dialect, or that Arrow or parquet cannot hold.
func (f *FlightSQL) column(field arrow.Field) (column, error) {
	d := f.o.Dialect
	name, fields, ok := typeName(d, field.Type)
	quoted := predicate.QuoteIdent(d, field.Name)
	c := column{Column: api.Column{Name: field.Name, Type: name, Nullable: field.Nullable, Fields: fields}, expr: quoted}
	if text, _ := field.Metadata.GetValue(flightsql.RemarksKey); text != "" {
		c.Description = text
	}
	if _, enum := field.Type.(*arrow.DictionaryType); !ok || enum {
		c.Type = map[predicate.Dialect]string{predicate.DuckDB: "VARCHAR", predicate.Postgres: "text"}[d]
		c.Fields, c.expr = nil, fmt.Sprintf("CAST(%s AS %s) AS %[1]s", quoted, c.Type)
		c.warning = fmt.Sprintf("column %s: %s becomes text", quoted, called(field.Type))
		return c, nil
	}
	if d != predicate.DuckDB {
		if hasInterval(field.Type) {
			// A + sign is removed, because CAST(… AS INTERVAL) of the query engine
			// does not accept it.
			c.expr = fmt.Sprintf("CAST(replace(CAST(%s AS text), '+', '') AS %s) AS %[1]s", quoted, strings.Replace(c.Type, "interval", "text", 1))
			c.warning = fmt.Sprintf("column %s: %s", quoted, intervalNote)
		}
		return c, nil
	}
	p, err := duckdb.Project([]duckdb.Column{{Name: field.Name, Type: name}})
	if err != nil {
		return c, unexpected(err.Error())
	}
	c.expr, c.warning = p[0].Expr, p[0].Warning
	return c, nil
}

// called returns a name for a type that the dialect has no word for: Arrow's name
// or, if Arrow does not know the type either, the engine's.
func called(dt arrow.DataType) string {
	if t, ok := dt.(*extensions.OpaqueType); ok {
		return fmt.Sprintf("the engine's type %q", api.Clip(t.TypeName, 80))
	}
	return api.Clip(dt.String(), 200)
}

// intervalNote explains why an interval becomes text.
const intervalNote = "INTERVAL becomes text: parquet cuts it to milliseconds and has no negative ones"

// hasInterval reports whether values of a type are intervals, or lists of them.
func hasInterval(dt arrow.DataType) bool {
	if l, ok := dt.(arrow.ListLikeType); ok {
		return hasInterval(l.Elem())
	}
	switch dt.ID() {
	case arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return true
	}
	return false
}
