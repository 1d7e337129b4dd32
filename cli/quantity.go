package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

var ageUnits = map[string]time.Duration{
	"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
}

// sizeUnits are powers of ten, as disks are sold and sizes shown.
var sizeUnits = map[string]float64{
	"": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
}

// parseAge reads an age such as 12h or 7d.
func parseAge(flag, text string) (time.Duration, error) {
	number, unit := splitQuantity(text)
	size, ok := ageUnits[unit]
	age := number * float64(size)
	if !ok || math.IsNaN(number) || age <= 0 || age > math.MaxInt64 {
		return 0, usageError(fmt.Sprintf("--%s '%s' is not an age such as 12h, 7d or 2w", flag, text))
	}
	return time.Duration(age), nil
}

// parseSize reads a size such as 500m or 1g.
func parseSize(flag, text string) (int64, error) {
	number, unit := splitQuantity(text)
	factor, ok := sizeUnits[unit]
	size := number * factor
	if !ok || math.IsNaN(number) || size < 1 || size > math.MaxInt64 {
		return 0, usageError(fmt.Sprintf("--%s '%s' is not a size such as 500m or 1g", flag, text))
	}
	return int64(size), nil
}

// splitQuantity takes number and unit apart; NaN if there is no number.
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
