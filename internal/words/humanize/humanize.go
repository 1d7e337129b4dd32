// Package humanize formats figures for people: sizes, counts, times, rates.
// Output for machines must not use it.
package humanize

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Bytes words a size in decimal units: "999 B", "1.2 MB", "180 KB".
func Bytes(n int64) string {
	return scaled(n, " ", [...]string{"B", "KB", "MB", "GB", "TB", "PB", "EB"})
}

// Count words a count: "999", "1.2k", "245k", "3M".
func Count(n int64) string {
	return scaled(n, "", [...]string{"", "k", "M", "G", "T", "P", "E"})
}

// scaled shows larger figures with three digits, and those below 100 with one
// decimal place unless it is zero.
func scaled(n int64, gap string, units [7]string) string {
	v, unit := float64(n), 0
	sign := ""
	if v < 0 {
		v, sign = -v, "-"
	}
	if v < 1000 {
		return fmt.Sprintf("%s%.0f%s%s", sign, v, gap, units[0])
	}
	for ; v >= 999.5 && unit < len(units)-1; unit++ { // round 999.5 and more up to the next unit instead of showing 1000
		v /= 1000
	}
	digits := 1
	if v >= 99.95 {
		digits = 0
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if digits == 1 && text[len(text)-1] == '0' {
		text = text[:len(text)-2]
	}
	return sign + text + gap + units[unit]
}

// Grouped writes every digit of n, in groups of three: "245 832".
func Grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	grouped := make([]byte, 0, len(digits)+len(digits)/3)
	for i := range len(digits) {
		if i > first && (len(digits)-i)%3 == 0 {
			grouped = append(grouped, ' ')
		}
		grouped = append(grouped, digits[i])
	}
	return string(grouped)
}

// Plural words a count of things: "1 row", "245 832 rows".
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// Columns is how a sentence names columns: `column "a"`, or `columns "a", "b" and 7
// more`, with at most five names. They are quoted, and clipped if they are long.
func Columns(names []string) string {
	const most, longest = 5, 80
	var b strings.Builder
	b.WriteString("column")
	if len(names) > 1 {
		b.WriteByte('s')
	}
	for i, name := range names[:min(len(names), most)] {
		if i > 0 && i == len(names)-1 {
			b.WriteString(" and")
		} else if i > 0 {
			b.WriteByte(',')
		}
		if runes := []rune(name); len(runes) > longest {
			name = string(runes[:longest]) + "…"
		}
		fmt.Fprintf(&b, " %q", name)
	}
	if more := len(names) - most; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

// PluralCount is Plural with a rounded count: "1 row", "246k rows".
func PluralCount(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Rate words a throughput: "12 MB/s". It is empty before any time has passed.
func Rate(bytes int64, d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return Bytes(int64(float64(bytes)/d.Seconds())) + "/s"
}
