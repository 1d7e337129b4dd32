package predicate

import (
	"strings"

	"github.com/agnes-data/da/internal/words/wordset"
)

// Part is a part of a date or time, or a unit of its length. A meaning has one
// name, whatever a dialect calls it.
type Part string

// The parts. PartWeek starts on Monday, as in ISO 8601.
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
	partWeekOn      Part = "week_on_"        // prefix of weeks that start on another day
	partWeekNumber  Part = "week_number_on_" // prefix of the numbers of such weeks
)

// SpellPart is the inverse, for printing; "" if the dialect has no such part.
func SpellPart(d *Traits, p Part) string {
	for _, prefix := range []Part{partWeekOn, partWeekNumber} {
		if day, ok := strings.CutPrefix(string(p), string(prefix)); ok && d.weekdayWeeks {
			return "week(" + day + ")"
		}
	}
	if p == PartWeeks {
		return "week"
	}
	return d.spelling[p]
}

// spellings derives how parts are printed. Of several spellings it takes the
// canonical one: the full singular form if there is one.
func spellings(names ...map[string]Part) map[Part]string {
	out := map[Part]string{}
	for _, byName := range names {
		for name, p := range byName {
			if old, ok := out[p]; !ok || betterSpelling(name, old, p) {
				out[p] = name
			}
		}
	}
	return out
}

func betterSpelling(name, old string, p Part) bool {
	if old == string(p) {
		return false
	}
	return name == string(p) || len(name) < len(old) && len(name) > 2 || len(name) == len(old) && name < old
}

// weekdayWords are the words allowed in WEEK(…).
var weekdayWords = wordset.New("sunday monday tuesday wednesday thursday friday saturday")

// weekOn is a week that starts on the given day.
func weekOn(day string) Part {
	switch day {
	case "sunday":
		return PartWeekSunday
	case "monday":
		return PartWeek
	}
	return partWeekOn + Part(day)
}
