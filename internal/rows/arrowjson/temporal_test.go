package arrowjson

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func TestDates(t *testing.T) {
	b := array.NewDate32Builder(memory.DefaultAllocator)
	for _, days := range []arrow.Date32{0, -1, 11016, 2932896, 2932897, -719528, -719529, math.MaxInt32, -math.MaxInt32, math.MaxInt32 - 1} {
		b.Append(days)
	}
	b.AppendNull()
	want := []string{`"1970-01-01"`, `"1969-12-31"`, `"2000-02-29"`, `"9999-12-31"`, `"+010000-01-01"`, `"0000-01-01"`,
		`"-000001-12-31"`, `"infinity"`, `"-infinity"`, `"+5881580-07-10"`, "null"}
	check(t, arrow.Field{Type: arrow.FixedWidthTypes.Date32}, b.NewArray(), want, unquote(want))
}

// Every day from 1600 to 2400, which includes every kind of leap year.
func TestDatesAgreeWithTheStandardLibrary(t *testing.T) {
	day := time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC)
	for ; day.Year() < 2400; day = day.AddDate(0, 0, 1) {
		days, _ := floorDiv(day.Unix(), secondsPerDay)
		if got, want := string(appendDate(nil, days)), day.Format(time.DateOnly); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}

func TestTimestamps(t *testing.T) {
	tests := []struct {
		unit arrow.TimeUnit
		zone string
		v    int64
		want string
	}{
		{arrow.Second, "", 1767225600, `"2026-01-01T00:00:00"`},
		{arrow.Millisecond, "", 1767225600500, `"2026-01-01T00:00:00.5"`},
		{arrow.Microsecond, "UTC", 1767218400000000, `"2025-12-31T22:00:00Z"`},
		{arrow.Microsecond, "Europe/Prague", 1767218400000001, `"2025-12-31T22:00:00.000001Z"`},
		{arrow.Nanosecond, "", 1767225600123456789, `"2026-01-01T00:00:00.123456789"`},
		{arrow.Nanosecond, "", -1, `"1969-12-31T23:59:59.999999999"`},
		{arrow.Microsecond, "", math.MaxInt64, `"infinity"`},
		{arrow.Second, "", -math.MaxInt64, `"-infinity"`},
		{arrow.Microsecond, "", math.MinInt64, `"-290308-12-21T19:59:05.224192"`},
		{arrow.Second, "UTC", 253402300800, `"+010000-01-01T00:00:00Z"`},
	}
	for _, tt := range tests {
		dt := &arrow.TimestampType{Unit: tt.unit, TimeZone: tt.zone}
		b := array.NewTimestampBuilder(memory.DefaultAllocator, dt)
		b.Append(arrow.Timestamp(tt.v))
		check(t, arrow.Field{Type: dt}, b.NewArray(), []string{tt.want}, unquote([]string{tt.want}))
	}
}

func TestTimestampsAgreeWithTheStandardLibrary(t *testing.T) {
	dt := &arrow.TimestampType{Unit: arrow.Nanosecond}
	b := array.NewTimestampBuilder(memory.DefaultAllocator, dt)
	rng := rand.New(rand.NewPCG(1, 2))
	var want []string
	for range 2_000 {
		v := rng.Int64() - math.MaxInt64/2
		b.Append(arrow.Timestamp(v))
		want = append(want, time.Unix(0, v).UTC().Format("2006-01-02T15:04:05.999999999"))
	}
	column := Bind(arrow.Field{Type: dt}, b.NewArray())
	for i, w := range want {
		if got, _ := column.AppendText(nil, i); string(got) != w {
			t.Fatalf("got %s, want %s", got, w)
		}
	}
}

func TestMidnightAtTheEndOfTheDay(t *testing.T) {
	b := array.NewTime64Builder(memory.DefaultAllocator, &arrow.Time64Type{Unit: arrow.Microsecond})
	b.Append(86_400_000_000)
	check(t, arrow.Field{Type: arrow.FixedWidthTypes.Time64us}, b.NewArray(), []string{`"24:00:00"`}, nil)
}

func TestIntervals(t *testing.T) {
	b := array.NewMonthDayNanoIntervalBuilder(memory.DefaultAllocator)
	cases := []struct {
		v    arrow.MonthDayNanoInterval
		want string
	}{
		{arrow.MonthDayNanoInterval{Months: 14}, `"P1Y2M"`},
		{arrow.MonthDayNanoInterval{Days: 1, Nanoseconds: 7203500000000}, `"P1DT2H3.5S"`},
		{arrow.MonthDayNanoInterval{}, `"PT0S"`},
		{arrow.MonthDayNanoInterval{Months: -14, Days: 3, Nanoseconds: -90 * 1e9}, `"P-1Y-2M3DT-1M-30S"`},
		{arrow.MonthDayNanoInterval{Nanoseconds: -500_000_000}, `"PT-0.5S"`},
		{arrow.MonthDayNanoInterval{Nanoseconds: -1_500_000_000}, `"PT-1.5S"`},
		{arrow.MonthDayNanoInterval{Nanoseconds: 1}, `"PT0.000000001S"`},
		{arrow.MonthDayNanoInterval{Nanoseconds: 60 * 1e9}, `"PT1M"`},
	}
	var want []string
	for _, c := range cases {
		b.Append(c.v)
		want = append(want, c.want)
	}
	check(t, arrow.Field{Type: arrow.FixedWidthTypes.MonthDayNanoInterval}, b.NewArray(), want, unquote(want))

	check(t, arrow.Field{Type: arrow.FixedWidthTypes.MonthInterval},
		fromJSON(t, arrow.FixedWidthTypes.MonthInterval, `[{"months":25},null]`), []string{`"P2Y1M"`, "null"}, nil)
	check(t, arrow.Field{Type: arrow.FixedWidthTypes.DayTimeInterval},
		fromJSON(t, arrow.FixedWidthTypes.DayTimeInterval, `[{"days":2,"milliseconds":1500}]`), []string{`"P2DT1.5S"`}, nil)

	d := array.NewDurationBuilder(memory.DefaultAllocator, &arrow.DurationType{Unit: arrow.Second})
	d.Append(math.MaxInt64)
	d.Append(-3661)
	check(t, arrow.Field{Type: &arrow.DurationType{Unit: arrow.Second}}, d.NewArray(),
		[]string{`"PT2562047788015215H30M7S"`, `"PT-1H-1M-1S"`}, nil)
}
