package sheet

import (
	"strconv"
	"strings"
)

// criterion is a condition such as ">5".
type criterion struct {
	op    string
	value Value
}

func (m *model) criterion(e expr) (c criterion, err error) {
	v, err := m.scalar(e)
	c = criterion{"=", v}
	switch {
	case err != nil:
		return c, err
	case v.kind == numberKind:
		return c, nil
	case v.kind != textKind || v.text == "":
		return c, cannot("a condition that is neither number nor text")
	}
	text := v.text
	for _, op := range []string{"<>", "<=", ">=", "=", "<", ">"} {
		if rest, ok := strings.CutPrefix(text, op); ok {
			c.op, text = op, rest
			break
		}
	}
	c.value = textValue(text)
	f, number := strconv.ParseFloat(text, 64)
	switch {
	case number == nil && plainNumber(text):
		c.value = numberValue(f)
	case text == "" || strings.ContainsAny(text, "*?~") || strings.ContainsAny(text[:1], "0123456789") || c.op != "=" && c.op != "<>" ||
		strings.EqualFold(text, "true") || strings.EqualFold(text, "false"):
		return c, cannot("a condition with wildcards or an order of texts")
	}
	return c, nil
}

// holds reports whether a value fulfils the condition.
func (c criterion) holds(v Value) (bool, error) {
	switch {
	case v.kind == errorKind:
		return false, cannot("a condition on errors")
	case v.kind == textKind && c.value.kind == numberKind && strings.ContainsAny(v.text, "0123456789"):
		return false, cannot("a condition on texts that may be numbers")
	}
	if v.kind != c.value.kind {
		return c.op == "<>", nil
	}
	out, err := operate(c.op, v, c.value)
	return out.number != 0, err
}

// selected are the places at which all conditions hold: pairs of a range and a condition.
func (m *model) selected(args []expr) (shape matrix, at [][2]int, err error) {
	if len(args) == 0 || len(args)%2 != 0 {
		return nil, nil, cannot("a function with other arguments")
	}
	var ranges []matrix
	var all []criterion
	for i := 0; i < len(args); i += 2 {
		r, ok := args[i].(reference)
		if !ok {
			return nil, nil, cannot("conditions on something other than a range")
		}
		values, err := m.cells(r)
		if err != nil {
			return nil, nil, err
		}
		c, err := m.criterion(args[i+1])
		if err != nil {
			return nil, nil, err
		}
		ranges, all = append(ranges, values), append(all, c)
		if len(values) != len(ranges[0]) || len(values[0]) != len(ranges[0][0]) {
			return nil, nil, cannot("ranges of different sizes in one calculation")
		}
	}
	for r := range ranges[0] {
		for c := range ranges[0][r] {
			on := true
			for i := range ranges {
				ok, err := all[i].holds(ranges[i][r][c])
				if err != nil {
					return nil, nil, err
				}
				on = on && ok
			}
			if on {
				at = append(at, [2]int{r, c})
			}
		}
	}
	return ranges[0], at, nil
}

func (m *model) countIfs(args []expr) (Value, error) {
	_, at, err := m.selected(args)
	if err == nil {
		for i := 1; i < len(args); i += 2 {
			// Whole columns are clipped to what is used, behind which "<>x" holds, too.
			r := args[i-1].(reference) //nolint:forcetypeassert // selected takes nothing else
			if c, _ := m.criterion(args[i]); c.op == "<>" && r.area.rows() > 1000 {
				return Value{}, cannot("a condition on cells that are not used")
			}
		}
	}
	return numberValue(float64(len(at))), err
}

// picked are the numbers of a range at the places where conditions hold.
func (m *model) picked(of expr, conditions []expr, f func([]float64) Value) (Value, error) {
	shape, at, err := m.selected(conditions)
	if err != nil {
		return Value{}, err
	}
	r, ok := of.(reference)
	if !ok {
		return Value{}, cannot("a sum of something other than a range")
	}
	values, err := m.cells(r)
	if err != nil {
		return Value{}, err
	}
	if len(values) != len(shape) || len(values[0]) != len(shape[0]) {
		return Value{}, cannot("ranges of different sizes in one calculation")
	}
	var all []float64
	for _, p := range at {
		switch v := values[p[0]][p[1]]; v.kind {
		case numberKind:
			all = append(all, v.number)
		case errorKind:
			return v, nil
		}
	}
	return f(all), nil
}

// single is a function of a range, a condition and, if it is another, the range of numbers.
func single(f func([]float64) Value) function {
	return func(m *model, args []expr) (Value, error) {
		switch len(args) {
		case 2:
			return m.picked(args[0], args, f)
		case 3:
			return m.picked(args[2], args[:2], f)
		}
		return Value{}, cannot("a function with other arguments")
	}
}

func several(f func([]float64) Value) function {
	return func(m *model, args []expr) (Value, error) {
		if len(args) < 3 {
			return Value{}, cannot("a function with other arguments")
		}
		return m.picked(args[0], args[1:], f)
	}
}

// search finds a value in a line: exactly, or the last that is not larger if the
// line is sorted. It returns -1 if there is none.
func search(line []Value, v Value, sorted bool) (int, error) {
	if v.kind == textKind && strings.ContainsAny(v.text, "*?~") {
		return 0, cannot("a search with wildcards")
	}
	if v.kind == emptyKind {
		return 0, cannot("a search for an empty cell")
	}
	found := -1
	var before *Value
	for i := range line {
		other := line[i]
		if other.kind == errorKind && sorted {
			return 0, cannot("a search among errors")
		}
		if other.kind != v.kind {
			if sorted && other.kind != emptyKind {
				return 0, cannot("a search among values of several types")
			}
			continue
		}
		order, err := compareValues(other, v, !sorted)
		if err != nil {
			return 0, err
		}
		if !sorted && order == 0 {
			return i, nil
		}
		if sorted {
			if before != nil {
				if rising, err := compareValues(*before, other, false); err != nil || rising > 0 {
					return 0, cannot("a search for the nearest value in a range that is not sorted")
				}
			}
			if before = &line[i]; order <= 0 {
				found = i
			}
		}
	}
	return found, nil
}

// sorted reads the argument that asks for the nearest value.
func (m *model) sorted(args []expr, i int, without bool) (bool, error) {
	if i >= len(args) {
		return without, nil
	}
	v, err := m.result(args[i])
	if err == nil {
		v, err = v.toBool()
	}
	if err == nil && v.kind == errorKind {
		err = cannot("an error as an argument")
	}
	return v.number != 0, err
}

func (m *model) table(e expr) (matrix, error) {
	r, ok := e.(reference)
	if !ok || r.first != r.last {
		return nil, cannot("a search in something other than a range")
	}
	return m.cells(r)
}

func turned(x matrix) matrix {
	out := make(matrix, len(x[0]))
	for c := range out {
		for r := range x {
			out[c] = append(out[c], x[r][c])
		}
	}
	return out
}

// lookup is VLOOKUP or, across, HLOOKUP.
func lookup(across bool) function {
	return func(m *model, args []expr) (Value, error) {
		if len(args) < 3 || len(args) > 4 {
			return Value{}, cannot("a function with other arguments")
		}
		v, err := m.scalar(args[0])
		if err != nil || v.kind == errorKind {
			return v, err
		}
		values, err := m.table(args[1])
		if err != nil {
			return v, err
		}
		if !across {
			values = turned(values)
		}
		n, err := m.integerOr(args, 2, 0)
		if err != nil {
			return v, err
		}
		nearest, err := m.sorted(args, 3, true)
		if err != nil {
			return v, err
		}
		if n < 1 {
			return errorValue("#VALUE!"), nil
		}
		if n > len(values) {
			return v, cannot("a column beyond a table")
		}
		at, err := search(values[0], v, nearest)
		if err != nil || at < 0 {
			return errorValue("#N/A"), err
		}
		return values[n-1][at], nil
	}
}

// line is a range of one row or one column.
func (m *model) line(e expr) ([]Value, error) {
	values, err := m.table(e)
	if err != nil {
		return nil, err
	}
	if len(values) > 1 {
		values = turned(values)
	}
	if len(values) != 1 {
		return nil, cannot("a search in several rows and columns")
	}
	return values[0], nil
}

func (m *model) position(args []expr) (Value, error) {
	if len(args) < 2 || len(args) > 3 {
		return Value{}, cannot("a function with other arguments")
	}
	v, err := m.scalar(args[0])
	if err != nil || v.kind == errorKind {
		return v, err
	}
	line, err := m.line(args[1])
	if err != nil {
		return v, err
	}
	kind, err := m.integerOr(args, 2, 1)
	if err != nil {
		return v, err
	}
	if kind < 0 {
		return v, cannot("a search downwards")
	}
	at, err := search(line, v, kind != 0)
	if err != nil || at < 0 {
		return errorValue("#N/A"), err
	}
	return numberValue(float64(at + 1)), nil
}

func (m *model) index(args []expr) (Value, error) {
	if len(args) < 2 || len(args) > 3 {
		return Value{}, cannot("a function with other arguments")
	}
	r, ok := args[0].(reference)
	if !ok || r.first != r.last {
		return Value{}, cannot("INDEX of something other than a range")
	}
	if args[1] == nil || len(args) == 3 && args[2] == nil {
		return Value{}, cannot("a function with other arguments")
	}
	for _, a := range args[1:] {
		v, err := m.number(a)
		if err != nil || v.kind == errorKind {
			return v, err
		}
	}
	row, err := m.integerOr(args, 1, 1)
	if err != nil {
		return Value{}, err
	}
	col, err := m.integerOr(args, 2, 1)
	if err != nil {
		return Value{}, err
	}
	if len(args) == 2 && r.area.rows() == 1 {
		row, col = 1, row
	}
	switch {
	case row > r.area.rows() || col > r.area.columns():
		return Value{}, cannot("a cell beyond a range")
	case row < 0 || col < 0:
		return errorValue("#VALUE!"), nil
	case row == 0 || col == 0 || len(args) == 2 && r.area.columns() > 1 && r.area.rows() > 1:
		return Value{}, cannot("INDEX of a whole row or column")
	}
	return m.valueOf(m.sheets[r.first], cell{r.area.from.row + row - 1, r.area.from.col + col - 1})
}

func (m *model) xlookup(args []expr) (Value, error) {
	if len(args) < 3 || len(args) > 4 {
		return Value{}, cannot("XLOOKUP with other arguments")
	}
	v, err := m.scalar(args[0])
	if err != nil || v.kind == errorKind {
		return v, err
	}
	keys, err := m.line(args[1])
	if err != nil {
		return v, err
	}
	values, err := m.line(args[2])
	if err != nil {
		return v, err
	}
	if len(keys) != len(values) {
		return v, cannot("ranges of different sizes in one calculation")
	}
	at, err := search(keys, v, false)
	switch {
	case err != nil:
		return v, err
	case at >= 0:
		return values[at], nil
	case len(args) == 4:
		return m.result(args[3])
	}
	return errorValue("#N/A"), nil
}
