package sheet

import (
	"math"
	"slices"
)

// matrix is a block of values, such as those of a range.
type matrix [][]Value

// depends reports whether a formula has to be calculated: it is changed, or reads a
// cell that is.
func (m *model) depends(f *formula) bool {
	if f.dirty == 2 {
		return f.isDirty == 1
	}
	if f.dirty == 1 {
		return false // it reads itself
	}
	f.dirty = 1
	if m.depth++; m.depth > deepestChain || m.all || m.sheets[f.sheet].changed[f.at] {
		f.isDirty = 1
	} else {
		eachReference(m.tree(f), func(r reference) bool {
			for i := r.first; i <= r.last && f.isDirty == 0; i++ {
				if m.touches(m.sheets[i], r.area) {
					f.isDirty = 1
				}
			}
			return f.isDirty == 0
		})
		if f.expr == nil || wanders(f.expr) { // what it reads is not known
			f.isDirty = 1
		}
	}
	m.depth--
	f.dirty = 2
	return f.isDirty == 1
}

// wanders reports whether a formula works out which cells it reads.
func wanders(e expr) bool {
	switch e := e.(type) {
	case binary:
		return wanders(e.left) || wanders(e.right)
	case unary:
		return wanders(e.of)
	case call:
		return e.name == "OFFSET" || e.name == "INDIRECT" || e.name == "CELL" || slices.ContainsFunc(e.args, wanders)
	}
	return false
}

// touches reports whether a range has a cell that is changed or calculated anew.
func (m *model) touches(s *modelSheet, a area) bool {
	if area := a.rows() * a.columns(); area <= len(s.changed)+len(s.formulas) {
		for r := a.from.row; r <= a.to.row; r++ {
			for c := a.from.col; c <= a.to.col; c++ {
				at := cell{r, c}
				if f := s.formulas[at]; s.changed[at] || f != nil && m.depends(f) {
					return true
				}
			}
		}
		return false
	}
	for at := range s.changed {
		if a.contains(at) {
			return true
		}
	}
	for at, f := range s.formulas {
		if a.contains(at) && m.depends(f) {
			return true
		}
	}
	return false
}

// tree reads the formula of a cell, once; nil if it cannot be.
func (m *model) tree(f *formula) expr {
	if !f.parsed {
		f.parsed = true
		e, err := m.parseFormula(f.text, f.sheet, f.at, 0)
		if f.expr = e; err != nil {
			f.expr = nil
			if f.why == nil {
				f.why = err
			}
		}
	}
	return f.expr
}

// eachReference hands out the references of a formula until f returns false.
func eachReference(e expr, f func(reference) bool) bool {
	switch e := e.(type) {
	case reference:
		return f(e)
	case binary:
		return eachReference(e.left, f) && eachReference(e.right, f)
	case unary:
		return eachReference(e.of, f)
	case call:
		for _, a := range e.args {
			if !eachReference(a, f) {
				return false
			}
		}
	}
	return true
}

// calculate returns the value of a formula.
func (m *model) calculate(f *formula) (Value, error) {
	switch {
	case f.done == 2:
		return f.value, f.err
	case f.done == 1:
		return Value{}, cannot("a formula that reads itself")
	}
	f.done = 1
	if m.depth++; m.depth > deepestChain {
		f.err = cannot("a chain of more than %d formulas", deepestChain)
	} else if e := m.tree(f); f.why != nil {
		f.err = f.why
	} else {
		f.value, f.err = m.scalar(e)
		if f.err == nil && f.value.kind == emptyKind {
			f.value = numberValue(0) // as a reference to an empty cell
		}
	}
	m.depth--
	f.done = 2
	return f.value, f.err
}

// valueOf is the value of a cell.
func (m *model) valueOf(s *modelSheet, c cell) (Value, error) {
	if m.work++; m.work > maxWork {
		return Value{}, cannot("formulas that read more than %d cells", maxWork)
	}
	if s.part.chart {
		return Value{}, cannot("cells of a chart")
	}
	if f := s.formulas[c]; f != nil && !m.frozen && m.depends(f) {
		v, err := m.calculate(f)
		if err != nil && f.why == nil {
			return v, err
		} else if err != nil {
			return v, cannot("cells whose own formulas are not calculated")
		}
		return v, nil
	}
	if s.unread[c] {
		return Value{}, cannot("cells in a form of their own")
	}
	return s.values[c], nil
}

// scalar is the one value of an expression.
func (m *model) scalar(e expr) (Value, error) {
	switch e := e.(type) {
	case nil:
		return Value{}, nil
	case literal:
		return e.value, nil
	case reference:
		if e.first != e.last || e.area.from != e.area.to {
			return Value{}, cannot("a range where one value belongs")
		}
		return m.valueOf(m.sheets[e.first], e.area.from)
	case unary:
		v, err := m.scalar(e.of)
		if err == nil && e.op != "+" {
			v, err = v.toNumber()
		}
		switch {
		case err != nil || v.kind != numberKind:
			return v, err
		case e.op == "-":
			return numberValue(-v.number), nil
		case e.op == "%":
			return numberValue(v.number / 100), nil
		}
		return v, nil
	case binary:
		left, err := m.scalar(e.left)
		if err != nil {
			return left, err
		}
		right, err := m.scalar(e.right)
		if err != nil {
			return right, err
		}
		return operate(e.op, left, right)
	case call:
		return m.call(e)
	}
	return Value{}, cannot("an unknown part of a formula")
}

// operate applies an operator to two values.
func operate(op string, a, b Value) (Value, error) {
	for _, v := range []Value{a, b} {
		if v.kind == errorKind {
			return v, nil
		}
	}
	switch op {
	case "&":
		x, err := a.toText()
		if err != nil {
			return x, err
		}
		y, err := b.toText()
		return textValue(x.text + y.text), err
	case "=", "<>", "<", "<=", ">", ">=":
		order, err := compareValues(a, b, op == "=" || op == "<>")
		return boolValue(map[string]bool{"=": order == 0, "<>": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0,
			">=": order >= 0}[op]), err
	}
	x, err := a.toNumber()
	if err != nil || x.kind == errorKind {
		return x, err
	}
	y, err := b.toNumber()
	if err != nil || y.kind == errorKind {
		return y, err
	}
	if op == "^" && x.number == 0 && y.number <= 0 {
		return x, cannot("powers of 0, which programs count differently")
	}
	return arithmetic(op, x.number, y.number), nil
}

func arithmetic(op string, x, y float64) Value {
	switch op {
	case "+", "-":
		if op == "-" {
			y = -y
		}
		sum := x + y
		if math.Abs(sum) < 1e-15*max(math.Abs(x), math.Abs(y)) { // as programs take what is left of rounding for 0
			sum = 0
		}
		return numberValue(sum)
	case "*":
		return numberValue(x * y)
	case "/":
		if y == 0 {
			return errorValue("#DIV/0!")
		}
		return numberValue(x / y)
	}
	return numberValue(math.Pow(x, y))
}

// block is the values of a range, clipped to what its sheet uses, and of expressions
// of ranges of the same size.
func (m *model) block(e expr) (matrix, error) {
	switch e := e.(type) {
	case reference:
		return m.cells(e)
	case binary:
		left, err := m.block(e.left)
		if err != nil {
			return nil, err
		}
		right, err := m.block(e.right)
		if err != nil {
			return nil, err
		}
		return zip(left, right, func(a, b Value) (Value, error) { return operate(e.op, a, b) })
	case unary:
		of, err := m.block(e.of)
		if err != nil {
			return nil, err
		}
		sign := map[string]float64{"-": -1, "+": 1, "%": .01}[e.op]
		return zip(of, matrix{{numberValue(sign)}}, func(a, b Value) (Value, error) { return operate("*", a, b) })
	}
	v, err := m.scalar(e)
	return matrix{{v}}, err
}

// zip joins two blocks value by value; one of a single value goes with all.
func zip(a, b matrix, f func(a, b Value) (Value, error)) (out matrix, err error) {
	single := func(m matrix) bool { return len(m) == 1 && len(m[0]) == 1 }
	shape := a
	if single(a) {
		shape = b
	}
	if !single(a) && !single(b) && (len(a) != len(b) || len(a) > 0 && len(a[0]) != len(b[0])) {
		return nil, cannot("ranges of different sizes in one calculation")
	}
	pick := func(m matrix, r, c int) Value {
		if single(m) {
			return m[0][0]
		}
		return m[r][c]
	}
	for r := range shape {
		line := make([]Value, len(shape[r]))
		for c := range line {
			if line[c], err = f(pick(a, r, c), pick(b, r, c)); err != nil {
				return nil, err
			}
		}
		out = append(out, line)
	}
	return out, nil
}

// cells are the values of a range.
func (m *model) cells(r reference) (out matrix, err error) {
	for i := r.first; i <= r.last; i++ {
		s, a := m.sheets[i], r.area
		a.to.row = max(min(a.to.row, s.used.to.row), min(a.to.row, a.from.row+1000))
		a.to.col = max(min(a.to.col, s.used.to.col), min(a.to.col, a.from.col+50))
		for row := a.from.row; row <= a.to.row; row++ {
			line := make([]Value, a.columns())
			for j := range line {
				if line[j], err = m.valueOf(s, cell{row, a.from.col + j}); err != nil {
					return nil, err
				}
			}
			out = append(out, line)
		}
	}
	return out, nil
}
