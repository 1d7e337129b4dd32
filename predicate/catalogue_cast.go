package predicate

// castTypes are the targets of casts: the names under which a dialect accepts
// them, the first one printed.
var castTypes = []struct {
	t              Type
	duck, goog, pg []string
	my             string // only printed
}{
	{t: Type{Kind: KindBool}, duck: []string{"BOOLEAN", "bool", "logical"}, goog: []string{"BOOL"}, pg: []string{"BOOLEAN", "bool"}},
	{t: intType(8), duck: []string{"TINYINT", "int1"}},
	{t: intType(16), duck: []string{"SMALLINT", "int2", "short"}, pg: []string{"SMALLINT", "int2"}},
	{t: intType(32), duck: []string{"INTEGER", "int", "int4", "signed"}, pg: []string{"INTEGER", "int", "int4"}},
	{t: intType(64), duck: []string{"BIGINT", "int8", "long"}, goog: []string{"INT64"}, pg: []string{"BIGINT", "int8"}, my: "SIGNED"},
	{t: intType(128), duck: []string{"HUGEINT"}},
	{t: Type{Kind: KindFloat, Bits: 32}, duck: []string{"FLOAT", "real", "float4"}, pg: []string{"REAL", "float4"}},
	{t: Type{Kind: KindFloat, Bits: 64}, duck: []string{"DOUBLE", "float8", "double precision"}, goog: []string{"FLOAT64"}, pg: []string{"DOUBLE PRECISION", "float8", "float"}, my: "DOUBLE"},
	{t: Type{Kind: KindDecimal, Precision: 18, Scale: 3}, duck: []string{"DECIMAL", "numeric", "dec"}},
	{t: Type{Kind: KindDecimal}, pg: []string{"NUMERIC", "decimal", "dec"}},
	{t: Type{Kind: KindDecimal, Precision: 38, Scale: 9}, goog: []string{"NUMERIC", "decimal"}},
	{t: Type{Kind: KindDecimal, Precision: 76, Scale: 38}, goog: []string{"BIGNUMERIC"}},
	{t: Type{Kind: KindString}, duck: []string{"VARCHAR", "text", "string", "char", "bpchar"}, goog: []string{"STRING"}, pg: []string{"TEXT", "varchar", "character varying"}, my: "CHAR"},
	{t: Type{Kind: KindBytes}, duck: []string{"BLOB", "bytea", "binary", "varbinary"}, goog: []string{"BYTES"}, pg: []string{"BYTEA"}},
	{t: Type{Kind: KindDate}, duck: []string{"DATE"}, goog: []string{"DATE"}, pg: []string{"DATE"}, my: "DATE"},
	{t: Type{Kind: KindTime}, duck: []string{"TIME", "time without time zone"}, goog: []string{"TIME"}, pg: []string{"TIME", "time without time zone"}},
	{t: Type{Kind: KindDateTime}, duck: []string{"TIMESTAMP", "datetime", "timestamp without time zone"}, goog: []string{"DATETIME"}, pg: []string{"TIMESTAMP", "timestamp without time zone"}, my: "DATETIME(6)"},
	{t: Type{Kind: KindTimestamp}, duck: []string{"TIMESTAMPTZ", "timestamp with time zone"}, goog: []string{"TIMESTAMP"}, pg: []string{"TIMESTAMPTZ", "timestamp with time zone"}, my: "DATETIME(6)"},
	{t: Type{Kind: KindInterval}, duck: []string{"INTERVAL"}, pg: []string{"INTERVAL"}},
	{t: Type{Kind: KindUUID}, duck: []string{"UUID"}, pg: []string{"UUID"}},
}

// castIndex is castTypes by name.
var castIndex = func() map[Dialect]map[string]Type {
	out := map[Dialect]map[string]Type{DuckDB: {}, GoogleSQL: {}, Postgres: {}}
	for _, ct := range castTypes {
		for d, names := range map[Dialect][]string{DuckDB: ct.duck, GoogleSQL: ct.goog, Postgres: ct.pg} {
			for _, n := range names {
				out[d][asciiLower(n)] = ct.t
			}
		}
	}
	return out
}()

func castNames(d Dialect) map[string]Type { return castIndex[d] }

// castSpelling is how the dialect writes a type without parameters; empty if
// it has none.
func castSpelling(d Dialect, t Type) string {
	for _, ct := range castTypes {
		names := map[Dialect][]string{DuckDB: ct.duck, GoogleSQL: ct.goog, Postgres: ct.pg, MySQL: {ct.my}}[d]
		if len(names) == 0 || names[0] == "" || ct.t.Kind != t.Kind || (t.Kind == KindInt || t.Kind == KindFloat) && ct.t.Bits != t.Bits {
			continue
		}
		if d == GoogleSQL && t.Kind == KindDecimal && t.Scale > 9 != (ct.t.Scale > 9) {
			continue
		}
		return names[0]
	}
	return ""
}

// castable tells which conversions exist; those that can fail at run time do
// so in the engine.
func castable(d Dialect, from, to Type) bool {
	f, t := from.Kind, to.Kind
	switch {
	case f == KindNull || f == t && f != KindUnknown && f != KindList && f != KindStruct && f != KindMap && f != KindJSON:
		return true
	case f == KindUnknown:
		return t == KindString && d != GoogleSQL
	case f == KindList || f == KindStruct || f == KindMap:
		return false
	case f == KindJSON:
		return t == KindString && d != GoogleSQL
	case t == KindString || f == KindString:
		return true
	case from.numeric() && to.numeric():
		return true
	case f == KindBool && t == KindInt, f == KindInt && t == KindBool:
		return d != Postgres || from.Bits == 32 || to.Bits == 32
	case f == KindDate:
		return t == KindDateTime || t == KindTimestamp
	case f == KindDateTime, f == KindTimestamp:
		return t == KindDate || t == KindTime && !(d == DuckDB && f == KindTimestamp) || t == KindDateTime || t == KindTimestamp
	}
	return false
}

// plainCast tells the conversions that give the same value in every engine.
func plainCast(from, to Type) bool {
	f, t := from.Kind, to.Kind
	switch {
	case from.Padded || from.Bits > 64 || to.Bits > 64:
		return false
	case f == KindInt && t == KindInt:
		return to.Bits == 64
	case f == KindInt:
		return t == KindFloat && to.Bits == 64 && from.Bits <= 32 || t == KindString
	case f == KindDate:
		return t == KindDateTime || t == KindString || t == KindDate || t == KindTimestamp
	case f == t:
		return f == KindString || f == KindBool || f == KindBytes || f == KindDateTime || f == KindTimestamp || f == KindUUID || f == KindFloat && from.Bits == 64 && to.Bits == 64
	case f == KindDateTime || f == KindTimestamp:
		// Sessions are in UTC everywhere.
		return t == KindDate || t == KindTimestamp || t == KindDateTime
	}
	return false
}
