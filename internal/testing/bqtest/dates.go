package bqtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cloudspannerecosystem/memefish/ast"
)

// dateCall translates the functions that name a part of a date. known is false
// for all others.
func (x *translator) dateCall(name string, args []ast.Expr) (out val, known bool, err error) {
	switch name {
	case callInterval:
		out, err = x.intervalOf(args, "")
		return out, true, err
	case "DATE_ADD", "DATETIME_ADD", "TIMESTAMP_ADD", "DATE_SUB", "DATETIME_SUB", "TIMESTAMP_SUB":
		out, err = x.add(name, args)
		return out, true, err
	case "DATE_DIFF", "DATETIME_DIFF", "TIMESTAMP_DIFF":
		out, err = x.diff(name, args)
		return out, true, err
	case "DATE_TRUNC", "DATETIME_TRUNC", "TIMESTAMP_TRUNC":
		out, err = x.trunc(name, args)
		return out, true, err
	case "FORMAT_DATE", "FORMAT_TIMESTAMP", "PARSE_DATE", "PARSE_TIMESTAMP":
		out, err = x.formatted(name, args)
		return out, true, err
	}
	return val{}, false, nil
}

// lengths are units as the engine's functions that make an interval of a
// whole number.
var lengths = map[string]string{
	"MICROSECOND": "to_microseconds(%s)", "MILLISECOND": "to_microseconds(1000 * %s)", "SECOND": "to_microseconds(1000000 * %s)",
	"MINUTE": "to_microseconds(60000000 * %s)", "HOUR": "to_microseconds(3600000000 * %s)", "DAY": "to_days(CAST(%s AS INTEGER))",
	"WEEK": "to_days(CAST(7 * %s AS INTEGER))", "MONTH": "to_months(CAST(%s AS INTEGER))", "QUARTER": "to_months(CAST(3 * %s AS INTEGER))",
	"YEAR": "to_months(CAST(12 * %s AS INTEGER))",
}

// intervalOf reads _INTERVAL(n, 'PART'), with a sign before the number.
func (x *translator) intervalOf(args []ast.Expr, sign string) (val, error) {
	if len(args) != 2 {
		return val{}, invalid("an INTERVAL takes a number and a part")
	}
	n, err := x.expr(args[0])
	if err != nil {
		return val{}, err
	}
	part, ok := args[1].(*ast.StringLiteral)
	if !ok || lengths[part.Value] == "" || n.typ.kind != "INT64" {
		return val{}, cannot("this INTERVAL")
	}
	return of("INTERVAL", lengths[part.Value], "("+sign+n.sql+")"), nil
}

func (x *translator) add(name string, args []ast.Expr) (val, error) {
	kind, op, _ := strings.Cut(name, "_")
	sign := map[string]string{"ADD": "", "SUB": "-"}[op]
	if len(args) != 2 {
		return val{}, invalid("%s takes two arguments", name)
	}
	v, err := x.expr(args[0])
	if err != nil {
		return val{}, err
	}
	call, ok := args[1].(*ast.CallExpr)
	if !ok || !named(call, callInterval) || v.typ.kind != kind {
		return val{}, cannot("%s of %s", name, v.typ.kind)
	}
	var inner []ast.Expr
	for _, a := range call.Args {
		if arg, ok := a.(*ast.ExprArg); ok {
			inner = append(inner, arg.Expr)
		}
	}
	i, err := x.intervalOf(inner, sign)
	if err != nil {
		return val{}, err
	}
	return of(kind, "CAST(%s + %s AS %s)", v.sql, i.sql, engineTypes[kind]), nil
}

// part reads the name of a part, as an argument: DAY or WEEK(TUESDAY).
func part(e ast.Expr) (name, weekday string) {
	switch e := e.(type) {
	case *ast.Ident:
		return strings.ToUpper(e.Name), ""
	case *ast.Path:
		if len(e.Idents) == 1 {
			return strings.ToUpper(e.Idents[0].Name), ""
		}
	case *ast.CallExpr:
		if named(e, "WEEK") && len(e.Args) == 1 {
			if arg, ok := e.Args[0].(*ast.ExprArg); ok {
				day, _ := part(arg.Expr)
				return "WEEK", day
			}
		}
	}
	return "", ""
}

var weekdays = []string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"}

// truncated is the begin of the part that a value lies in; the value is a DATE
// or a TIMESTAMP of the engine's, and so is the result.
func truncated(sql, engine, part, weekday string) (string, error) {
	shift := 0
	switch part {
	case "MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "QUARTER", "YEAR", "ISOYEAR":
	case "ISOWEEK":
		part = "WEEK"
	case "WEEK":
		start := 0
		if weekday != "" {
			start = slices.Index(weekdays, weekday)
		}
		if start < 0 {
			return "", invalid("no weekday %s", weekday)
		}
		shift = start - 1
	default:
		return "", cannot("the part %s", part)
	}
	return fmt.Sprintf("CAST(date_trunc('%s', %s - to_days(%d)) + to_days(%d) AS %s)", strings.ToLower(part), sql, shift, shift, engine), nil
}

func (x *translator) trunc(name string, args []ast.Expr) (val, error) {
	kind := strings.TrimSuffix(name, "_TRUNC")
	if len(args) < 2 || len(args) > 3 || len(args) == 3 && kind != "TIMESTAMP" {
		return val{}, invalid("%s takes a value and a part", name)
	}
	v, err := x.expr(args[0])
	if err != nil {
		return val{}, err
	}
	if v.typ.kind != kind {
		return val{}, cannot("%s of %s", name, v.typ.kind)
	}
	p, day := part(args[1])
	switch {
	case kind != "TIMESTAMP":
		sql, err := truncated(v.sql, engineTypes[kind], p, day)
		return of(kind, "%s", sql), err
	case len(args) == 2:
		sql, err := truncated("CAST("+v.sql+" AS TIMESTAMP)", "TIMESTAMP", p, day)
		return of(kind, "CAST(%s AS TIMESTAMPTZ)", sql), err
	}
	zone, err := x.zone(args[2])
	if err != nil {
		return val{}, err
	}
	if lengths[p] != "" && strings.HasPrefix(lengths[p], "to_microseconds") {
		return val{}, cannot("TIMESTAMP_TRUNC to an %s in a time zone", p)
	}
	sql, err := truncated("("+v.sql+" AT TIME ZONE "+zone+")", "TIMESTAMP", p, day)
	return of(kind, "%s AT TIME ZONE %s", sql, zone), err
}

// zone is a time zone's name, written out.
func (x *translator) zone(e ast.Expr) (string, error) {
	s, ok := e.(*ast.StringLiteral)
	if !ok || strings.ContainsAny(s.Value, "+-:") {
		return "", cannot("a time zone that is not a name")
	}
	return literal(s.Value), nil
}

// units are the lengths of parts that have one, in microseconds.
var units = map[string]int64{"MICROSECOND": 1, "MILLISECOND": 1e3, "SECOND": 1e6, "MINUTE": 60e6, "HOUR": 3600e6, "DAY": 86400e6}

// diff counts the boundaries between two values; between two TIMESTAMPs, whole
// lengths.
func (x *translator) diff(name string, args []ast.Expr) (val, error) {
	kind := strings.TrimSuffix(name, "_DIFF")
	if len(args) != 3 {
		return val{}, invalid("%s takes two values and a part", name)
	}
	a, b, err := x.two(args[0], args[1])
	if err != nil {
		return val{}, err
	}
	if a.typ.kind != kind || b.typ.kind != kind {
		return val{}, cannot("%s of %s and %s", name, a.typ.kind, b.typ.kind)
	}
	p, day := part(args[2])
	if kind == "TIMESTAMP" {
		if units[p] == 0 {
			return val{}, cannot("TIMESTAMP_DIFF in %s", p)
		}
		return of("INT64", "(epoch_us(%s) - epoch_us(%s)) // %d", a.sql, b.sql, units[p]), nil
	}
	from, err := truncated(b.sql, engineTypes[kind], p, day)
	if err != nil {
		return val{}, err
	}
	to, err := truncated(a.sql, engineTypes[kind], p, day)
	if err != nil {
		return val{}, err
	}
	if p == "WEEK" || p == "ISOWEEK" {
		return of("INT64", "date_diff('day', %s, %s) // 7", from, to), nil
	}
	return of("INT64", "date_diff('%s', %s, %s)", strings.ToLower(p), from, to), nil
}

// extract takes a part out.
func (x *translator) extract(e *ast.ExtractExpr) (val, error) {
	v, err := x.expr(e.Expr)
	if err != nil {
		return val{}, err
	}
	p := strings.ToUpper(e.Part.Name)
	sql := v.sql
	switch {
	case e.AtTimeZone != nil:
		zone, err := x.zone(e.AtTimeZone.Expr)
		if err != nil || v.typ.kind != "TIMESTAMP" {
			return val{}, orElse(err, cannot("AT TIME ZONE of %s", v.typ.kind))
		}
		sql = "(" + sql + " AT TIME ZONE " + zone + ")"
	case v.typ.kind == "TIMESTAMP":
		sql = "CAST(" + sql + " AS TIMESTAMP)"
	case v.typ.is("DATE", "DATETIME", "TIME", "INTERVAL"):
	default:
		return val{}, cannot("EXTRACT from %s", v.typ.kind)
	}
	if v.typ.is("TIME", "INTERVAL") && !slices.Contains([]string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"}, p) {
		return val{}, cannot("the %s of %s", p, v.typ.kind)
	}
	switch p {
	case "YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "ISOYEAR":
		return of("INT64", "datepart('%s', %s)", strings.ToLower(p), sql), nil
	case "ISOWEEK":
		return of("INT64", "datepart('week', %s)", sql), nil
	case "DAYOFYEAR":
		return of("INT64", "datepart('doy', %s)", sql), nil
	case "DAYOFWEEK":
		return of("INT64", "datepart('dow', %s) + 1", sql), nil
	case "MILLISECOND":
		return of("INT64", "datepart('millisecond', %s) %% 1000", sql), nil
	case "MICROSECOND":
		return of("INT64", "datepart('microsecond', %s) %% 1000000", sql), nil
	case "DATE", "TIME":
		return of(p, "CAST(%s AS %s)", sql, p), nil
	}
	if p == "WEEK" || strings.HasPrefix(p, weekOf) {
		start := max(slices.Index(weekdays, strings.TrimPrefix(p, weekOf)), 0)
		return of("INT64", "(datepart('doy', %[1]s) + 6 - (datepart('dow', %[1]s) + %[2]d) %% 7) // 7", sql, 7-start), nil
	}
	return val{}, cannot("EXTRACT of %s", p)
}

// formatted is FORMAT_… and PARSE_… with the elements that engine and
// GoogleSQL have in common.
func (x *translator) formatted(name string, args []ast.Expr) (val, error) {
	if len(args) != 2 && (len(args) != 3 || name != "FORMAT_TIMESTAMP") {
		return val{}, cannot("%s in a time zone", name)
	}
	format, ok := args[0].(*ast.StringLiteral)
	if !ok {
		return val{}, cannot("%s with a computed format", name)
	}
	rest := format.Value
	for _, common := range []string{"%Y", "%m", "%d", "%H", "%M", "%S"} {
		rest = strings.ReplaceAll(rest, common, "")
	}
	if strings.Contains(rest, "%") {
		return val{}, cannot("the format %s", format.Value)
	}
	v, err := x.expr(args[1])
	if err != nil {
		return val{}, err
	}
	verb, kind, _ := strings.Cut(name, "_")
	switch {
	case len(args) == 3 && v.typ.kind == kind:
		zone, err := x.zone(args[2])
		return of("STRING", "strftime(%s AT TIME ZONE %s, %s)", v.sql, zone, literal(format.Value)), err
	case verb == "FORMAT" && v.typ.kind == kind:
		return of("STRING", "strftime(CAST(%s AS TIMESTAMP), %s)", v.sql, literal(format.Value)), nil
	case verb == "PARSE" && v.typ.kind == "STRING":
		return of(kind, "CAST(strptime(%s, %s) AS %s)", v.sql, literal(format.Value), engineTypes[kind]), nil
	}
	return val{}, cannot("%s of %s", name, v.typ.kind)
}

// moment are the functions that make points in time of others.
var moment = map[string]function{
	"DATE": byKinds("DATE", map[string]string{"INT64 INT64 INT64": "make_date(%s, %s, %s)", "DATETIME": "CAST(%s AS DATE)", "TIMESTAMP": "CAST(%s AS DATE)",
		"TIMESTAMP STRING": "CAST(%s AT TIME ZONE %s AS DATE)"}),
	"DATETIME": byKinds("DATETIME", map[string]string{"INT64 INT64 INT64 INT64 INT64 INT64": "make_timestamp(%s, %s, %s, %s, %s, %s)", "DATE": "CAST(%s AS TIMESTAMP)",
		"DATE TIME": "%s + %s", "TIMESTAMP": "CAST(%s AS TIMESTAMP)", "TIMESTAMP STRING": "%s AT TIME ZONE %s"}),
	"TIMESTAMP": byKinds("TIMESTAMP", map[string]string{"DATE": "CAST(%s AS TIMESTAMPTZ)", "DATETIME": "CAST(%s AS TIMESTAMPTZ)", "STRING": "CAST(%s AS TIMESTAMPTZ)",
		"DATETIME STRING": "%s AT TIME ZONE %s", "DATE STRING": "CAST(%s AS TIMESTAMP) AT TIME ZONE %s", "STRING STRING": "CAST(%s AS TIMESTAMP) AT TIME ZONE %s"}),
	"TIME":              byKinds("TIME", map[string]string{"INT64 INT64 INT64": "make_time(%s, %s, %s)", "DATETIME": "CAST(%s AS TIME)", "TIMESTAMP": "CAST(CAST(%s AS TIMESTAMP) AS TIME)"}),
	"CURRENT_DATE":      byKinds("DATE", map[string]string{"": "CAST(now() AS DATE)"}),
	"CURRENT_TIMESTAMP": byKinds("TIMESTAMP", map[string]string{"": "now()"}),
	"CURRENT_DATETIME":  byKinds("DATETIME", map[string]string{"": "CAST(now() AS TIMESTAMP)"}),
	"CURRENT_TIME":      byKinds("TIME", map[string]string{"": "CAST(CAST(now() AS TIMESTAMP) AS TIME)"}),
	"UNIX_SECONDS":      byKinds("INT64", map[string]string{"TIMESTAMP": "bq_floordiv(epoch_us(%s), 1000000)"}),
	"UNIX_MILLIS":       byKinds("INT64", map[string]string{"TIMESTAMP": "bq_floordiv(epoch_us(%s), 1000)"}),
}

// byKinds picks a form by the types of the arguments.
func byKinds(kind string, forms map[string]string) function {
	return func(args []val) (val, error) {
		form, ok := forms[kinds(args)]
		if !ok {
			return val{}, cannot("%s of (%s)", kind, kinds(args))
		}
		list := make([]any, len(args))
		for i, a := range args {
			list[i] = a.sql
		}
		return of(kind, form, list...), nil
	}
}
