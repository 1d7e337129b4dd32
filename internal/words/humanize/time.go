package humanize

import (
	"fmt"
	"time"
)

const day = 24 * time.Hour

// Duration words a length of time in its largest unit, rounded down: "12 days",
// "1 hour", "40 seconds". Its sign is ignored.
func Duration(d time.Duration) string {
	d = d.Abs()
	for _, unit := range []struct {
		from, length time.Duration
		name         string
	}{
		{365 * day, 365 * day, "year"},
		{60 * day, 30 * day, "month"},
		{day, day, "day"},
		{time.Hour, time.Hour, "hour"},
		{time.Minute, time.Minute, "minute"},
		{time.Second, time.Second, "second"},
	} {
		if d >= unit.from {
			return Plural(int64(d/unit.length), unit.name, unit.name+"s")
		}
	}
	return "less than a second"
}

// Age formats how long ago something was, or, if d is negative, how far in the
// future it is: "2 days ago", "just now", "in 3 hours".
func Age(d time.Duration) string {
	switch {
	case d.Abs() < time.Minute:
		return "just now"
	case d < 0:
		return "in " + Duration(d)
	}
	return Duration(d) + " ago"
}

// Elapsed words a time that was measured: "35ms", "1.2s", "1m 05s", "2h 03m".
func Elapsed(d time.Duration) string {
	switch {
	case d < 999500*time.Microsecond:
		return fmt.Sprintf("%dms", d.Round(time.Millisecond).Milliseconds())
	case d < 9950*time.Millisecond:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < 59500*time.Millisecond:
		return fmt.Sprintf("%.0fs", d.Seconds())
	}
	d = d.Round(time.Second)
	if d < time.Hour {
		return fmt.Sprintf("%dm %02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh %02dm", d/time.Hour, d%time.Hour/time.Minute)
}
