package predicate

import (
	"strings"

	"github.com/agnes-data/da/predicate/syntax"
)

// mySQL is MySQL as implemented by MariaDB. Printed predicates mean the same as
// elsewhere only in a session that compares texts by their bytes without padding,
// is in UTC, and treats both quotes as strings. The source sets that up.
func mySQL() *Traits {
	return &Traits{
		Dialect: syntax.MySQL(), Name: MySQL,
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
			nullsFirst: nullsLast, ImplicitZone: true, NanOrdered: true,
		},
		functions: functions{
			ClockSpelling: map[ClockKind]string{ClockDate: "UTC_DATE()", ClockTimestamp: "UTC_TIMESTAMP(6)", ClockDateTime: "UTC_TIMESTAMP(6)",
				ClockTime: "UTC_TIME(6)"},
			cell: func(r *row) string { return r.my },
			fieldNames: map[string]Part{
				"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond,
				"quarter": PartQuarter,
			},
		},
	}
}
