package predicate

import (
	"fmt"
	"strings"
)

// mySQL is MySQL as implemented by MariaDB. Printed predicates mean the same as
// elsewhere only in a session that compares texts by their bytes without padding,
// is in UTC, and treats both quotes as strings. The source sets that up.
func mySQL() *traits {
	return &traits{
		name: MySQL, title: "MariaDB",
		hints: map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00'",
		},
		names: names{foldName: strings.ToLower},
		types: types{
			casts: []castType{
				{intType(64), []string{"SIGNED"}},
				{floatType(64), []string{"DOUBLE"}},
				{kindOf(KindString), []string{"CHAR"}},
				{kindOf(KindDate), []string{"DATE"}},
				{kindOf(KindDateTime), []string{"DATETIME(6)"}},
				{kindOf(KindTimestamp), []string{"DATETIME(6)"}},
			},
			implicitZone: true, nanOrdered: true,
		},
		functions: functions{
			cell: func(r *row) string { return r.my },
			fieldNames: map[string]Part{
				"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond, "quarter": PartQuarter,
			},
		},
		printing: printing{
			clockSpelling: map[ClockKind]string{ClockDate: "UTC_DATE()", ClockTimestamp: "UTC_TIMESTAMP(6)", ClockDateTime: "UTC_TIMESTAMP(6)", ClockTime: "UTC_TIME(6)"},
			ident:         func(b *strings.Builder, name string) { doubled(b, name, '`') },
			nullsFirst:    nullsLast,
			nullSafeEqual: true, pattern: mysqlPattern,
			text: mysqlText, bytes: func(b *strings.Builder, v []byte) { fmt.Fprintf(b, "X'%X'", v) }, float: exponentFloat, decimal: pointDecimal,
			datetimeWord: "TIMESTAMP", timestampWord: "TIMESTAMP", fourDigitYears: true,
		},
	}
}

// mysqlPattern prints a constant pattern with its own escape character, because
// the meaning of a backslash depends on the session.
func mysqlPattern(p *printer, e *Like, pattern Expr) {
	text, written := writtenPattern(pattern)
	if !written {
		p.refuse("LIKE with a computed pattern")
		return
	}
	text, _ = escapedPattern(text, e.Escape, '!')
	p.text(text)
	p.b.WriteString(" ESCAPE '!'")
}

// mysqlText writes a text with backslashes as bytes, because only some sessions
// treat a backslash literally.
func mysqlText(b *strings.Builder, s string) {
	if strings.IndexByte(s, '\\') < 0 {
		quotedText(b, s)
		return
	}
	fmt.Fprintf(b, "CONVERT(X'%X' USING utf8mb4)", s)
}
