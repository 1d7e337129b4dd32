package checks

import (
	"encoding/json"
	"testing"

	"github.com/agnes-data/da/internal/rows/parquetfile"
)

func TestWhatAFooterProves(t *testing.T) {
	f := &parquetfile.Footer{Rows: 10, Facts: map[string]parquetfile.Facts{
		"n": {Least: int64(-3), Most: int64(9)}, "price": {Nulls: 1, Least: int64(10), Most: int64(30)},
		"share": {Nulls: -1, Least: 0.1, Most: 0.3}, "day": {Least: int64(5), Most: int64(6)}, "odd": {},
	}}
	types := map[string]string{"n": "BIGINT", "price": "DECIMAL(4,2)", "share": "DOUBLE", "day": "TIMESTAMP_NS", "odd": "DOUBLE"}
	few, many := int64(11), int64(10)
	for _, c := range []struct {
		check Check
		holds bool
	}{
		{Check{Rows: &Rows{Max: &many}}, true},
		{Check{Rows: &Rows{Min: &few}}, false},
		{Check{Rows: &Rows{Max: &many, MaxChange: new(float64)}}, false},
		{Check{NotNull: []string{"n"}}, true},
		{Check{NotNull: []string{"n", "price"}}, false},
		{Check{NotNull: []string{"N"}}, false},
		{Check{NotNull: []string{"share"}}, false},
		{Check{NullShare: &NullShare{"price", 0.1}}, true},
		{Check{NullShare: &NullShare{"price", 0.09}}, false},
		{Check{NullShare: &NullShare{"share", 1}}, false},
		{Check{Range: &Range{"n", int64(-3), uint64(9)}}, true},
		{Check{Range: &Range{"n", -2.5, nil}}, false},
		{Check{Range: &Range{"n", nil, "9"}}, false},
		{Check{Range: &Range{"price", 0.1, json.Number("0.30")}}, true},
		{Check{Range: &Range{"price", 0.1, json.Number("0.2999999999999999999")}}, false},
		{Check{Range: &Range{"share", 0.1, json.Number("0.3")}}, true},
		{Check{Range: &Range{"share", 0.1000001, nil}}, false},
		{Check{Range: &Range{"day", int64(0), nil}}, false},
		{Check{Range: &Range{"odd", nil, 1e300}}, false},
	} {
		if c.check.HoldsBy(f, types) != c.holds {
			text, _ := json.Marshal(c.check)
			t.Errorf("%s is proven: %v", text, !c.holds)
		}
	}
}
