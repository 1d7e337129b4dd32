package sheet

import (
	"math"
	"slices"
	"strings"
)

// numbers are the numbers of arguments; bad is the first error among them.
func (m *model) numbers(args []expr) (all []float64, bad Value, err error) {
	for _, a := range args {
		values, isRange, err := m.argument(a)
		if err != nil {
			return nil, bad, err
		}
		for v := range values.values() {
			if isRange && v.kind == boolKind {
				return nil, bad, cannot("true or false among numbers, which programs count differently")
			}
			if isRange && v.kind != numberKind && v.kind != errorKind {
				continue
			}
			if v, err = v.toNumber(); err != nil || v.kind == errorKind {
				return nil, v, err
			}
			all = append(all, v.number)
		}
	}
	return all, bad, nil
}

func aggregate(f func([]float64) Value) function {
	return func(m *model, args []expr) (Value, error) {
		all, bad, err := m.numbers(args)
		switch {
		case len(args) == 0:
			return bad, cannot("a function with other arguments")
		case err != nil || bad.kind == errorKind:
			return bad, err
		}
		return f(all), nil
	}
}

// sum adds with a correction for what is lost in rounding.
func sum(all []float64) Value {
	total, lost := 0.0, 0.0
	for _, f := range all {
		next := total + f
		if math.Abs(total) >= math.Abs(f) {
			lost += total - next + f
		} else {
			lost += f - next + total
		}
		total = next
	}
	return numberValue(total + lost)
}

func average(all []float64) Value {
	if len(all) == 0 {
		return errorValue("#DIV/0!")
	}
	return numberValue(sum(all).number / float64(len(all)))
}

func least(all []float64) Value {
	if len(all) == 0 {
		return numberValue(0)
	}
	return numberValue(slices.Min(all))
}

func most(all []float64) Value {
	if len(all) == 0 {
		return numberValue(0)
	}
	return numberValue(slices.Max(all))
}

func product(all []float64) Value {
	if len(all) == 0 {
		return numberValue(0)
	}
	out := 1.0
	for _, f := range all {
		out *= f
	}
	return numberValue(out)
}

func count(f func(Value) bool) function {
	return func(m *model, args []expr) (Value, error) {
		n := 0
		for _, a := range args {
			values, isRange, err := m.argument(a)
			if err != nil {
				return Value{}, err
			}
			for v := range values.values() {
				if !isRange && (v.kind == textKind || v.kind == emptyKind || v.kind == boolKind) {
					return v, cannot("counting texts of a formula")
				}
				if v.kind == boolKind && !f(v) {
					return v, cannot("true or false among numbers, which programs count differently")
				}
				if f(v) {
					n++
				}
			}
		}
		return numberValue(float64(n)), nil
	}
}

func (m *model) blanks(args []expr) (Value, error) {
	r, ok := reference{}, false
	if len(args) == 1 {
		r, ok = args[0].(reference)
	}
	if !ok {
		return Value{}, cannot("a function with other arguments")
	}
	values, err := m.cells(r)
	n := r.area.rows() * r.area.columns() * (r.last - r.first + 1)
	for v := range values.values() {
		if v.kind != emptyKind && v != textValue("") {
			n--
		}
	}
	return numberValue(float64(n)), err
}

func (m *model) sumProduct(args []expr) (Value, error) {
	if len(args) == 0 {
		return Value{}, cannot("a function with other arguments")
	}
	var all matrix
	for i, a := range args {
		next, err := m.block(a)
		if err != nil {
			return Value{}, err
		}
		for r := range next {
			for c, v := range next[r] {
				if v.kind == errorKind {
					return v, nil
				}
				if v.kind != numberKind { // texts, true and false count as 0
					next[r][c] = numberValue(0)
				}
			}
		}
		if i > 0 {
			if len(all) != len(next) || len(all[0]) != len(next[0]) {
				return Value{}, cannot("ranges of different sizes in one calculation")
			}
			if next, err = zip(all, next, func(a, b Value) (Value, error) { return operate("*", a, b) }); err != nil {
				return Value{}, err
			}
		}
		all = next
	}
	var flat []float64
	for v := range all.values() {
		flat = append(flat, v.number)
	}
	return sum(flat), nil
}

// subtotal adds up rows that are shown; filters are not looked at here.
func (m *model) subtotal(args []expr) (Value, error) {
	kind, err := m.integerOr(args, 0, 0)
	names := []string{"", "AVERAGE", "COUNT", "COUNTA", "MAX", "MIN", "PRODUCT", "", "", "SUM"}
	if err != nil || kind < 1 || kind >= len(names) || names[kind] == "" || len(args) < 2 {
		return Value{}, cannot("SUBTOTAL of this kind")
	}
	for _, a := range args[1:] {
		r, ok := a.(reference)
		if !ok || r.first != r.last {
			return Value{}, cannot("SUBTOTAL of something other than a range")
		}
		s := m.sheets[r.first]
		if s.part.layout.tree.Root.Find("s:autoFilter", "s:filterColumn") != nil {
			return Value{}, cannot("SUBTOTAL of rows that may be filtered")
		}
		for at, f := range s.formulas {
			if r.area.contains(at) && (strings.Contains(strings.ToUpper(f.text), "SUBTOTAL") ||
				strings.Contains(strings.ToUpper(f.text), "AGGREGATE")) {
				return Value{}, cannot("SUBTOTAL of others")
			}
		}
		if tables, err := m.book.tables(s.part); err != nil ||
			slices.ContainsFunc(tables, func(t tablePart) bool { return t.root.Find("s:autoFilter", "s:filterColumn") != nil }) {
			return Value{}, cannot("SUBTOTAL of rows that may be filtered")
		}
	}
	return m.own[names[kind]](m, args[1:])
}
