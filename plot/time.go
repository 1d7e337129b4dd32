package plot

import (
	"math"
	"time"
)

// calendar lists the steps of an axis of time: a number of seconds, or of
// months, and how a mark is written then.
var calendar = []struct {
	seconds, months int
	layout          string
}{
	{1, 0, "15:04:05"}, {5, 0, "15:04:05"}, {15, 0, "15:04:05"}, {30, 0, "15:04:05"},
	{60, 0, "01-02 15:04"}, {300, 0, "01-02 15:04"}, {900, 0, "01-02 15:04"}, {1800, 0, "01-02 15:04"},
	{3600, 0, "01-02 15:04"}, {3 * 3600, 0, "01-02 15:04"}, {6 * 3600, 0, "01-02 15:04"}, {12 * 3600, 0, "01-02 15:04"},
	{86400, 0, "2006-01-02"}, {2 * 86400, 0, "2006-01-02"}, {7 * 86400, 0, "2006-01-02"},
	{0, 1, "2006-01"}, {0, 3, "2006-01"}, {0, 6, "2006-01"}, {0, 12, "2006"}, {0, 24, "2006"}, {0, 60, "2006"},
	{0, 120, "2006"}, {0, 240, "2006"}, {0, 600, "2006"}, {0, 1200, "2006"},
}

// month is the length of a month on average.
const month = 365.2425 * 86400 / 12

// timeScale returns an axis between two moments, in seconds since 1970, with
// marks at round UTC times. Spans below a second or beyond thousands of years
// have marks at round numbers of seconds.
func timeScale(lo, hi float64, most int) scale {
	switch span := hi - lo; {
	case span == 0:
		lo, hi = lo-43200, hi+43200
	case span < 0.01: // the marks could not be distinguished
		lo, hi = lo-1, hi+1
	}
	most = max(most, 1)
	for _, c := range calendar {
		step := float64(c.seconds) + float64(c.months)*month
		if (hi-lo)/step > float64(most) || hi-lo < 1 {
			continue
		}
		s := scale{lo: lo, hi: hi}
		for at := roundUp(lo, c.seconds, c.months); float64(at.Unix()) <= hi; {
			s.ticks = append(s.ticks, tick{float64(at.Unix()), at.Format(c.layout)})
			if c.months > 0 {
				at = at.AddDate(0, c.months, 0)
			} else {
				at = at.Add(time.Duration(c.seconds) * time.Second)
			}
		}
		return s.orStart()
	}
	s := linear(lo, hi, most)
	s.lo, s.hi = lo, hi
	marks := s.ticks
	s.ticks = nil
	for _, t := range marks {
		if t.at >= lo && t.at <= hi {
			s.ticks = append(s.ticks, tick{t.at, moment(t.at)})
		}
	}
	return s.orStart()
}

// orStart adds a mark at the start of a time axis that has no marks.
func (s scale) orStart() scale {
	if len(s.ticks) == 0 {
		s.ticks = []tick{{s.lo, moment(s.lo)}}
	}
	return s
}

// roundUp is the first round moment that is not before seconds since 1970.
func roundUp(at float64, seconds, months int) time.Time {
	t := time.Unix(int64(math.Ceil(at)), 0).UTC()
	if months == 0 {
		step := int64(seconds)
		return time.Unix(-floorDiv(-t.Unix(), step)*step, 0).UTC()
	}
	all := int64(t.Year())*12 + int64(t.Month()) - 1
	first := time.Date(0, time.Month(floorDiv(all, int64(months))*int64(months)+1), 1, 0, 0, 0, 0, time.UTC)
	if first.Before(t) {
		first = first.AddDate(0, months, 0)
	}
	return first
}

// moment writes seconds since 1970, without a time of day if it is midnight.
func moment(at float64) string {
	if math.Abs(at) > 1e12 {
		return number(at) + " s"
	}
	whole, part := math.Modf(at)
	t := time.Unix(int64(whole), int64(part*1e9)).UTC().Round(time.Microsecond)
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02 15:04:05.999999")
}
