package cover

// outcome is a possible result of a condition.
type outcome uint8

const (
	isTrue outcome = iota
	isFalse
	notTrue  // FALSE or NULL
	notFalse // TRUE or NULL
	outcomes
)

// swapped is the outcome of X where NOT X has the outcome.
var swapped = [outcomes]outcome{isTrue: isFalse, isFalse: isTrue, notTrue: notFalse, notFalse: notTrue}

// node is a condition with SQL's three values.
type node interface {
	formula(o outcome) formula
}

// leaf is a condition on one axis: for each outcome, the cells that can have it.
type leaf struct {
	axis int
	may  [outcomes]cells
}

// junction joins conditions.
type junction struct {
	or    bool
	terms []node
}

// negation is NOT X.
type negation struct{ x node }

// truth is X IS TRUE, or X IS FALSE, which is never NULL.
type truth struct {
	x     node
	value bool
}

// formula is a condition with two values, on cells: of the rest one is a leaf,
// the others join.
type formula struct {
	axis  int
	cells cells // nil: it joins
	any   bool  // one term must hold; otherwise all must
	terms []formula
}

func (l leaf) formula(o outcome) formula { return formula{axis: l.axis, cells: l.may[o]} }

func (j junction) formula(o outcome) formula {
	// An AND is TRUE if all terms are, and FALSE if any is; an OR the other way
	// round. NOT TRUE and NOT FALSE are the opposites.
	f := formula{any: j.or == (o == isTrue || o == notFalse)}
	for _, t := range j.terms {
		f.terms = append(f.terms, t.formula(o))
	}
	return f
}

func (n negation) formula(o outcome) formula { return n.x.formula(swapped[o]) }

func (t truth) formula(o outcome) formula {
	is, not := isTrue, notTrue
	if !t.value {
		is, not = isFalse, notFalse
	}
	if o == isTrue || o == notFalse {
		return t.x.formula(is)
	}
	return t.x.formula(not)
}

// merged joins the leaves of one axis into one, so that a list of alternatives
// for a column is a set of cells and no choice.
func merged(or bool, terms []node) node {
	var out []node
	at := map[int]int{} // by axis: the place in out
	for _, t := range terms {
		l, ok := t.(leaf)
		if !ok {
			out = append(out, t)
			continue
		}
		i, seen := at[l.axis]
		if !seen {
			at[l.axis] = len(out)
			out = append(out, l)
			continue
		}
		out[i] = out[i].(leaf).join(or, l)
	}
	if len(out) == 1 {
		return out[0]
	}
	return junction{or: or, terms: out}
}

func (l leaf) join(or bool, o leaf) leaf {
	for k := range outcomes {
		if or == (k == isTrue || k == notFalse) {
			l.may[k] = l.may[k].or(o.may[k])
		} else {
			l.may[k] = l.may[k].and(o.may[k])
		}
	}
	return l
}

// maxSteps bounds the work of one proof. Predicates that people write take less
// than a hundred.
const maxSteps = 20_000

// possible reports whether all formulas can hold for some row.
func (s *space) possible(all ...formula) bool {
	p := &search{space: s, steps: maxSteps}
	return p.possible(make([]cells, len(s.axes)), all, nil)
}

// search looks for cells, one set for each axis, that satisfy formulas.
type search struct {
	space *space
	steps int
}

// possible narrows the cells by the formulas in todo, then tries the terms of
// each choice in turn. It owns at.
func (p *search) possible(at []cells, todo, choices []formula) bool {
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.steps--; p.steps < 0 {
			return true // not proven
		}
		switch {
		case f.cells != nil:
			from := at[f.axis]
			if from == nil {
				from = p.space.axes[f.axis].all
			}
			if at[f.axis] = from.and(f.cells); at[f.axis].empty() {
				return false
			}
		case f.any && len(f.terms) != 1:
			choices = append(choices[:len(choices):len(choices)], f)
		default:
			todo = append(todo[:len(todo):len(todo)], f.terms...)
		}
	}
	if len(choices) == 0 {
		return true
	}
	choice, rest := choices[0], choices[1:]
	for _, term := range choice.terms {
		next := make([]cells, len(at))
		copy(next, at)
		if p.possible(next, []formula{term}, rest) {
			return true
		}
	}
	return false
}
