package predicate

import (
	"strings"

	"github.com/agnes-data/da/predicate/syntax"
)

// clickHouse is ClickHouse. Printed predicates mean the same as elsewhere only in a
// session in UTC in which casts keep NULL, on columns of points in time that are in
// UTC. The source sees to that.
func clickHouse() *Traits {
	cells := clickHouseCells()
	return &Traits{
		Dialect: syntax.ClickHouse(), Name: ClickHouse,
		hints: map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00'",
		},
		names: names{foldName: func(name string) string { return name }},
		types: types{
			casts: []castType{
				{floatType(64), []string{"Float64"}},
				{kindOf(KindString), []string{"String"}},
				{kindOf(KindDate), []string{"Date32"}},
				{kindOf(KindDateTime), []string{"DateTime64(6, 'UTC')"}},
				{kindOf(KindTimestamp), []string{"DateTime64(6, 'UTC')"}},
			},
			nullsFirst: nullsLast, NullsOrder: true, ImplicitZone: true,
		},
		functions: functions{
			ClockSpelling: map[ClockKind]string{
				ClockDate: "toDate32(now64(6, 'UTC'))", ClockTimestamp: "now64(6, 'UTC')", ClockDateTime: "now64(6, 'UTC')",
				ClockTime: "toTime64(now64(6, 'UTC'), 6)",
			},
			cell: func(r *row) string { return cells[r.id] },
			fieldNames: map[string]Part{
				"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond,
				"quarter": PartQuarter,
			},
		},
	}
}

// clickHouseCells are the operations of the catalogue that mean the same there. Sums
// and products of whole numbers are not: they wrap around where others fail. Nor are
// decimals, whose results have other scales.
func clickHouseCells() map[string]string {
	cells := map[string]string{
		"mod": "=> ($1 % $2)", "abs_int": "=> abs($1)", "abs_decimal": "=> abs($1)", "abs_float": "=> abs($1)", "neg_decimal": "=> (-$1)",
		"neg_float": "=> (-$1)",
		"div_float": "=> (toFloat64($1) / toFloat64($2))", "ceil_float": "=> ceil($1)", "floor_float": "=> floor($1)",
		"isnan": "=> isNaN($1)", "isinf": "=> isInfinite($1)", "isfinite": "=> isFinite($1)",
		"length": "=> lengthUTF8($1)", "length_utf8": "=> length($1)", "substr": "=> substringUTF8($*)", "left": "=> leftUTF8($1, $2)",
		"trim_blanks": "=> trimBoth($1)", "ltrim_blanks": "=> trimLeft($1)", "rtrim_blanks": "=> trimRight($1)",
		"replace": "=> replaceAll($1, $2, $3)", "concat_google": "=> concat($*)", "concat_operator": "=> concat($1, $2)",
		"starts_with": "=> startsWith($1, $2)", "ends_with": "=> endsWith($1, $2)", "contains": "=> (position($1, $2) > 0)",
		"strpos":      "=> positionUTF8($1, $2)",
		"regexp_find": "=> match($1, concat('(?-s)', $2))",
		"coalesce":    "=> coalesce($*)", "ifnull": "=> ifNull($1, $2)", "if": "=> if($1, $2, $3)", "nullif": "=> nullIf($1, $2)",
		"date_add_days": "=> addDays(toDate32($1), $2)", "date_sub_days": "=> subtractDays(toDate32($1), $2)",
		"date_days_between": "=> dateDiff('day', $2, $1)",
		"date_diff_day":     "=> dateDiff('day', $2, $1)", "extract_weekday": "=> (toDayOfWeek($1) % 7)",
		"extract_iso_weekday": "=> toDayOfWeek($1)",
	}
	for _, f := range []string{"add", "sub", "mul"} {
		cells[f+"_float"] = "=> (toFloat64($1) " + map[string]string{"add": "+", "sub": "-", "mul": "*"}[f] + " toFloat64($2))"
	}
	for _, id := range strings.Fields("extract extract_datetime extract_timestamp extract_second") {
		cells[id] = "=> EXTRACT($P FROM $1)"
	}
	return cells
}
