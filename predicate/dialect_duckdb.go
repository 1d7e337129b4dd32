package predicate

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/agnes-data/da/predicate/syntax"
)

// duckDB is DuckDB 1.5.
func duckDB() *Traits { //nolint:funlen // a table
	return &Traits{
		Dialect: syntax.DuckDB(), Name: DuckDB, parsed: true,
		hints: map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00'",
			"interval_subtract": "CURRENT_DATE - INTERVAL 30 DAY",
			"regex":             "regexp_matches(field, 'pattern')",
			"cast":              "CAST(x AS BIGINT)",
		},
		names: names{
			foldName: syntax.Lower, fieldSubscript: true, subscript: OneBased,
			elementHint: "list_contains(tags, 'a') or tags[1] = 'a'",
		},
		types: types{
			structTypes: "struct", mapType: "map", typeNames: map[string]Type{
				"boolean": kindOf(KindBool), "bool": kindOf(KindBool), "logical": kindOf(KindBool),
				"tinyint": intType(8), "int1": intType(8), "smallint": intType(16), "int2": intType(16), "short": intType(16),
				"integer": intType(32), "int": intType(32), "int4": intType(32), "signed": intType(32),
				"bigint": intType(64), "int8": intType(64), "long": intType(64), "hugeint": intType(128), "int128": intType(128),
				"utinyint": {Kind: KindInt, Bits: 8, Unsigned: true}, "usmallint": {Kind: KindInt, Bits: 16, Unsigned: true},
				"uinteger": {Kind: KindInt, Bits: 32, Unsigned: true}, "ubigint": {Kind: KindInt, Bits: 64, Unsigned: true},
				"uhugeint": {Kind: KindInt, Bits: 128, Unsigned: true},
				"float":    {Kind: KindFloat, Bits: 32}, "real": {Kind: KindFloat, Bits: 32}, "float4": {Kind: KindFloat, Bits: 32},
				"double": {Kind: KindFloat, Bits: 64}, "float8": {Kind: KindFloat, Bits: 64}, "double precision": {Kind: KindFloat, Bits: 64},
				"decimal": {Kind: KindDecimal, Precision: 18, Scale: 3}, "numeric": {Kind: KindDecimal, Precision: 18, Scale: 3},
				"dec":     {Kind: KindDecimal, Precision: 18, Scale: 3},
				"varchar": kindOf(KindString), "text": kindOf(KindString), "string": kindOf(KindString), "char": kindOf(KindString),
				"bpchar": kindOf(KindString),
				"blob":   kindOf(KindBytes), "bytea": kindOf(KindBytes), "binary": kindOf(KindBytes), "varbinary": kindOf(KindBytes),
				"date": kindOf(KindDate), "time": kindOf(KindTime), "time without time zone": kindOf(KindTime),
				"timestamp": kindOf(KindDateTime), "datetime": kindOf(KindDateTime), "timestamp without time zone": kindOf(KindDateTime),
				"timestamp_s": {Kind: KindDateTime, Bits: secondBits}, "timestamp_ms": {Kind: KindDateTime, Bits: milliBits},
				"timestamp_us": kindOf(KindDateTime),
				"timestamp_ns": {Kind: KindDateTime, Bits: nanoBits},
				"timestamptz":  kindOf(KindTimestamp), "timestamp with time zone": kindOf(KindTimestamp),
				"interval": kindOf(KindInterval), "json": kindOf(KindJSON), "uuid": kindOf(KindUUID), "guid": kindOf(KindUUID),
			},
			casts: []castType{
				{kindOf(KindBool), []string{"BOOLEAN", "bool", "logical"}},
				{intType(8), []string{"TINYINT", "int1"}},
				{intType(16), []string{"SMALLINT", "int2", "short"}},
				{intType(32), []string{"INTEGER", "int", "int4", "signed"}},
				{intType(64), []string{"BIGINT", "int8", "long"}},
				{intType(128), []string{"HUGEINT"}},
				{floatType(32), []string{"FLOAT", "real", "float4"}},
				{floatType(64), []string{"DOUBLE", "float8", "double precision"}},
				{Type{Kind: KindDecimal, Precision: 18, Scale: 3}, []string{"DECIMAL", "numeric", "dec"}},
				{kindOf(KindString), []string{"VARCHAR", "text", "string", "char", "bpchar"}},
				{kindOf(KindBytes), []string{"BLOB", "bytea", "binary", "varbinary"}},
				{kindOf(KindDate), []string{"DATE"}},
				{kindOf(KindTime), []string{"TIME", "time without time zone"}},
				{kindOf(KindDateTime), []string{"TIMESTAMP", "datetime", "timestamp without time zone"}},
				{kindOf(KindTimestamp), []string{"TIMESTAMPTZ", "timestamp with time zone"}},
				{kindOf(KindInterval), []string{"INTERVAL"}},
				{kindOf(KindUUID), []string{"UUID"}},
			},
			decimalDigits: 38, castsAnything: true, NullsOrder: true, nullsFirst: nullsLast, ImplicitZone: true, NanOrdered: true,
			zoneless: []string{"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"},
		},
		literals: literals{
			untypedText: true, roundsDecimals: true, floatNumber: duckDBFloat, bigInteger: duckDBBigInteger,
			readBytes: escapedBytes, bytesExample: `'\xDE\xAD'`,
		},
		functions: functions{
			ClockSpelling: map[ClockKind]string{ClockDate: "current_date()", ClockTimestamp: "now()", ClockDateTime: "current_localtimestamp()",
				ClockTime: "current_localtime()"},
			cell: func(r *row) string { return r.duck }, job: func(k *kin) string { return k.duck },
			partNames: map[string]Part{
				"microsecond": PartMicrosecond, "microseconds": PartMicrosecond, "us": PartMicrosecond, "millisecond": PartMillisecond,
				"milliseconds": PartMillisecond, "ms": PartMillisecond, "second": PartSecond, "seconds": PartSecond, "sec": PartSecond, "s": PartSecond,
				"minute": PartMinute, "minutes": PartMinute, "min": PartMinute, "hour": PartHour, "hours": PartHour, "h": PartHour,
				"day": PartDay, "days": PartDay, "d": PartDay, "week": PartWeek, "weeks": PartWeek, "month": PartMonth, "months": PartMonth,
				"mon":     PartMonth,
				"quarter": PartQuarter, "quarters": PartQuarter, "year": PartYear, "years": PartYear, "y": PartYear, "isoyear": PartISOYear,
				"decade": PartDecade, "decades": PartDecade, "century": PartCentury, "centuries": PartCentury, "millennium": PartMillennium,
			},
			fieldNames: map[string]Part{
				"year": PartYear, "years": PartYear, "month": PartMonth, "months": PartMonth, "day": PartDay, "days": PartDay, "hour": PartHour,
				"hours":  PartHour,
				"minute": PartMinute, "minutes": PartMinute, "second": PartSecond, "seconds": PartSecond, "quarter": PartQuarter, "decade": PartDecade,
				"century": PartCentury, "millennium": PartMillennium, "isoyear": PartISOYear, "dow": PartDow0, "dayofweek": PartDow0,
				"weekday": PartDow0,
				"isodow":  PartISODow, "doy": PartDayOfYear, "dayofyear": PartDayOfYear, "week": PartISOWeek, "weekofyear": PartISOWeek,
				"millisecond": PartMillis, "milliseconds": PartMillis, "microsecond": PartMicros, "microseconds": PartMicros, "epoch": PartEpoch,
			},
			partFunctions: map[string]string{
				"year": "year", "month": "month", "day": "day", "dayofmonth": "day", "hour": "hour", "minute": "minute", "second": "second",
				"quarter":   "quarter",
				"dayofweek": "dow", "weekday": "dow", "isodow": "isodow", "dayofyear": "doy", "week": "week", "weekofyear": "week",
				"isoyear": "isoyear",
				"decade":  "decade", "century": "century", "millennium": "millennium", "millisecond": "millisecond", "microsecond": "microsecond",
			},
			clockOfDate: true, intResult: 64,
			clocks: map[string]ClockKind{
				"current_date": ClockDate, "today": ClockDate, "current_timestamp": ClockTimestamp, "now": ClockTimestamp,
				"get_current_timestamp": ClockTimestamp, "transaction_timestamp": ClockTimestamp, "localtimestamp": ClockDateTime,
				"localtime":              ClockTime,
				"current_localtimestamp": ClockDateTime, "current_localtime": ClockTime,
			},
			re2: true, matchFunction: "regexp_full_match", ilikeFoldsEscape: true, LikeForm: bounded,
		},
	}
}

// duckDBFloat: 1.5 is a decimal, unless it has too many digits for one.
func duckDBFloat(text string) bool {
	return strings.ContainsAny(text, "eE") || len(strings.Trim(text, "0."))-strings.Count(strings.Trim(text, "0"), ".") > 38
}

func duckDBBigInteger(i *big.Int) *Literal {
	if i.BitLen() > 127 {
		return nil
	}
	return &Literal{Value: i, T: intType(128)}
}

// escapedBytes reads bytes as ASCII characters and escapes such as \xDE.
func escapedBytes(s string) ([]byte, bool) {
	var out []byte
	for i := 0; i < len(s); {
		if s[i] >= 0x80 {
			return nil, false
		}
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		if i+4 > len(s) || s[i+1] != 'x' || !syntax.IsHex(s[i+2]) || !syntax.IsHex(s[i+3]) {
			return nil, false
		}
		v, _ := strconv.ParseUint(s[i+2:i+4], 16, 8)
		out = append(out, byte(v))
		i += 4
	}
	return out, true
}
