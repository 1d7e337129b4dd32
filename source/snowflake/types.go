package snowflake

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// codec says how the values of a column are read.
type codec struct {
	name string // the name of the type in DuckDB
	typ  arrow.DataType
	// base is the column as predicates see it, and cast what is sent of it; %s is the
	// column. Empty: as it is.
	base, cast string
	json       bool
	note       string // what is lost, as a sentence without a full stop
}

func (c codec) field(name string) arrow.Field {
	f := arrow.Field{Name: name, Type: c.typ, Nullable: true}
	if c.json {
		f.Metadata = arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{"arrow.json", ""})
	}
	return f
}

var (
	text    = codec{name: "VARCHAR", typ: arrow.BinaryTypes.String}
	instant = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
)

// simple are the types by their names; a number in parentheses behind them changes nothing.
var simple = map[string]codec{
	"BOOLEAN": {name: "BOOLEAN", typ: arrow.FixedWidthTypes.Boolean}, "FLOAT": {name: "DOUBLE", typ: arrow.PrimitiveTypes.Float64},
	"REAL": {name: "DOUBLE", typ: arrow.PrimitiveTypes.Float64}, "DOUBLE": {name: "DOUBLE", typ: arrow.PrimitiveTypes.Float64},
	"VARCHAR": text, "TEXT": text, "STRING": text, "CHAR": text,
	"BINARY": {name: "BLOB", typ: arrow.BinaryTypes.Binary}, "DATE": {name: "DATE", typ: arrow.FixedWidthTypes.Date32},
	"TIME":          {name: "TIME", typ: arrow.FixedWidthTypes.Time64us},
	"TIMESTAMP_NTZ": {name: "TIMESTAMP", typ: &arrow.TimestampType{Unit: arrow.Microsecond}},
	"TIMESTAMP_LTZ": {name: "TIMESTAMP WITH TIME ZONE", typ: instant},
	"TIMESTAMP_TZ":  {name: "TIMESTAMP WITH TIME ZONE", typ: instant, base: "CONVERT_TIMEZONE('UTC', %s)"},
	"VARIANT":       {name: "JSON", typ: arrow.BinaryTypes.String, cast: "TO_JSON(%s)", json: true},
	"OBJECT":        {name: "JSON", typ: arrow.BinaryTypes.String, cast: "TO_JSON(%s::VARIANT)", json: true},
	"ARRAY":         {name: "JSON", typ: arrow.BinaryTypes.String, cast: "TO_JSON(%s::VARIANT)", json: true},
	"MAP":           {name: "JSON", typ: arrow.BinaryTypes.String, cast: "TO_JSON(%s::VARIANT)", json: true},
}

var spelling = lazyregexp.New(`^([A-Z_]+)(?:\((\d+)(?:, *(\d+))?\))?`)

// codecOf returns the codec of a type as DESCRIBE spells it. Types that have no codec of
// their own become text.
func codecOf(spelt string) codec {
	m := spelling().FindStringSubmatch(spelt)
	if m == nil {
		m = make([]string, 4)
	}
	if m[1] == "NUMBER" || m[1] == "DECIMAL" {
		p, _ := strconv.Atoi(m[2])
		s, _ := strconv.Atoi(m[3])
		if s == 0 { // INTEGER, too, is one of 38 digits; what does not fit is an error
			return codec{name: "BIGINT", typ: arrow.PrimitiveTypes.Int64}
		}
		if p > 0 && p <= 38 && s <= p {
			return codec{name: fmt.Sprintf("DECIMAL(%d,%d)", p, s), typ: &arrow.Decimal128Type{Precision: int32(p), Scale: int32(s)}}
		}
	}
	c, ok := simple[m[1]]
	if !ok {
		c = text
		c.base, c.note = "TO_VARCHAR(%s)", "the type "+spelt+" becomes text"
	}
	if strings.Contains(spelt, "COLLATE") { // texts compare by their code points
		c.base = "COLLATE(%s, 'utf8')"
	}
	return c
}
