package predicate

import (
	"fmt"
	"math/big"
	"strings"
)

// Trino is the dialect of Trino.
const Trino Dialect = "trino"

// trinoCells are the operations that Trino has, by their ids.
var trinoCells = map[string]string{
	"add_int": "+ => ($1 + $2)", "sub_int": "- => ($1 - $2)", "mul_int": "* => ($1 * $2)",
	"add_float": "+ => ($1 + $2)", "sub_float": "- => ($1 - $2)", "mul_float": "* => ($1 * $2)",
	"neg_int": "neg => (-$1)", "neg_decimal": "neg => (-$1)", "neg_float": "neg => (-$1)",
	"length": "length", "substr": "substr, substring", "replace": "replace", "starts_with": "starts_with",
	"strpos": "strpos", "contains": "=> (strpos($1, $2) > 0)", "regexp_find": "regexp_like",
	"coalesce": "coalesce", "nullif": "nullif", "if": "if",
	"date_trunc_datetime": "date_trunc => date_trunc('$p', $1)", "date_trunc_timestamp": "date_trunc => date_trunc('$p', $1)",
	"extract": "extract => EXTRACT($P FROM $1)", "extract_datetime": "extract => EXTRACT($P FROM $1)", "extract_timestamp": "extract => EXTRACT($P FROM $1)",
	"date_diff_day":     "date_diff => date_diff('$p', $2, $1)",
	"date_sub_interval": "- => ($1 - $2)", "timestamp_sub_interval": "- => ($1 - $2)", "timestamp_add_interval": "+ => ($1 + $2)",
	"timestamp_at_zone": "=> CAST(($1 AT TIME ZONE $2) AS timestamp)", "datetime_at_zone": "with_timezone",
}

// trino is a part of Trino's SQL: what a first source needs.
func trino() *traits {
	parts := map[string]Part{
		"second": PartSecond, "minute": PartMinute, "hour": PartHour, "day": PartDay, "week": PartWeek, "month": PartMonth, "quarter": PartQuarter, "year": PartYear,
	}
	fields := map[string]Part{
		"minute": PartMinute, "hour": PartHour, "day": PartDay, "week": PartISOWeek, "month": PartMonth, "quarter": PartQuarter, "year": PartYear,
		"day_of_week": PartISODow, "day_of_year": PartDayOfYear,
	}
	return &traits{
		name: Trino, title: "Trino",
		hints: map[string]string{
			"date_literal": "DATE '2026-01-01'", "timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00'",
			"interval_subtract": "CURRENT_DATE - INTERVAL '30' DAY", "regex": "regexp_like(field, 'pattern')", "cast": "CAST(x AS BIGINT)",
		},
		lexing: lexing{digitSeparators: true, stringPrefixes: "x u&"},
		grammar: grammar{
			reserved: set(`alter and as between by case cast constraint create cross cube current_date current_path current_role current_time
				current_timestamp current_user deallocate delete describe distinct drop else end escape except execute exists extract false for from
				full group grouping having in inner insert intersect into is join left like localtime localtimestamp natural normalize not null on or
				order outer prepare recursive right rollup select skip table then true uescape union unnest using values when where with`),
			clockWords: set(`current_date current_timestamp localtime localtimestamp`),
			typedLiterals: map[string]Type{
				"date": kindOf(KindDate), "time": kindOf(KindTime), "timestamp": kindOf(KindDateTime), "uuid": kindOf(KindUUID),
				"decimal": {Kind: KindDecimal, Precision: 38, Scale: 9}, "json": kindOf(KindJSON),
			},
			concatOperators: "||", productOperators: "* / %",
			atTimeZone: true, escapeClause: true, safeCast: "try_cast", keywordArguments: true, partsAsText: true, zonedTypes: true,
			intervalQuoted: true,
			operatorHints:  map[string]string{"~": "Write regexp_like(x, 'pattern').", "regexp": "Write regexp_like(x, 'pattern')."},
		},
		names: names{
			foldName: strings.ToLower, subscript: OneBased,
			subscriptForm: "[n]", subscriptHint: "Write arr[1] for the first element.", elementHint: "contains(tags, 'a')",
		},
		types: types{
			structTypes: "row", listType: "array", mapType: "map",
			typeNames: map[string]Type{
				"boolean": kindOf(KindBool), "tinyint": intType(8), "smallint": intType(16), "integer": intType(32), "int": intType(32), "bigint": intType(64),
				"real": floatType(32), "double": floatType(64), "decimal": kindOf(KindDecimal), "varchar": kindOf(KindString),
				"char": {Kind: KindString, Padded: true}, "varbinary": kindOf(KindBytes), "date": kindOf(KindDate), "time": kindOf(KindTime),
				"timestamp": kindOf(KindDateTime), "timestamp with time zone": kindOf(KindTimestamp), "json": kindOf(KindJSON), "uuid": kindOf(KindUUID),
			},
			casts: []castType{
				{kindOf(KindBool), []string{"BOOLEAN"}}, {intType(32), []string{"INTEGER", "int"}}, {intType(64), []string{"BIGINT"}},
				{floatType(64), []string{"DOUBLE"}}, {kindOf(KindString), []string{"VARCHAR"}}, {kindOf(KindDate), []string{"DATE"}},
				{kindOf(KindDateTime), []string{"TIMESTAMP"}}, {kindOf(KindTimestamp), []string{"TIMESTAMP WITH TIME ZONE"}},
			},
			decimalDigits: 38, implicitZone: true,
		},
		literals: literals{
			floatNumber: func(text string) bool { return strings.ContainsAny(text, "eE") }, bigInteger: func(*big.Int) *Literal { return nil },
		},
		functions: functions{
			cell: func(r *row) string { return trinoCells[r.id] },
			job: func(k *kin) string {
				return map[string]string{"regexp_contains": "regexp_like(x, 'pattern')"}[strings.Fields(k.names)[0]]
			},
			partNames: parts, fieldNames: fields, intResult: 64, re2: true,
			clocks: map[string]ClockKind{"current_date": ClockDate, "current_timestamp": ClockTimestamp, "now": ClockTimestamp, "localtimestamp": ClockDateTime, "localtime": ClockTime},
		},
		printing: printing{
			quoteIdent: doubleQuoted, nullsFirst: nullsLast, nullsOrder: true, nanGuard: " OR is_nan($1)", pattern: duckDBPattern,
			text: quotedText, bytes: func(b *strings.Builder, v []byte) { fmt.Fprintf(b, "X'%X'", v) }, float: exponentFloat,
			decimal: pointDecimal,
			uuids:   true, datetimeWord: "TIMESTAMP", timestampWord: "TIMESTAMP", timestampZone: " UTC", interval: trinoInterval,
			clockSpelling: map[ClockKind]string{ClockDate: "CURRENT_DATE", ClockTimestamp: "CURRENT_TIMESTAMP", ClockDateTime: "LOCALTIMESTAMP", ClockTime: "LOCALTIME"},
		},
	}
}

// trinoInterval joins an interval of months and one of milliseconds.
func trinoInterval(b *strings.Builder, iv Interval) {
	switch {
	case iv.Months != 0 && iv.Days == 0 && iv.Micros == 0:
		fmt.Fprintf(b, "INTERVAL '%d' MONTH", iv.Months)
	case iv.Micros == 0:
		fmt.Fprintf(b, "INTERVAL '%d' DAY", iv.Days)
	default:
		fmt.Fprintf(b, "INTERVAL '%d' SECOND", iv.Days*86400+iv.Micros/1e6)
	}
}
