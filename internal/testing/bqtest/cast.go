package bqtest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cloudspannerecosystem/memefish/ast"
)

// tries are casts in the engine's SQL, %s being the value: NULL where a value
// does not fit. What is not here is refused; where GoogleSQL reads or writes
// texts in another way than the engine, the way is spelt out.
var tries = map[[2]string]string{
	{"INT64", "STRING"}:     "CAST(%s AS VARCHAR)",
	{"INT64", "FLOAT64"}:    "CAST(%s AS DOUBLE)",
	{"INT64", "NUMERIC"}:    "CAST(%s AS DECIMAL(38,9))",
	{"INT64", "BOOL"}:       "(%s <> 0)",
	{"BOOL", "INT64"}:       "CAST(%s AS BIGINT)",
	{"BOOL", "STRING"}:      "CAST(%s AS VARCHAR)",
	{"FLOAT64", "INT64"}:    "TRY_CAST(round(%s) AS BIGINT)",
	{"FLOAT64", "NUMERIC"}:  "bq_numeric(%s)",
	{"NUMERIC", "INT64"}:    "TRY_CAST(round(%s) AS BIGINT)",
	{"NUMERIC", "FLOAT64"}:  "CAST(%s AS DOUBLE)",
	{"NUMERIC", "STRING"}:   "rtrim(rtrim(CAST(%s AS VARCHAR), '0'), '.')",
	{"STRING", "INT64"}:     `CASE WHEN regexp_full_match(%[1]s, '\s*[-+]?[0-9]+\s*') THEN TRY_CAST(trim(%[1]s) AS BIGINT) END`,
	{"STRING", "FLOAT64"}:   `CASE WHEN regexp_full_match(%[1]s, '\s*[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?\s*') THEN TRY_CAST(trim(%[1]s) AS DOUBLE) END`,
	{"STRING", "NUMERIC"}:   `CASE WHEN regexp_full_match(%[1]s, '\s*[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?\s*') THEN TRY_CAST(trim(%[1]s) AS DECIMAL(38,9)) END`,
	{"STRING", "BOOL"}:      "CASE lower(%s) WHEN 'true' THEN true WHEN 'false' THEN false END",
	{"STRING", "BYTES"}:     "encode(%s)",
	{"BYTES", "STRING"}:     "decode(%s)",
	{"STRING", "DATE"}:      `CASE WHEN regexp_full_match(%[1]s, '\s*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\s*') THEN TRY_CAST(trim(%[1]s) AS DATE) END`,
	{"STRING", "TIME"}:      `CASE WHEN regexp_full_match(%[1]s, '[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]{1,6})?') THEN TRY_CAST(%[1]s AS TIME) END`,
	{"STRING", "DATETIME"}:  `CASE WHEN regexp_full_match(%[1]s, '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]{1,6})?)?') THEN TRY_CAST(%[1]s AS TIMESTAMP) END`,
	{"STRING", "TIMESTAMP"}: `CASE WHEN regexp_full_match(%[1]s, '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]{1,6})?)?(Z|[-+][0-9]{2}(:[0-9]{2})?)?') THEN TRY_CAST(%[1]s AS TIMESTAMPTZ) END`,
	{"DATE", "STRING"}:      "strftime(%s, '%%Y-%%m-%%d')",
	{"DATE", "DATETIME"}:    "CAST(%s AS TIMESTAMP)",
	{"DATE", "TIMESTAMP"}:   "CAST(%s AS TIMESTAMPTZ)",
	{"DATETIME", "DATE"}:    "CAST(%s AS DATE)", {"DATETIME", "TIME"}: "CAST(%s AS TIME)", {"DATETIME", "TIMESTAMP"}: "CAST(%s AS TIMESTAMPTZ)",
	{"TIMESTAMP", "DATE"}: "CAST(%s AS DATE)", {"TIMESTAMP", "DATETIME"}: "CAST(%s AS TIMESTAMP)", {"TIMESTAMP", "TIME"}: "CAST(CAST(%s AS TIMESTAMP) AS TIME)",
	{"BIGNUMERIC", "STRING"}: "%s",
}

func (x *translator) cast(e *ast.CastExpr) (val, error) {
	v, err := x.expr(e.Expr)
	if err != nil {
		return val{}, err
	}
	if v.typ.kind == "" { // NULL is one of every type
		t, err := parseType(e.Type.SQL())
		if err != nil {
			return val{}, cannot("a cast to this type")
		}
		return val{sql: "CAST(NULL AS " + t.engine() + ")", typ: t}, nil
	}
	var to string
	switch t := e.Type.(type) {
	case *ast.SimpleType:
		to = string(t.Name)
	case *ast.NamedType:
		if len(t.Path) == 1 {
			to = t.Path[0].Name
		}
	}
	to = strings.ToUpper(to)
	if to == "DECIMAL" {
		to = "NUMERIC"
	}
	if _, ok := engineTypes[to]; !ok {
		return val{}, cannot("a cast to this type")
	}
	t := scalar(to)
	if v.typ.kind == to && x.parameters(e.Type) == "" {
		return val{sql: "CAST(" + v.sql + " AS " + t.engine() + ")", typ: t}, nil
	}
	try, ok := tries[[2]string{v.typ.kind, to}]
	if v.typ.kind == to {
		try, ok = "%s", true
	}
	if !ok {
		return val{}, cannot("a cast of %s to %s", v.typ.kind, to)
	}
	sql := "(" + fmt.Sprintf(try, v.sql) + ")"
	if p := x.parameters(e.Type); p != "" {
		sql = "CAST(TRY_CAST(" + sql + " AS DECIMAL" + p + ") AS DECIMAL(38,9))"
	}
	if !e.Safe {
		sql = fmt.Sprintf("(CASE WHEN %s IS NULL THEN NULL WHEN %s IS NULL THEN error('Bad value for a cast to %s') ELSE %s END)", v.sql, sql, to, sql)
	}
	return val{sql: sql, typ: t}, nil
}

// parameters are those of NUMERIC(p, s), which memefish does not parse.
func (x *translator) parameters(t ast.Type) string {
	if p, ok := x.p.params[int(t.End())]; ok {
		return fmt.Sprintf("(%d,%d)", p[0], p[1])
	}
	return ""
}

// intervalRange reads INTERVAL '1-2 3 4:5:6.5' YEAR TO SECOND, the only range
// that is written.
func intervalRange(e *ast.IntervalLiteralRange) (val, error) {
	if e.StartingDateTimePart != ast.DateTimePartYear || e.EndingDateTimePart != ast.DateTimePartSecond {
		return val{}, cannot("this INTERVAL")
	}
	parts := strings.Fields(e.Value.Value)
	if len(parts) != 3 {
		return val{}, invalid("Invalid INTERVAL literal '%s'", e.Value.Value)
	}
	sign, ym := signOf(parts[0])
	years, months, ok := strings.Cut(ym, "-")
	timeSign, clock := signOf(parts[2])
	hms := strings.Split(clock, ":")
	if !ok || len(hms) != 3 {
		return val{}, invalid("Invalid INTERVAL literal '%s'", e.Value.Value)
	}
	numbers := []string{years, months, parts[1], hms[0], hms[1], hms[2]}
	for _, n := range numbers {
		if _, err := strconv.ParseFloat(n, 64); err != nil {
			return val{}, invalid("Invalid INTERVAL literal '%s'", e.Value.Value)
		}
	}
	return of("INTERVAL", "to_months(%s(%s * 12 + %s)) + to_days(%s) + to_microseconds(%s CAST((%s * 3600 + %s * 60) * 1000000 + CAST('%s' AS DECIMAL(18,6)) * 1000000 AS BIGINT))",
		sign, years, months, parts[2-1], timeSign, hms[0], hms[1], hms[2]), nil
}

func signOf(s string) (sign, rest string) {
	if strings.HasPrefix(s, "-") {
		return "-", s[1:]
	}
	return "", s
}
