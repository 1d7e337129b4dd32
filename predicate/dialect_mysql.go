package predicate

import "strings"

// mySQL is MySQL in the form that MariaDB has.
func mySQL() *traits {
	return &traits{
		name: MySQL, title: "MariaDB",
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
			quoteIdent:    func(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" },
			nullsFirst:    nullsLast,
		},
	}
}
