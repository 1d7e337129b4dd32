package sheet

import (
	"math"
	"strings"
)

// call calculates a function. Conditions, lookups and sums are done here, since their
// results have the types of the cells that they read; the rest is left to the library.
func (m *model) call(c call) (Value, error) {
	if f, ok := m.own[c.name]; ok {
		return f(m, c.args)
	}
	if f, ok := borrowed()[c.name]; ok {
		return m.borrow(c.name, f, c.args)
	}
	return Value{}, cannot("the function %s", c.name)
}

type function func(m *model, args []expr) (Value, error)

// own are the functions that are calculated here.
func own() map[string]function {
	return map[string]function{
		"IF": (*model).choose, "IFS": (*model).ifs, "IFERROR": onError(""), "IFNA": onError("#N/A"), "CHOOSE": (*model).pick,
		"SWITCH": (*model).match,
		"TRUE":   constant(boolValue(true)), "FALSE": constant(boolValue(false)), "NA": constant(errorValue("#N/A")),
		"PI":  constant(numberValue(math.Pi)),
		"AND": logic(func(all, on int) bool { return all == on }), "OR": logic(func(_, on int) bool { return on > 0 }),
		"XOR":     logic(func(_, on int) bool { return on%2 == 1 }),
		"NOT":     ofOne(func(v Value) (Value, error) { b, err := v.toBool(); return negated(b), err }),
		"ISBLANK": is(emptyKind), "ISTEXT": is(textKind), "ISLOGICAL": is(boolKind), "ISERROR": is(errorKind),
		"ISNUMBER": ofOne(func(v Value) (Value, error) {
			if v.kind == boolKind {
				return v, cannot("true or false among numbers, which programs count differently")
			}
			return boolValue(v.kind == numberKind), nil
		}),
		"DEGREES": scaled(180 / math.Pi), "RADIANS": scaled(math.Pi / 180), "VALUE": scaled(1),
		"ISNONTEXT": ofOne(func(v Value) (Value, error) { return boolValue(v.kind != textKind), nil }),
		"ISNA":      ofOne(func(v Value) (Value, error) { return boolValue(v == errorValue("#N/A")), nil }),
		"ISERR":     ofOne(func(v Value) (Value, error) { return boolValue(v.kind == errorKind && v.text != "#N/A"), nil }),
		"N": ofOne(func(v Value) (Value, error) {
			if v.kind == textKind {
				return numberValue(0), nil
			}
			return v.toNumber()
		}),
		"T": ofOne(func(v Value) (Value, error) {
			if v.kind != textKind && v.kind != errorKind {
				return textValue(""), nil
			}
			return v, nil
		}),
		"ROW": position(func(a area) int { return a.from.row }), "COLUMN": position(func(a area) int { return a.from.col }),
		"ROWS": position(area.rows), "COLUMNS": position(area.columns),
		"SUM": aggregate(sum), "AVERAGE": aggregate(average), "MIN": aggregate(least), "MAX": aggregate(most), "PRODUCT": aggregate(product),
		"SUMSQ": aggregate(func(all []float64) Value {
			for i := range all {
				all[i] *= all[i]
			}
			return sum(all)
		}),
		"COUNT": count(func(v Value) bool { return v.kind == numberKind }), "COUNTA": count(func(v Value) bool { return v.kind != emptyKind }),
		"COUNTBLANK": (*model).blanks, "SUMPRODUCT": (*model).sumProduct, "SUBTOTAL": (*model).subtotal,
		"SUMIF": single(sum), "AVERAGEIF": single(average), "COUNTIF": (*model).countIfs, "COUNTIFS": (*model).countIfs, "SUMIFS": several(sum),
		"AVERAGEIFS": several(average), //nolint:misspell // its name
		"MAXIFS":     several(most), "MINIFS": several(least),
		"VLOOKUP": lookup(false), "HLOOKUP": lookup(true), "MATCH": (*model).position, "INDEX": (*model).index, "XLOOKUP": (*model).xlookup,
		"XMATCH": (*model).position,
		"NPV":    present, "CONCATENATE": joined, "CONCAT": joined, "EXACT": exact,
	}
}

func constant(v Value) function {
	return func(_ *model, args []expr) (Value, error) {
		if len(args) > 0 {
			return v, cannot("a function with arguments that it has not")
		}
		return v, nil
	}
}

func negated(v Value) Value {
	if v.kind == boolKind {
		return boolValue(v.number == 0)
	}
	return v
}

// ofOne is a function of one value.
func ofOne(f func(Value) (Value, error)) function {
	return func(m *model, args []expr) (Value, error) {
		if len(args) != 1 {
			return Value{}, cannot("a function with other arguments")
		}
		v, err := m.scalar(args[0])
		if err != nil {
			return v, err
		}
		return f(v)
	}
}

func scaled(by float64) function {
	return ofOne(func(v Value) (Value, error) {
		if v.kind == boolKind {
			return v, cannot("true or false as a number")
		}
		v, err := v.toNumber()
		if err != nil || v.kind == errorKind {
			return v, err
		}
		return numberValue(v.number * by), nil
	})
}

func is(kind valueKind) function {
	return ofOne(func(v Value) (Value, error) { return boolValue(v.kind == kind), nil })
}

// position tells where a range is.
func position(f func(area) int) function {
	return func(_ *model, args []expr) (Value, error) {
		if len(args) == 1 {
			if r, ok := args[0].(reference); ok && r.first == r.last {
				return numberValue(float64(f(r.area))), nil
			}
		}
		return Value{}, cannot("the place of something other than a range")
	}
}

// condition is the truth of an argument.
func (m *model) condition(e expr) (Value, error) {
	v, err := m.scalar(e)
	if err != nil {
		return v, err
	}
	return v.toBool()
}

func (m *model) choose(args []expr) (Value, error) {
	if len(args) < 2 || len(args) > 3 {
		return Value{}, cannot("a function with other arguments")
	}
	c, err := m.condition(args[0])
	switch {
	case err != nil || c.kind == errorKind:
		return c, err
	case c.number != 0:
		return m.result(args[1])
	case len(args) == 3:
		return m.result(args[2])
	}
	return boolValue(false), nil
}

// result is what a condition leads to: 0 where nothing is given.
func (m *model) result(e expr) (Value, error) {
	if e == nil {
		return numberValue(0), nil
	}
	return m.scalar(e)
}

func (m *model) ifs(args []expr) (Value, error) {
	for i := 0; i+1 < len(args); i += 2 {
		c, err := m.condition(args[i])
		if err != nil || c.kind == errorKind {
			return c, err
		}
		if c.number != 0 {
			return m.result(args[i+1])
		}
	}
	return errorValue("#N/A"), nil
}

func (m *model) match(args []expr) (Value, error) {
	if len(args) < 3 {
		return Value{}, cannot("a function with other arguments")
	}
	v, err := m.scalar(args[0])
	if err != nil || v.kind == errorKind {
		return v, err
	}
	rest := args[1:]
	for ; len(rest) > 1; rest = rest[2:] {
		other, err := m.scalar(rest[0])
		if err != nil || other.kind == errorKind {
			return other, err
		}
		if order, err := compareValues(v, other, true); err != nil || order == 0 {
			if err != nil {
				return v, err
			}
			return m.result(rest[1])
		}
	}
	if len(rest) == 1 {
		return m.result(rest[0])
	}
	return errorValue("#N/A"), nil
}

// onError is a function that replaces an error, or any if name is "".
func onError(name string) function {
	return func(m *model, args []expr) (Value, error) {
		if len(args) != 2 {
			return Value{}, cannot("a function with other arguments")
		}
		v, err := m.result(args[0])
		if err != nil || v.kind != errorKind || name != "" && v.text != name {
			if v.kind == emptyKind {
				v = numberValue(0)
			}
			return v, err
		}
		return m.result(args[1])
	}
}

func (m *model) pick(args []expr) (Value, error) {
	if len(args) < 2 {
		return Value{}, cannot("a function with other arguments")
	}
	v, err := m.number(args[0])
	if err != nil || v.kind == errorKind {
		return v, err
	}
	if v.number < 1 || int(v.number) >= len(args) {
		return errorValue("#VALUE!"), nil
	}
	return m.result(args[int(v.number)])
}

// number is an argument as a number.
func (m *model) number(e expr) (Value, error) {
	v, err := m.scalar(e)
	if err != nil {
		return v, err
	}
	return v.toNumber()
}

// integerOr is an argument that is a number or, if it is left out, another one.
func (m *model) integerOr(args []expr, i, without int) (int, error) {
	if i >= len(args) {
		return without, nil
	}
	v, err := m.number(args[i])
	if err == nil && (v.kind != numberKind || math.Abs(v.number) > 1e9) {
		err = cannot("a number of cells that is none")
	}
	return int(math.Floor(v.number)), err
}

// logic is a function of how many of all values are true.
func logic(f func(all, on int) bool) function {
	return func(m *model, args []expr) (Value, error) {
		all, on, failed := 0, 0, Value{}
		for _, a := range args {
			values, isRange, err := m.argument(a)
			if err != nil {
				return Value{}, err
			}
			for v := range values.values() {
				if isRange && (v.kind == textKind || v.kind == emptyKind) {
					continue
				}
				b, err := v.toBool()
				if err == nil && b.kind == errorKind {
					failed, err = failed.or(b)
				}
				if err != nil {
					return b, err
				}
				all++
				on += int(b.number)
			}
		}
		if failed.kind == errorKind {
			return failed, nil
		}
		if all == 0 {
			return errorValue("#VALUE!"), nil
		}
		return boolValue(f(all, on)), nil
	}
}

// argument are the values of an argument, and whether it is a range: a text in a
// range counts as nothing, one in the formula as what it says.
func (m *model) argument(e expr) (matrix, bool, error) {
	if r, ok := e.(reference); ok {
		out, err := m.cells(r)
		return out, true, err
	}
	v, err := m.scalar(e)
	return matrix{{v}}, false, err
}

func (x matrix) values() func(func(Value) bool) {
	return func(yield func(Value) bool) {
		for _, line := range x {
			for _, v := range line {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// present is the value today of later payments.
func present(m *model, args []expr) (Value, error) {
	if len(args) < 2 {
		return Value{}, cannot("a function with other arguments")
	}
	rate, err := m.number(args[0])
	if err != nil || rate.kind == errorKind {
		return rate, err
	}
	all, bad, err := m.numbers(args[1:])
	if err != nil || bad.kind == errorKind {
		return bad, err
	}
	for i := range all {
		all[i] /= math.Pow(1+rate.number, float64(i+1))
	}
	return sum(all), nil
}

func joined(m *model, args []expr) (Value, error) {
	var b strings.Builder
	for _, a := range args {
		v, err := m.scalar(a)
		if err == nil && v.kind != errorKind {
			v, err = v.toText()
		}
		if err != nil || v.kind == errorKind {
			return v, err
		}
		b.WriteString(v.text)
	}
	return textValue(b.String()), nil
}

func exact(m *model, args []expr) (Value, error) {
	if len(args) != 2 {
		return Value{}, cannot("a function with other arguments")
	}
	a, err := joined(m, args[:1])
	if err != nil || a.kind == errorKind {
		return a, err
	}
	b, err := joined(m, args[1:])
	if err != nil || b.kind == errorKind {
		return b, err
	}
	return boolValue(a.text == b.text), nil
}
