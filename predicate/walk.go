package predicate

// Walk calls visit for the node and, while that returns true, for the nodes
// below it, from left to right.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, c := range children(e) {
		Walk(c, visit)
	}
}

// children are the nodes right below a node.
func children(e Expr) []Expr {
	switch e := e.(type) {
	case *Compare:
		return []Expr{e.Left, e.Right}
	case *Logic:
		return e.Terms
	case *Not:
		return []Expr{e.X}
	case *In:
		return append([]Expr{e.X}, e.List...)
	case *Between:
		return []Expr{e.X, e.Low, e.High}
	case *IsNull:
		return []Expr{e.X}
	case *IsTruth:
		return []Expr{e.X}
	case *Like:
		return append([]Expr{e.X}, e.Patterns...)
	case *Call:
		return e.Args
	case *Cast:
		return []Expr{e.X}
	case *Case:
		var out []Expr
		if e.Operand != nil {
			out = append(out, e.Operand)
		}
		for _, a := range e.Arms {
			out = append(out, a.When, a.Then)
		}
		if e.Else != nil {
			out = append(out, e.Else)
		}
		return out
	}
	return nil
}

// Columns returns the top-level columns that the predicate names, each once,
// in the order of their first mention.
func Columns(e Expr) []string {
	var out []string
	seen := map[string]bool{}
	Walk(e, func(e Expr) bool {
		if c, ok := e.(*Column); ok && !seen[c.Name] {
			seen[c.Name] = true
			out = append(out, c.Name)
		}
		return true
	})
	return out
}

// UsesClock reports whether the predicate depends on the time of the request.
func UsesClock(e Expr) bool {
	found := false
	Walk(e, func(e Expr) bool {
		if _, ok := e.(*Clock); ok {
			found = true
		}
		return !found
	})
	return found
}
