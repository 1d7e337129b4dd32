package predicate

import (
	"encoding/hex"
	"math/big"
	"strings"

	"github.com/agnes-data/da/predicate/syntax"
)

// postgreSQL is PostgreSQL.
func postgreSQL() *Traits {
	return &Traits{
		Dialect: syntax.Postgres(), Name: Postgres, parsed: true,
		hints: map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMPTZ '2026-01-01 00:00:00+00'",
			"interval_subtract": "CURRENT_DATE - INTERVAL '30 days'",
			"regex":             "field ~ 'pattern'",
			"cast":              "CAST(x AS bigint)",
		},
		names: names{
			foldName: func(name string) string { return name }, lowerNames: true, subscript: Subscript,
			elementHint: "'a' = ANY (tags) or tags[1] = 'a'",
		},
		types: types{
			structTypes: "struct", typeNames: map[string]Type{
				"boolean": kindOf(KindBool), "bool": kindOf(KindBool),
				"smallint": intType(16), "int2": intType(16), "integer": intType(32), "int": intType(32), "int4": intType(32),
				"bigint": intType(64), "int8": intType(64),
				"real": {Kind: KindFloat, Bits: 32}, "float4": {Kind: KindFloat, Bits: 32},
				"double precision": {Kind: KindFloat, Bits: 64}, "float8": {Kind: KindFloat, Bits: 64},
				"numeric": kindOf(KindDecimal), "decimal": kindOf(KindDecimal),
				"text": kindOf(KindString), "character varying": kindOf(KindString), "varchar": kindOf(KindString), "name": kindOf(KindString),
				"character": {Kind: KindString, Padded: true}, "char": {Kind: KindString, Padded: true}, "bpchar": {Kind: KindString, Padded: true},
				"bytea": kindOf(KindBytes), "date": kindOf(KindDate),
				"time": kindOf(KindTime), "time without time zone": kindOf(KindTime),
				"timestamp": kindOf(KindDateTime), "timestamp without time zone": kindOf(KindDateTime),
				"timestamptz": kindOf(KindTimestamp), "timestamp with time zone": kindOf(KindTimestamp),
				"interval": kindOf(KindInterval), "json": kindOf(KindJSON), "jsonb": kindOf(KindJSON), "uuid": kindOf(KindUUID),
			},
			casts: []castType{
				{kindOf(KindBool), []string{"BOOLEAN", "bool"}},
				{intType(16), []string{"SMALLINT", "int2"}},
				{intType(32), []string{"INTEGER", "int", "int4"}},
				{intType(64), []string{"BIGINT", "int8"}},
				{floatType(32), []string{"REAL", "float4"}},
				{floatType(64), []string{"DOUBLE PRECISION", "float8", "float"}},
				{kindOf(KindDecimal), []string{"NUMERIC", "decimal", "dec"}},
				{kindOf(KindString), []string{"TEXT", "varchar", "character varying"}},
				{kindOf(KindBytes), []string{"BYTEA"}},
				{kindOf(KindDate), []string{"DATE"}},
				{kindOf(KindTime), []string{"TIME", "time without time zone"}},
				{kindOf(KindDateTime), []string{"TIMESTAMP", "timestamp without time zone"}},
				{kindOf(KindTimestamp), []string{"TIMESTAMPTZ", "timestamp with time zone"}},
				{kindOf(KindInterval), []string{"INTERVAL"}},
				{kindOf(KindUUID), []string{"UUID"}},
			},
			decimalDigits: 1000, castsAnything: true, castsBool32: true, castsTimestampsToTime: true, NullsOrder: true, nullsFirst: nullsAreHighest,
			ImplicitZone: true, NanOrdered: true,
		},
		literals: literals{
			untypedText: true, floatNumber: func(string) bool { return false }, bigInteger: postgresBigInteger,
			readBytes: hexBytes, bytesExample: `'\xdead'`,
		},
		functions: functions{
			ClockSpelling: map[ClockKind]string{ClockDate: "CURRENT_DATE", ClockTimestamp: "now()", ClockDateTime: "LOCALTIMESTAMP",
				ClockTime: "LOCALTIME"},
			cell: func(r *row) string { return r.pg }, job: func(k *kin) string { return k.post },
			partNames: map[string]Part{
				"microsecond": PartMicrosecond, "microseconds": PartMicrosecond, "millisecond": PartMillisecond, "milliseconds": PartMillisecond,
				"second": PartSecond, "seconds": PartSecond, "minute": PartMinute, "minutes": PartMinute, "hour": PartHour, "hours": PartHour,
				"day": PartDay, "days": PartDay, "week": PartWeek, "weeks": PartWeek, "month": PartMonth, "months": PartMonth, "quarter": PartQuarter,
				"year": PartYear, "years": PartYear, "decade": PartDecade, "century": PartCentury, "millennium": PartMillennium,
			},
			fieldNames: map[string]Part{
				"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond,
				"quarter": PartQuarter,
				"decade":  PartDecade, "century": PartCentury, "millennium": PartMillennium, "isoyear": PartISOYear, "dow": PartDow0,
				"isodow": PartISODow,
				"doy":    PartDayOfYear, "week": PartISOWeek, "milliseconds": PartMillis, "microseconds": PartMicros, "epoch": PartEpoch,
			},
			clockOfDate: true, intResult: 32,
			clocks: map[string]ClockKind{
				"current_date": ClockDate, "current_timestamp": ClockTimestamp, "now": ClockTimestamp, "transaction_timestamp": ClockTimestamp,
				"localtimestamp": ClockDateTime, "localtime": ClockTime,
			},
			likeEscape: '\\',
		},
	}
}

// postgresBigInteger: a number of more than 64 bits is a decimal.
func postgresBigInteger(i *big.Int) *Literal {
	return &Literal{Value: new(big.Rat).SetInt(i), T: kindOf(KindDecimal)}
}

// hexBytes reads bytes as hexadecimal digits behind one \x.
func hexBytes(s string) ([]byte, bool) {
	digits, ok := strings.CutPrefix(s, `\x`)
	if !ok {
		return nil, false
	}
	b, err := hex.DecodeString(digits)
	return b, err == nil
}
