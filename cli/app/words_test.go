package app

import "testing"

// TestSmallCostsAreNotZero holds that a price which is not zero does not look so.
func TestSmallCostsAreNotZero(t *testing.T) {
	price := func(usd float64) *float64 { return &usd }
	for _, c := range []struct {
		usd  *float64
		want string
	}{
		{nil, "unknown"}, {price(0), "$0"}, {price(0.0000477), "less than $0.0001"}, {price(0.0001), "$0.0001"}, {price(1.25), "$1.2500"},
	} {
		if got := costText(c.usd); got != c.want {
			t.Errorf("%s, not %s", got, c.want)
		}
	}
}
