package usage

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
)

var ageUnits = map[string]time.Duration{
	"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
}

// sizeUnits are powers of ten, as on disks and in our output.
var sizeUnits = map[string]float64{
	"": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
}

// ParseAge reads an age such as 12h or 7d.
func ParseAge(flag, text string) (time.Duration, error) {
	number, unit := splitQuantity(text)
	size, ok := ageUnits[unit]
	age := number * float64(size)
	if !ok || math.IsNaN(number) || age <= 0 || age > math.MaxInt64 {
		return 0, Error(fmt.Sprintf("--%s '%s' is not an age such as 12h, 7d or 2w", flag, text))
	}
	return time.Duration(age), nil
}

// ParseSize reads a size such as 500m or 1g.
func ParseSize(flag, text string) (int64, error) {
	number, unit := splitQuantity(text)
	factor, ok := sizeUnits[unit]
	size := number * factor
	if !ok || math.IsNaN(number) || size < 1 || size > math.MaxInt64 {
		return 0, Error(fmt.Sprintf("--%s '%s' is not a size such as 500m or 1g", flag, text))
	}
	return int64(size), nil
}

// splitQuantity separates number and unit; the number is NaN if it is missing.
func splitQuantity(text string) (float64, string) {
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		end = len(text)
	}
	number, err := strconv.ParseFloat(text[:end], 64)
	if err != nil {
		return math.NaN(), ""
	}
	return number, strings.ToLower(strings.TrimSpace(text[end:]))
}

// ParseMoment parses a flag's age, date or time.
func ParseMoment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	age, err := ParseAge(flag, text)
	var known *api.Error
	if errors.As(err, &known) {
		known.Message = fmt.Sprintf("--%s '%s' is not an age (24h, 7d), a date (2026-01-31) or a time (2026-01-31T12:00:00Z)", flag,
			api.Clip(text, 40))
	}
	return now.Add(-age), err
}
