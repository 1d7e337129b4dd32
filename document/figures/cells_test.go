package figures

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestCells holds what counts as the same cell.
func TestCells(t *testing.T) {
	n := func(s string) any { return json.Number(s) }
	for _, c := range []struct {
		was, is any
		want    bool
	}{
		{n("3.50"), n("3.5"), true},
		{n("0.30000000000000004"), n("0.3"), true},
		{n("9007199254740993"), "9007199254740993", true},
		{n("9007199254740993"), "9007199254740992", false},
		{"007", n("7"), false},
		{"007", "7", false},
		{n("7"), "seven", false},
		{nil, nil, true},
		{nil, n("0"), false},
		{n("0"), nil, false},
		{true, true, true},
		{true, false, false},
		{"2024-05-01", "2024-05-01", true},
		{"2024-01-02 10:11:12", "2024-01-02T10:11:12", true},
		{"2024-01-02T00:00:00", "2024-01-02", true},
		{"2024-01-02 10:11:12", "2024-01-02T10:11:13", false},
	} {
		if same(c.was, c.is) != c.want {
			t.Errorf("%v and %v: not %v", c.was, c.is, c.want)
		}
	}
}

// TestRowsOfARange sorts, adds and removes rows of a range.
func TestRowsOfARange(t *testing.T) {
	a := &Answer{Columns: []string{"a", "b"}, Values: [][]any{{"x", json.Number("1")}, {"y", json.Number("2")}, {"z", json.Number("3")}}}
	at := func(row, column int) string { return fmt.Sprint(row, column) }
	x, y, z := a.Values[0], a.Values[1], a.Values[2]
	for name, c := range map[string]struct {
		now                [][]any
		missing, typedOver int
	}{
		"as written": {[][]any{x, y, z}, 0, 0},
		"sorted":     {[][]any{z, x, y}, 0, 0},
		"added":      {[][]any{x, {"new", json.Number("9")}, y, z}, 0, 0},
		"removed":    {[][]any{x, z}, 2, 0},
		"typed":      {[][]any{x, {"y", json.Number("22")}, z}, 0, 1},
		"gone":       {nil, 6, 0},
	} {
		missing, typed := 0, 0
		for _, f := range inRange(a, 0, c.now, at) {
			switch f.Status {
			case Missing:
				missing++
			case TypedOver:
				typed++
			}
		}
		if missing != c.missing || typed != c.typedOver {
			t.Errorf("%s: %d missing, %d typed over, want %d and %d", name, missing, typed, c.missing, c.typedOver)
		}
	}
}

// TestDrift compares rows that come in another order and with other values.
func TestDrift(t *testing.T) {
	a := &Answer{Columns: []string{"a", "b"}, Values: [][]any{{"x", json.Number("1.5")}, {"y", json.Number("2")}, {"z", json.Number("3")}}}
	r := rerun{rows: [][]any{{"z", json.Number("3")}, {"x", json.Number("1.5000000000000002")}, {"y", json.Number("7")}, {"w", json.Number("4")}}}
	r.compare(a)
	if now := r.now[[2]int{1, 1}]; len(r.now) != 1 || now == nil || *now != "7" || r.more != 1 {
		t.Errorf("%+v", r)
	}
	r = rerun{rows: [][]any{{"x", json.Number("1.5")}}}
	r.compare(a)
	if now, gone := r.now[[2]int{2, 0}]; len(r.now) != 4 || now != nil || !gone {
		t.Errorf("%+v", r.now)
	}
}
