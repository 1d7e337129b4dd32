package predicate

import (
	"strings"

	"github.com/agnes-data/da/predicate/syntax"
)

// trino is Trino. Printed predicates mean the same as elsewhere only in a session in
// UTC, on columns of points in time that are in UTC, and of texts without padding. The
// source sees to that.
func trino() *Traits {
	cells := trinoCells()
	return &Traits{
		Dialect: syntax.Trino(), Name: Trino,
		hints: map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00'",
		},
		names: names{foldName: strings.ToLower},
		types: types{
			casts: []castType{
				{kindOf(KindBool), []string{"BOOLEAN"}},
				{intType(64), []string{"BIGINT"}},
				{floatType(64), []string{"DOUBLE"}},
				{kindOf(KindString), []string{"VARCHAR"}},
				{kindOf(KindBytes), []string{"VARBINARY"}},
				{kindOf(KindDate), []string{"DATE"}},
				{kindOf(KindDateTime), []string{"TIMESTAMP(6)"}},
				{kindOf(KindTimestamp), []string{"TIMESTAMP(6) WITH TIME ZONE"}},
				{kindOf(KindUUID), []string{"UUID"}},
			},
			nullsFirst: nullsLast, NullsOrder: true, ImplicitZone: true,
		},
		functions: functions{
			ClockSpelling: map[ClockKind]string{ClockDate: "current_date", ClockTimestamp: "current_timestamp(6)",
				ClockDateTime: "localtimestamp(6)", ClockTime: "localtime(6)"},
			cell: func(r *row) string { return cells[r.id] },
			partNames: map[string]Part{
				"millisecond": PartMillisecond, "second": PartSecond, "minute": PartMinute, "hour": PartHour, "day": PartDay, "week": PartWeek,
				"month": PartMonth, "quarter": PartQuarter, "year": PartYear,
			},
			fieldNames: map[string]Part{
				"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond,
				"quarter":      PartQuarter,
				"year_of_week": PartISOYear, "doy": PartDayOfYear, "week": PartISOWeek,
			},
		},
	}
}

// trinoCells are the operations of the catalogue that mean the same there.
func trinoCells() map[string]string {
	cells := map[string]string{
		"mod": "=> ($1 % $2)", "div_trunc": "=> ($1 / $2)", "div_float": "=> (CAST($1 AS DOUBLE) / CAST($2 AS DOUBLE))",
		"floor_decimal": "=> floor($1)", "floor_float": "=> floor($1)", "ceil_decimal": "=> ceiling($1)", "ceil_float": "=> ceiling($1)",
		"round_decimal": "=> round($1)", "isnan": "=> is_nan($1)", "isinf": "=> is_infinite($1)", "isfinite": "=> is_finite($1)",
		"length": "=> length($1)", "length_bytes": "=> length($1)", "length_utf8": "=> length(to_utf8($1))", "substr": "=> substr($*)",
		"left":        "=> substr($1, 1, $2)",
		"trim_blanks": "=> trim(BOTH ' ' FROM $1)", "ltrim_blanks": "=> trim(LEADING ' ' FROM $1)",
		"rtrim_blanks": "=> trim(TRAILING ' ' FROM $1)",
		"replace":      "=> replace($1, $2, $3)", "concat_google": "=> ($|)", "concat_operator": "=> ($1 || $2)",
		"starts_with": "=> starts_with($1, $2)", "ends_with": "=> (substr($1, -length($2)) = $2)", "contains": "=> (strpos($1, $2) > 0)",
		"strpos":   "=> strpos($1, $2)",
		"coalesce": "=> coalesce($*)", "ifnull": "=> coalesce($1, $2)", "if": "=> if($1, $2, $3)", "nullif": "=> nullif($1, $2)",
		"date_add_days": "=> date_add('day', $2, $1)", "date_sub_days": "=> date_add('day', -$2, $1)",
		"date_days_between": "=> date_diff('day', $2, $1)",
		"date_diff_day":     "=> date_diff('day', $2, $1)", "extract_weekday": "=> (day_of_week($1) % 7)",
		"extract_iso_weekday": "=> day_of_week($1)",
		"date_trunc_date":     "=> CAST(date_trunc('$p', $1) AS TIMESTAMP(6))", "date_trunc_datetime": "=> date_trunc('$p', $1)",
		"date_trunc_timestamp": "=> date_trunc('$p', $1)",
	}
	for name, sign := range map[string]string{"add": "+", "sub": "-", "mul": "*"} {
		cells[name+"_int"] = "=> ($1 " + sign + " $2)"
		cells[name+"_float"] = "=> (CAST($1 AS DOUBLE) " + sign + " CAST($2 AS DOUBLE))"
	}
	cells["add_decimal"], cells["sub_decimal"] = "=> ($1 + $2)", "=> ($1 - $2)"
	for _, kind := range []string{"int", "decimal", "float"} {
		cells["neg_"+kind], cells["abs_"+kind] = "=> (-$1)", "=> abs($1)"
	}
	for _, id := range strings.Fields("extract extract_datetime extract_timestamp extract_time extract_second") {
		cells[id] = "=> EXTRACT($P FROM $1)"
	}
	return cells
}
