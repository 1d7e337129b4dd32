package humanize

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestBytes(t *testing.T) {
	tests := map[int64]string{
		0: "0 B", 1: "1 B", 999: "999 B", 1000: "1 KB", 1049: "1 KB", 1051: "1.1 KB", 180_000: "180 KB",
		999_499: "999 KB", 999_500: "1 MB", 1_200_000: "1.2 MB", 8_400_000: "8.4 MB", 12_000_000: "12 MB",
		38_200_000_000: "38.2 GB", 99_940_000: "99.9 MB", 99_960_000: "100 MB", 4_400_000_000_000: "4.4 TB",
		math.MaxInt64: "9.2 EB", -1500: "-1.5 KB",
	}
	for n, want := range tests {
		if got := Bytes(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1200: "1.2k", 245_832: "246k", 3_000_000: "3M", 999_999: "1M", 1_234_567_890: "1.2G"} {
		if got := Count(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1 000", 245832: "245 832", -2569: "-2 569", -100: "-100",
		math.MinInt64: "-9 223 372 036 854 775 808"} {
		if got := Grouped(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 rows", 1: "1 row", 1234: "1 234 rows"} {
		if got := Plural(n, "row", "rows"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestRoundedCounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0 rows", 1: "1 row", 1234: "1.2k rows"} {
		if got := PluralCount(n, "row", "rows"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestRate(t *testing.T) {
	if got := Rate(24_000_000, 2*time.Second); got != "12 MB/s" {
		t.Errorf("got %q", got)
	}
	if got := Rate(1, 0); got != "" {
		t.Errorf("before any time passed: %q", got)
	}
}

func TestTimes(t *testing.T) {
	tests := []struct {
		d                      time.Duration
		duration, age, elapsed string
	}{
		{0, "less than a second", "just now", "0ms"},
		{35 * time.Millisecond, "less than a second", "just now", "35ms"},
		{999600 * time.Microsecond, "less than a second", "just now", "1.0s"},
		{1200 * time.Millisecond, "1 second", "just now", "1.2s"},
		{9960 * time.Millisecond, "9 seconds", "just now", "10s"},
		{59600 * time.Millisecond, "59 seconds", "just now", "1m 00s"},
		{65 * time.Second, "1 minute", "1 minute ago", "1m 05s"},
		{2*time.Hour + 3*time.Minute, "2 hours", "2 hours ago", "2h 03m"},
		{48 * time.Hour, "2 days", "2 days ago", "48h 00m"},
		{59 * day, "59 days", "59 days ago", "1416h 00m"},
		{61 * day, "2 months", "2 months ago", "1464h 00m"},
		{800 * day, "2 years", "2 years ago", "19200h 00m"},
	}
	for _, tt := range tests {
		if got := Duration(tt.d); got != tt.duration {
			t.Errorf("duration of %v: got %q, want %q", tt.d, got, tt.duration)
		}
		if got := Age(tt.d); got != tt.age {
			t.Errorf("age of %v: got %q, want %q", tt.d, got, tt.age)
		}
		if got := Elapsed(tt.d); got != tt.elapsed {
			t.Errorf("elapsed %v: got %q, want %q", tt.d, got, tt.elapsed)
		}
	}
	if got := Age(-3 * time.Hour); got != "in 3 hours" {
		t.Errorf("ahead: got %q", got)
	}
}

func TestColumns(t *testing.T) {
	for want, names := range map[string][]string{
		`column "a"`:                                 {"a"},
		`columns "a" and "b"`:                        {"a", "b"},
		`columns "a", "b", "c", "d" and "e"`:         {"a", "b", "c", "d", "e"},
		`columns "a", "b", "c", "d", "e" and 2 more`: {"a", "b", "c", "d", "e", "f", "g"},
		`column "\x1b"`:                              {"\x1b"},
		`column "` + strings.Repeat("é", 80) + `…"`:  {strings.Repeat("é", 100)},
	} {
		if got := Columns(names); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
