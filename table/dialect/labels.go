package dialect

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/table/infer"
)

// labels reports whether the numbers of the first record name columns, such as
// weeks, years or quantiles, and whether they may do so: other numbers in order
// are just as well data.
func labels(head []cell, data []record, n int) (sure, may bool) {
	numbers := series(head)
	if even := func(cells []cell) bool { return years(cells) || decades(series(cells)) }; even(head) {
		return !anyRecord(data, n, even), false
	}
	if len(numbers) < 2 || len(data) == 0 {
		return false, false
	}
	first := infer.LookAt(head[0].text)
	corner := first == infer.LooksText || first == infer.LooksEmpty
	if corner && len(numbers) > 3 && inYears(numbers) { // at any steps
		return !anyRecord(data, n, func(cells []cell) bool { s := series(cells); return len(s) > 3 && inYears(s) }), true
	}
	may = corner && (!likeValues(head[0].text, column(data, 0, n)) || outside(numbers, data, n))
	switch enough := first == infer.LooksEmpty || len(numbers) > 2 && may || len(numbers) > 4; {
	case !enough:
	case numbers[0] <= 1 && counts(numbers):
		// Without a corner, the next numbers continue the first.
		return !anyRecord(data, n, func(cells []cell) bool {
			s := series(cells)
			return len(s) > 1 && counts(s) && (s[0] <= 1 || !corner)
		}) && (corner || !continued(numbers[0], column(data, 0, n))), may
	case may && quantiles(numbers):
		return !anyRecord(data, n, func(cells []cell) bool { s := series(cells); return len(s) > 1 && quantiles(s) }), may
	}
	return false, may
}

// series returns the numbers of a record that are in order, next to each other and
// the only values other than text; otherwise nil.
func series(cells []cell) (out []float64) {
	ended := false
	for _, c := range cells {
		switch infer.LookAt(c.text) {
		case infer.LooksText, infer.LooksEmpty:
			ended = len(out) > 0
			continue
		case infer.LooksNumber:
		default:
			return nil
		}
		x, err := strconv.ParseFloat(strings.TrimSuffix(string(bytes.TrimSpace(c.text)), "%"), 64)
		if k := len(out); err != nil || ended || k > 0 && x == out[k-1] || k > 1 && (x > out[k-1]) != (out[1] > out[0]) {
			return nil
		}
		out = append(out, x)
	}
	return out
}

// counts reports whether numbers are whole, from 0 on, and go up by 1.
func counts(numbers []float64) bool {
	for i, x := range numbers {
		if x != numbers[0]+float64(i) {
			return false
		}
	}
	return numbers[0] >= 0 && numbers[0] == float64(int64(numbers[0]))
}

// decades reports whether numbers are at least three years at even steps.
func decades(numbers []float64) bool {
	for i, x := range numbers {
		if i > 0 && x-numbers[i-1] != numbers[1]-numbers[0] {
			return false
		}
	}
	return len(numbers) > 2 && inYears(numbers)
}

// inYears reports whether numbers can be years.
func inYears(numbers []float64) bool {
	return !slices.ContainsFunc(numbers, func(x float64) bool { return x < 1800 || x > 2100 || x != float64(int(x)) })
}

// quantiles reports whether rising numbers are parts of 1.
func quantiles(numbers []float64) bool {
	last := numbers[len(numbers)-1]
	return numbers[0] >= 0 && last <= 1 && last > numbers[0]
}

// outside reports whether most numbers of the records are beyond the first and last
// of numbers in order.
func outside(numbers []float64, data []record, n int) bool {
	low, high := slices.Min(numbers), slices.Max(numbers)
	all, out := 0, 0
	for _, rec := range data {
		for _, c := range rec.cells[:min(n, len(rec.cells))] {
			if x, err := strconv.ParseFloat(string(bytes.TrimSpace(c.text)), 64); err == nil {
				if all++; x < low || x > high {
					out++
				}
			}
		}
	}
	return out*2 > all
}

// unlikeBelow reports whether no cell of the first record is like those below it: a
// text has a pattern that none of them has, a number is less or more than all of them.
func unlikeBelow(head []cell, data []record, n int) bool {
	for j, c := range head[:min(n, len(head))] {
		cells := column(data, j, n)
		alike := func(below cell) bool { return shape(below.text) == shape(c.text) }
		if x, err := strconv.ParseFloat(string(bytes.TrimSpace(c.text)), 64); err == nil {
			side := func(below cell) int {
				y, err := strconv.ParseFloat(string(bytes.TrimSpace(below.text)), 64)
				if err != nil {
					return 0
				}
				return cmp.Compare(y, x)
			}
			alike = func(below cell) bool { return side(below) == 0 || side(below) != side(cells[0]) }
		}
		if len(c.text) == 0 || len(cells) < 3 || slices.ContainsFunc(cells, alike) {
			return false
		}
	}
	return true
}

// continued reports whether a column goes on counting up from first.
func continued(first float64, cells []cell) bool {
	if len(cells) == 0 {
		return false
	}
	x, err := strconv.ParseFloat(string(bytes.TrimSpace(cells[0].text)), 64)
	return err == nil && x == first+1
}

// likeValues reports whether a text may be one of the texts of a column.
func likeValues(text []byte, cells []cell) bool {
	if len(text) == 0 || knownWord(text) > 0 {
		return false
	}
	shortest, longest, alike := len(text)+1, 0, false
	for _, c := range cells {
		shortest, longest = min(shortest, len(c.text)), max(longest, len(c.text))
		alike = alike || shape(c.text) == shape(text)
	}
	return alike && len(text) >= shortest && len(text) <= longest
}
