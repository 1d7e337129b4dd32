package predicate

import (
	"strings"

	"github.com/agnes-data/da/predicate/syntax"
)

// spark is Apache Spark in a session that is in UTC and follows ANSI. An operation is
// written as calls by name, as in +($1, negative($2)). source/spark turns these into the
// expressions of a plan, so no text ever reaches the engine.
func spark() *Traits {
	return &Traits{
		Dialect: syntax.Spark(), Name: Spark,
		hints: map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00'",
			"interval_subtract": "CURRENT_DATE - INTERVAL 30 DAY",
			"cast":              "CAST(x AS BIGINT)",
		},
		names: names{foldName: strings.ToLower},
		types: types{
			casts: []castType{
				{intType(64), []string{"BIGINT"}},
				{floatType(64), []string{"DOUBLE"}},
				{kindOf(KindString), []string{"STRING"}},
				{kindOf(KindDate), []string{"DATE"}},
				{kindOf(KindDateTime), []string{"TIMESTAMP_NTZ"}},
				{kindOf(KindTimestamp), []string{"TIMESTAMP"}},
			},
			nullsFirst: nullsLast, NullsOrder: true, ImplicitZone: true, NanOrdered: true,
		},
		functions: functions{
			ClockSpelling: map[ClockKind]string{ClockDate: "current_date()", ClockTimestamp: "current_timestamp()",
				ClockDateTime: "localtimestamp()", ClockTime: "current_time()"},
			cell: func(r *row) string {
				if cell := sparkCells[r.id]; cell != "" {
					return "=> " + cell
				}
				return ""
			},
			partNames: map[string]Part{
				"microsecond": PartMicrosecond, "millisecond": PartMillisecond, "second": PartSecond, "minute": PartMinute, "hour": PartHour,
				"day": PartDay, "week": PartWeek, "month": PartMonth, "quarter": PartQuarter, "year": PartYear,
			},
			fieldNames: map[string]Part{
				"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond,
				"quarter": PartQuarter,
				"doy":     PartDayOfYear, "week": PartISOWeek,
			},
		},
	}
}

// sparkCells are the operations that mean the same in Spark, by their id. Cases of
// letters are not among them, since Java's tables are not DuckDB's, nor are regular
// expressions.
var sparkCells = map[string]string{
	"add_int": "+($1, $2)", "add_float": "+($1, $2)", "sub_int": "-($1, $2)", "sub_float": "-($1, $2)", "mul_int": "*($1, $2)",
	"mul_float": "*($1, $2)",
	"div_float": "/(cast($1, 'DOUBLE'), cast($2, 'DOUBLE'))", "div_trunc": "div($1, $2)", "mod": "%($1, $2)",
	"neg_int": "negative($1)", "neg_decimal": "negative($1)", "neg_float": "negative($1)", "abs_int": "abs($1)", "abs_decimal": "abs($1)",
	"abs_float": "abs($1)",
	"isnan":     "isnan($1)",

	"concat_operator": "concat($1, $2)", "concat_google": "concat($*)", "length": "char_length($1)", "length_utf8": "octet_length($1)",
	"length_bytes": "octet_length($1)",
	"substr":       "substring($*)", "left": "substring($1, 1, $2)", "replace": "replace($1, $2, $3)",
	"trim_blanks": "trim($1)", "ltrim_blanks": "ltrim($1)", "rtrim_blanks": "rtrim($1)",
	"starts_with": "startswith($1, $2)", "ends_with": "endswith($1, $2)", "contains": "contains($1, $2)", "strpos": "instr($1, $2)",

	"coalesce": "coalesce($*)", "ifnull": "coalesce($1, $2)", "if": "if($1, $2, $3)", "nullif": "nullif($1, $2)",

	"date_add_days": "date_add($1, $2)", "date_sub_days": "date_sub($1, $2)", "date_days_between": "datediff($1, $2)",
	"date_diff_day":     "datediff($1, $2)",
	"date_add_interval": "+(cast($1, 'TIMESTAMP_NTZ'), $2)", "date_sub_interval": "-(cast($1, 'TIMESTAMP_NTZ'), $2)",
	"interval_add_date": "+(cast($2, 'TIMESTAMP_NTZ'), $1)", "interval_add_datetime": "+($2, $1)",
	"datetime_add_interval": "+($1, $2)", "datetime_sub_interval": "-($1, $2)", "timestamp_add_interval": "+($1, $2)",
	"timestamp_sub_interval": "-($1, $2)",
	"timestamp_add_months":   "+($1, $2)", "timestamp_sub_months": "-($1, $2)",
	"date_trunc_date":      "cast(date_trunc('$p', cast($1, 'TIMESTAMP')), 'TIMESTAMP_NTZ')",
	"date_trunc_datetime":  "cast(date_trunc('$p', cast($1, 'TIMESTAMP')), 'TIMESTAMP_NTZ')",
	"date_trunc_timestamp": "date_trunc('$p', $1)",
	"extract":              "date_part('$p', $1)", "extract_datetime": "date_part('$p', $1)", "extract_timestamp": "date_part('$p', $1)",
	"extract_second": "second($1)", "extract_weekday": "-(dayofweek($1), 1)", "extract_iso_weekday": "+(weekday($1), 1)",
	"make_date": "make_date($1, $2, $3)",
}
