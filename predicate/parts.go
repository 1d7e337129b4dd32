package predicate

import "strings"

// Part is a part of a date or time, or a unit of its length. One meaning has
// one name, whatever a dialect calls it.
type Part string

// The parts. PartWeek begins on Monday, as ISO 8601 has it.
const (
	PartMicrosecond Part = "microsecond"
	PartMillisecond Part = "millisecond"
	PartSecond      Part = "second"
	PartMinute      Part = "minute"
	PartHour        Part = "hour"
	PartDay         Part = "day"
	PartWeek        Part = "week"
	PartWeekSunday  Part = "week_sunday"
	PartWeeks       Part = "weeks" // a length of seven days
	PartMonth       Part = "month"
	PartQuarter     Part = "quarter"
	PartYear        Part = "year"
	PartISOYear     Part = "isoyear"
	PartDecade      Part = "decade"
	PartCentury     Part = "century"
	PartMillennium  Part = "millennium"
	PartDow0        Part = "dow_sunday0"     // Sunday is 0
	PartDow1        Part = "dow_sunday1"     // Sunday is 1
	PartISODow      Part = "dow_monday1"     // Monday is 1, Sunday 7
	PartDayOfYear   Part = "day_of_year"     // from 1
	PartISOWeek     Part = "iso_week"        // number of the ISO week
	PartWeekNumber  Part = "week_number"     // number of the week, from Sunday, 0 before the first
	PartMillis      Part = "millis_in_min"   // milliseconds in the minute
	PartMicros      Part = "micros_in_min"   // microseconds in the minute
	PartMillisOfSec Part = "millis_in_sec"   // milliseconds in the second
	PartMicrosOfSec Part = "micros_in_sec"   // microseconds in the second
	PartEpoch       Part = "epoch"           // seconds since 1970
	PartDate        Part = "date"            // the date itself
	PartTime        Part = "time"            // the time of day itself
	partWeekOn      Part = "week_on_"        // prefix of weeks that begin on another day
	partWeekNumber  Part = "week_number_on_" // prefix of the numbers of such weeks
)

// partNames is how a dialect writes a part where a length or a boundary is
// meant (date_trunc, date_diff, INTERVAL). The first spelling is printed.
var partNames = map[Dialect]map[string]Part{
	DuckDB: {
		"microsecond": PartMicrosecond, "microseconds": PartMicrosecond, "us": PartMicrosecond, "millisecond": PartMillisecond,
		"milliseconds": PartMillisecond, "ms": PartMillisecond, "second": PartSecond, "seconds": PartSecond, "sec": PartSecond, "s": PartSecond,
		"minute": PartMinute, "minutes": PartMinute, "min": PartMinute, "hour": PartHour, "hours": PartHour, "h": PartHour,
		"day": PartDay, "days": PartDay, "d": PartDay, "week": PartWeek, "weeks": PartWeek, "month": PartMonth, "months": PartMonth, "mon": PartMonth,
		"quarter": PartQuarter, "quarters": PartQuarter, "year": PartYear, "years": PartYear, "y": PartYear, "isoyear": PartISOYear,
		"decade": PartDecade, "decades": PartDecade, "century": PartCentury, "centuries": PartCentury, "millennium": PartMillennium,
	},
	Postgres: {
		"microsecond": PartMicrosecond, "microseconds": PartMicrosecond, "millisecond": PartMillisecond, "milliseconds": PartMillisecond,
		"second": PartSecond, "seconds": PartSecond, "minute": PartMinute, "minutes": PartMinute, "hour": PartHour, "hours": PartHour,
		"day": PartDay, "days": PartDay, "week": PartWeek, "weeks": PartWeek, "month": PartMonth, "months": PartMonth, "quarter": PartQuarter,
		"year": PartYear, "years": PartYear, "decade": PartDecade, "century": PartCentury, "millennium": PartMillennium,
	},
	GoogleSQL: {
		"microsecond": PartMicrosecond, "millisecond": PartMillisecond, "second": PartSecond, "minute": PartMinute, "hour": PartHour,
		"day": PartDay, "week": PartWeekSunday, "isoweek": PartWeek, "month": PartMonth, "quarter": PartQuarter, "year": PartYear, "isoyear": PartISOYear,
	},
}

// fieldNames is how a dialect writes a part that EXTRACT takes out.
var fieldNames = map[Dialect]map[string]Part{
	DuckDB: {
		"year": PartYear, "years": PartYear, "month": PartMonth, "months": PartMonth, "day": PartDay, "days": PartDay, "hour": PartHour, "hours": PartHour,
		"minute": PartMinute, "minutes": PartMinute, "second": PartSecond, "seconds": PartSecond, "quarter": PartQuarter, "decade": PartDecade,
		"century": PartCentury, "millennium": PartMillennium, "isoyear": PartISOYear, "dow": PartDow0, "dayofweek": PartDow0, "weekday": PartDow0,
		"isodow": PartISODow, "doy": PartDayOfYear, "dayofyear": PartDayOfYear, "week": PartISOWeek, "weekofyear": PartISOWeek,
		"millisecond": PartMillis, "milliseconds": PartMillis, "microsecond": PartMicros, "microseconds": PartMicros, "epoch": PartEpoch,
	},
	Postgres: {
		"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond, "quarter": PartQuarter,
		"decade": PartDecade, "century": PartCentury, "millennium": PartMillennium, "isoyear": PartISOYear, "dow": PartDow0, "isodow": PartISODow,
		"doy": PartDayOfYear, "week": PartISOWeek, "milliseconds": PartMillis, "microseconds": PartMicros, "epoch": PartEpoch,
	},
	MySQL: {
		"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond, "quarter": PartQuarter,
	},
	GoogleSQL: {
		"year": PartYear, "month": PartMonth, "day": PartDay, "hour": PartHour, "minute": PartMinute, "second": PartSecond, "quarter": PartQuarter,
		"isoyear": PartISOYear, "dayofweek": PartDow1, "dayofyear": PartDayOfYear, "isoweek": PartISOWeek, "week": PartWeekNumber,
		"millisecond": PartMillisOfSec, "microsecond": PartMicrosOfSec, "date": PartDate, "time": PartTime,
	},
}

// spellPart is the inverse, for printing; empty if the dialect has no such
// part.
func spellPart(d Dialect, p Part) string {
	for _, prefix := range []Part{partWeekOn, partWeekNumber} {
		if day, ok := strings.CutPrefix(string(p), string(prefix)); ok && d == GoogleSQL {
			return "week(" + day + ")"
		}
	}
	if p == PartWeeks {
		return "week"
	}
	return partSpelling[d][p]
}

// partSpelling is derived: of several spellings the canonical one, which is
// the singular in full where there is one.
var partSpelling = func() map[Dialect]map[Part]string {
	out := map[Dialect]map[Part]string{}
	for _, names := range []map[Dialect]map[string]Part{fieldNames, partNames} {
		for d, byName := range names {
			if out[d] == nil {
				out[d] = map[Part]string{}
			}
			for name, p := range byName {
				if old, ok := out[d][p]; !ok || betterSpelling(name, old, p) {
					out[d][p] = name
				}
			}
		}
	}
	return out
}()

func betterSpelling(name, old string, p Part) bool {
	if old == string(p) {
		return false
	}
	return name == string(p) || len(name) < len(old) && len(name) > 2 || len(name) == len(old) && name < old
}

// weekdayWords are what may stand in WEEK(…).
var weekdayWords = set("sunday monday tuesday wednesday thursday friday saturday")

// weekOn is a week that begins on the given day.
func weekOn(day string) Part {
	switch day {
	case "sunday":
		return PartWeekSunday
	case "monday":
		return PartWeek
	}
	return partWeekOn + Part(day)
}
