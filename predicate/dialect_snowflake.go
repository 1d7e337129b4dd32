package predicate

import (
	"strings"

	"github.com/agnes-data/da/predicate/syntax"
)

// snowflake is Snowflake. Printed predicates mean the same as elsewhere only in a session
// in UTC, on columns of points in time that are in UTC, and of texts without a collation.
// The source sees to that.
func snowflake() *Traits {
	cells := snowflakeCells()
	parts := map[string]Part{"second": PartSecond, "minute": PartMinute, "hour": PartHour, "day": PartDay, "week": PartWeek,
		"month": PartMonth, "quarter": PartQuarter, "year": PartYear}
	return &Traits{
		Dialect: syntax.Snowflake(), Name: Snowflake,
		hints: map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00'",
		},
		names: names{foldName: strings.ToLower},
		types: types{
			casts: []castType{
				{kindOf(KindBool), []string{"BOOLEAN"}},
				{floatType(64), []string{"FLOAT"}},
				{kindOf(KindString), []string{"VARCHAR"}},
				{kindOf(KindDate), []string{"DATE"}},
				{kindOf(KindDateTime), []string{"TIMESTAMP_NTZ"}},
				{kindOf(KindTimestamp), []string{"TIMESTAMP_TZ"}},
			},
			nullsFirst: nullsLast, NullsOrder: true, ImplicitZone: true, NanOrdered: true,
		},
		functions: functions{
			ClockSpelling: map[ClockKind]string{ClockDate: "CURRENT_DATE", ClockTimestamp: "CURRENT_TIMESTAMP",
				ClockDateTime: "CURRENT_TIMESTAMP::TIMESTAMP_NTZ", ClockTime: "CURRENT_TIME"},
			cell: func(r *row) string { return cells[r.id] }, partNames: parts,
			fieldNames: map[string]Part{"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute,
				"quarter": PartQuarter, "dayofyear": PartDayOfYear, "weekiso": PartISOWeek, "yearofweekiso": PartISOYear},
		},
	}
}

// snowflakeCells are the operations of the catalogue that mean the same there. Decimals
// are missing where the digits behind the point differ.
func snowflakeCells() map[string]string {
	cells := map[string]string{
		"mod":           "=> ($1 % $2)",
		"floor_decimal": "=> FLOOR($1)", "floor_float": "=> FLOOR($1)", "ceil_decimal": "=> CEIL($1)", "ceil_float": "=> CEIL($1)",
		"length": "=> LENGTH($1)", "length_bytes": "=> OCTET_LENGTH($1)", "length_utf8": "=> OCTET_LENGTH($1)",
		"replace": "=> REPLACE($1, $2, $3)", "concat_google": "=> ($|)", "concat_operator": "=> ($1 || $2)",
		"starts_with": "=> STARTSWITH($1, $2)", "ends_with": "=> ENDSWITH($1, $2)", "contains": "=> CONTAINS($1, $2)",
		"strpos":   "=> CHARINDEX($2, $1)",
		"coalesce": "=> COALESCE($*)", "ifnull": "=> COALESCE($1, $2)", "if": "=> IFF($1, $2, $3)", "nullif": "=> NULLIF($1, $2)",
		"date_add_days": "=> DATEADD(day, $2, $1)", "date_sub_days": "=> DATEADD(day, -$2, $1)",
		"date_days_between": "=> DATEDIFF(day, $2, $1)", "date_diff_day": "=> DATEDIFF(day, $2, $1)",
		"extract_iso_weekday":  "=> DAYOFWEEKISO($1)",
		"date_trunc_date":      "=> DATE_TRUNC('$p', $1)::TIMESTAMP_NTZ",
		"date_trunc_datetime":  "=> DATE_TRUNC('$p', $1)",
		"date_trunc_timestamp": "=> DATE_TRUNC('$p', $1)",
	}
	for name, sign := range map[string]string{"add": "+", "sub": "-", "mul": "*"} {
		cells[name+"_float"] = "=> ($1::FLOAT " + sign + " $2::FLOAT)"
	}
	for _, kind := range []string{"int", "decimal", "float"} {
		cells["neg_"+kind], cells["abs_"+kind] = "=> (-$1)", "=> ABS($1)"
	}
	for _, id := range strings.Fields("extract extract_datetime extract_timestamp") {
		cells[id] = "=> EXTRACT($P FROM $1)"
	}
	return cells
}
