package predicate

import (
	"math/big"
	"strings"

	"github.com/agnes-data/da/predicate/syntax"
)

// googleSQL is GoogleSQL, the dialect of BigQuery.
func googleSQL() *Traits {
	return &Traits{
		Dialect: syntax.GoogleSQL(), Name: GoogleSQL, parsed: true,
		hints: map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00 UTC'",
			"interval_subtract": "DATE_SUB(CURRENT_DATE(), INTERVAL 30 DAY)",
			"regex":             "REGEXP_CONTAINS(field, r'pattern')",
			"cast":              "CAST(x AS INT64)",
		},
		names: names{
			foldName: strings.ToLower, clocksHideColumns: true,
			subscript: Offset, subscriptFunctions: map[string]IndexMode{"offset": Offset, "safe_offset": SafeOffset},
			elementHint: "tags[SAFE_OFFSET(0)] = 'a'",
		},
		types: types{
			structTypes: "struct record", listType: "array", bareStructs: true, typeNames: map[string]Type{
				"bool": kindOf(KindBool), "boolean": kindOf(KindBool),
				"int64": intType(64), "int": intType(64), "integer": intType(64), "bigint": intType(64), "smallint": intType(64),
				"tinyint": intType(64), "byteint": intType(64),
				"float64": {Kind: KindFloat, Bits: 64}, "float": {Kind: KindFloat, Bits: 64},
				"numeric": {Kind: KindDecimal, Precision: 38, Scale: 9}, "decimal": {Kind: KindDecimal, Precision: 38, Scale: 9},
				"bignumeric": {Kind: KindDecimal, Precision: 76, Scale: 38}, "bigdecimal": {Kind: KindDecimal, Precision: 76, Scale: 38},
				"string": kindOf(KindString), "bytes": kindOf(KindBytes), "date": kindOf(KindDate), "time": kindOf(KindTime),
				"datetime": kindOf(KindDateTime), "timestamp": kindOf(KindTimestamp), "interval": kindOf(KindInterval), "json": kindOf(KindJSON),
			},
			casts: []castType{
				{kindOf(KindBool), []string{"BOOL"}},
				{intType(64), []string{"INT64"}},
				{floatType(64), []string{"FLOAT64"}},
				{googleNumeric, []string{"NUMERIC", "decimal"}},
				{googleBigNumeric, []string{"BIGNUMERIC"}},
				{kindOf(KindString), []string{"STRING"}},
				{kindOf(KindBytes), []string{"BYTES"}},
				{kindOf(KindDate), []string{"DATE"}},
				{kindOf(KindTime), []string{"TIME"}},
				{kindOf(KindDateTime), []string{"DATETIME"}},
				{kindOf(KindTimestamp), []string{"TIMESTAMP"}},
			},
			castHint:   "The types are called INT64, FLOAT64, NUMERIC, BIGNUMERIC, STRING, BYTES, BOOL, DATE, DATETIME, TIME and TIMESTAMP.",
			NullsOrder: true, nullsFirst: nullsAreLowest, castsTimestampsToTime: true, decimalLimit: googleDecimalLimit,
		},
		literals: literals{
			NulText: true, timeNeedsSeconds: true, zoneOffsets: true,
			floatNumber: func(string) bool { return true }, bigInteger: func(*big.Int) *Literal { return nil },
		},
		functions: functions{
			ClockSpelling: map[ClockKind]string{ClockDate: "CURRENT_DATE()", ClockTimestamp: "CURRENT_TIMESTAMP()",
				ClockDateTime: "CURRENT_DATETIME()", ClockTime: "CURRENT_TIME()"},
			cell: func(r *row) string { return r.goog }, job: func(k *kin) string { return k.goog }, upperFunctions: true,
			partNames: map[string]Part{
				"microsecond": PartMicrosecond, "millisecond": PartMillisecond, "second": PartSecond, "minute": PartMinute, "hour": PartHour,
				"day": PartDay, "week": PartWeekSunday, "isoweek": PartWeek, "month": PartMonth, "quarter": PartQuarter, "year": PartYear,
				"isoyear": PartISOYear,
			},
			fieldNames: map[string]Part{
				"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond,
				"quarter": PartQuarter,
				"isoyear": PartISOYear, "dayofweek": PartDow1, "dayofyear": PartDayOfYear, "isoweek": PartISOWeek, "week": PartWeekNumber,
				"millisecond": PartMillisOfSec, "microsecond": PartMicrosOfSec, "date": PartDate, "time": PartTime,
			},
			weekdayWeeks: true, intervalArguments: true, intResult: 64,
			clocks: map[string]ClockKind{
				"current_date": ClockDate, "current_timestamp": ClockTimestamp, "current_datetime": ClockDateTime, "current_time": ClockTime,
			},
			clockInZone: true, re2: true, likeEscape: '\\',
		},
	}
}

// The two decimal types, by their digits in all and behind the point.
var (
	googleNumeric    = Type{Kind: KindDecimal, Precision: 38, Scale: 9}
	googleBigNumeric = Type{Kind: KindDecimal, Precision: 76, Scale: 38}
)

// googleDecimalLimit returns the limit of NUMERIC or BIGNUMERIC.
func googleDecimalLimit(t Type) float64 {
	if t.Precision > 38 {
		return 5.7896e38
	}
	return 1e29
}
