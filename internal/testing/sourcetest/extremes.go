package sourcetest

import (
	"math"
	"strings"
	"sync"
	"time"
)

func utc(year int, month time.Month, day, hour, minute, sec, micro int) time.Time {
	return time.Date(year, month, day, hour, minute, sec, micro*1000, time.UTC)
}

// extremes are values at the ends of what every source can hold.
var extremes = sync.OnceValue(func() map[Kind][]any {
	return map[Kind][]any{
		Bool:    {true, false},
		Int:     {int64(0), int64(-1), int64(math.MaxInt64), int64(math.MinInt64)},
		Float:   {0.0, -1.5, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 0.1, 1e-7, 123456789.123456789},
		Decimal: {"0", "-0.001", "999999999999999.999", "-999999999999999.999", "1.5", "10000", "9999.5", "0.01", "100000000"},
		Wide: {"0", "99999999999999999999999999999.999999999", "-99999999999999999999999999999.999999999", "0.000000001", "-0.000000001",
			"12345678901234567890.123456789", "10000000000000000", "1e20"},
		Text:  {"", "x", "ünï", strings.Repeat("long ", 2000), strings.Repeat("0123456789abcdef", 1<<16)},
		Bytes: {[]byte{}, []byte{0}, []byte{0xFF, 0, 'a', '\''}},
		Date: {utc(1, 1, 1, 0, 0, 0, 0), utc(1582, 10, 14, 0, 0, 0, 0), utc(1899, 12, 31, 0, 0, 0, 0), utc(1969, 12, 31, 0, 0, 0, 0),
			utc(2000, 2, 29, 0, 0, 0, 0), utc(2262, 4, 12, 0, 0, 0, 0), utc(9999, 12, 31, 0, 0, 0, 0)},
		Time: {time.Duration(0), 24*time.Hour - time.Microsecond, 12*time.Hour + 34*time.Minute + 56*time.Second + 789*time.Millisecond},
		Timestamp: {utc(1, 1, 1, 0, 0, 0, 0), utc(1899, 12, 31, 23, 59, 59, 1), utc(1969, 12, 31, 23, 59, 59, 999999),
			utc(2020, 2, 29, 12, 34, 56, 789012), utc(2262, 4, 12, 0, 0, 0, 1), utc(9999, 12, 31, 23, 59, 59, 999999)},
		Instant: {utc(1, 1, 1, 0, 0, 0, 0), utc(1899, 12, 31, 23, 59, 59, 1), utc(1969, 12, 31, 23, 59, 59, 999999),
			utc(2020, 2, 29, 12, 34, 56, 789012), utc(2262, 4, 12, 0, 0, 0, 1), utc(9999, 12, 31, 23, 59, 59, 999999)},
		Interval: {Span{}, Span{Months: 14, Days: 3, Micros: 4_500_000}, Span{Days: -1}, Span{Months: -1, Days: 30, Micros: -1}, Span{Micros: 90 * 3_600_000_000}},
		UUID:     {"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		JSON:     {`{}`, `null`, `{"a":[1,"x",null,{"b":true}],"ü":"\"'\\"}`, `"text"`, `-1.5`},
		Ints:     {[]any{}, []any{int64(1), nil, int64(math.MinInt64)}, []any{nil}},
		Texts:    {[]any{}, []any{"a", nil, "", "it's {\"x\"}, ü\\"}, []any{nil}},
		Record:   {[]any{int64(1), "x"}, []any{nil, nil}, []any{int64(-1), "it's (\"ü\"),\\"}},
	}
})

// testTypes sends values there and back, each kind beside NULL.
func testTypes(s suite) {
	for _, kind := range s.held() {
		table := Table{Columns: []Column{{Name: "n", Kind: Int, Required: true}, {Name: "v", Kind: kind}}}
		for i, v := range append([]any{nil}, s.storable(kind, extremes()[kind])...) {
			table.Rows = append(table.Rows, []any{int64(i), v})
		}
		name := s.Load(s.t, table)
		rows := s.rows(s.scan(name, []string{"n", "v"}, "", "n"), Int, kind)
		if len(rows) != len(table.Rows) {
			s.t.Errorf("%s: %d rows of %d", kind, len(rows), len(table.Rows))
			continue
		}
		for i, row := range rows {
			if want := table.Rows[i][1]; !equal(kind, row[1], want) {
				s.t.Errorf("%s: %.200v came back as %.200v", kind, want, row[1])
			}
		}
	}
}
