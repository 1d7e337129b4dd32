package predicate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/predicate/syntax"
)

// argument is one written argument: the node, and its checked form unless it
// is a part.
type argument struct {
	n *syntax.Node
	e Expr
}

// call resolves a function or operator by name, then number of arguments, part
// and types. Each step has its own error.
func (c *checker) call(n *syntax.Node, name string, nodes []*syntax.Node) (Expr, error) {
	return c.callWith(n, name, nodes, nil)
}

// callWith is call with arguments that have been checked already, unless checked
// is nil. Checking arguments twice would take exponential time for nested calls.
func (c *checker) callWith(n *syntax.Node, name string, nodes []*syntax.Node, checked []Expr) (Expr, error) {
	if clock := c.clock(name, nodes); clock != nil {
		return clock, nil
	}
	if e, err := c.clockIn(n, name, nodes); e != nil || err != nil {
		return e, err
	}
	if part := c.d.partFunctions[name]; part != "" && len(nodes) == 1 {
		nodes = []*syntax.Node{{Kind: syntax.String, At: n.At, End: n.End, Text: part}, nodes[0]}
		name = "extract"
	}
	ops := operations().byName[c.d.Name][name]
	switch {
	case len(ops) == 0:
		return nil, c.unknownFunction(n, name)
	case name == "if" && len(nodes) == 3:
		return c.caseWhen(&syntax.Node{Kind: syntax.Case, At: n.At, End: n.End, Args: append([]*syntax.Node{nil}, nodes...)})
	case name == "ifnull" && len(nodes) == 2:
		name = "coalesce"
		ops = operations().byName[c.d.Name][name]
	}
	if c.d.intervalArguments {
		nodes = splitInterval(name, nodes)
	}
	var some [16]*Operation
	fitting := some[:0]
	for _, op := range ops {
		if op.takes(c.d, len(nodes)) {
			fitting = append(fitting, op)
		}
	}
	if len(fitting) == 0 {
		return nil, c.arity(n, name, ops, len(nodes))
	}
	fitting, part, err := c.partOf(n, name, fitting, nodes)
	if err != nil {
		return nil, err
	}
	var few [4]argument
	args, partAt := few[:0], fitting[0].partAt(c.d)
	for i, a := range nodes {
		if i == partAt {
			args = append(args, argument{n: a})
			continue
		}
		if checked != nil {
			args = append(args, argument{n: a, e: checked[i]})
			continue
		}
		e, err := c.expr(a)
		if err != nil {
			return nil, err
		}
		args = append(args, argument{n: a, e: e})
	}
	return c.overload(n, name, fitting, part, args)
}

// takes reports whether the dialect's form of the operation can have n arguments.
func (op *Operation) takes(d *Traits, n int) bool {
	least, most := 0, len(op.args)
	for _, a := range op.args {
		if !a.optional {
			least++
		}
		if a.variadic {
			most = 1 << 16
		}
	}
	if op.partAt(d) >= 0 {
		least, most = least+1, most+1
	}
	return n >= least && n <= most
}

// partAt is where the dialect writes the part, or -1.
func (op *Operation) partAt(d *Traits) int {
	for i, o := range op.cells[d.Name].order {
		if o < 0 {
			return i
		}
	}
	return -1
}

// partOf reads the part, if these operations have one, and returns the operations
// that accept it.
func (c *checker) partOf(n *syntax.Node, name string, ops []*Operation, nodes []*syntax.Node) ([]*Operation, Part, error) {
	at := ops[0].partAt(c.d)
	if at < 0 {
		return ops, "", nil
	}
	word, ok := c.partWord(nodes[at])
	var part Part
	var out []*Operation
	for _, op := range ops {
		if op.partAt(c.d) != at || !ok {
			continue
		}
		for _, p := range op.parts {
			if p == c.d.fieldNames[word] || p == c.d.partNames[word] || p == PartWeeks && UnitName(word) == "week" || isWeekPart(p, c.d, word) {
				part = p
				out = append(out, op)
				break
			}
		}
	}
	if len(out) == 0 {
		var known []string
		for _, op := range ops {
			for _, p := range op.parts {
				known = append(known, strings.ToUpper(SpellPart(c.d, p)))
			}
		}
		return nil, "", &syntax.Fault{Kind: api.KindBadLiteral, At: nodes[at].At, Found: c.snippet(nodes[at]),
			Expected: "a part such as " + known[0],
			Function: strings.ToUpper(name), Msg: fmt.Sprintf("%s is not a part of a date that %s can work with here", c.snippet(nodes[at]),
				strings.ToUpper(name)),
			Hint: "It knows " + strings.Join(unique(known), ", ") + "."}
	}
	return out, part, nil
}

func unique(words []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, w := range words {
		if !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// isWeekPart recognises WEEK(MONDAY) and similar parts, as partWord writes them:
// the start of a week, or the number of such a week.
func isWeekPart(p Part, d *Traits, word string) bool {
	day, ok := strings.CutPrefix(word, "week ")
	if !ok || !d.weekdayWeeks {
		return false
	}
	return p == weekOn(day) || p == partWeekNumber+Part(day) || p == PartWeekNumber && day == "sunday"
}

// partWord returns the name of a part as written: a word, WEEK(day), or a string
// where functions accept that.
func (c *checker) partWord(n *syntax.Node) (string, bool) {
	switch n.Kind {
	case syntax.String:
		return syntax.Lower(n.Text), c.d.PartsAsText
	case syntax.Name:
		if len(n.Names) == 1 && n.Names[0].Kind == syntax.TokenWord {
			return syntax.Lower(n.Names[0].Text), true
		}
	case syntax.Call:
		if n.Text == "week" && len(n.Args) == 1 && n.Args[0].Kind == syntax.Name && len(n.Args[0].Names) == 1 {
			day := syntax.Lower(n.Args[0].Names[0].Text)
			return "week " + day, weekdayWords.Has(day)
		}
	}
	return "", false
}

// splitInterval turns INTERVAL n PART into two arguments for functions that need
// them separately: DATE_ADD(d, INTERVAL n PART).
func splitInterval(name string, nodes []*syntax.Node) []*syntax.Node {
	if !intervalFunctions.Has(name) || len(nodes) != 2 || nodes[1].Kind != syntax.Interval {
		return nodes
	}
	iv := nodes[1]
	part := &syntax.Node{Kind: syntax.Name, At: iv.At, End: iv.End, Text: iv.Text,
		Names: []syntax.Token{{Kind: syntax.TokenWord, At: iv.At, End: iv.End, Text: iv.Text}}}
	return []*syntax.Node{nodes[0], iv.Args[0], part}
}

// overload picks the operation whose signature fits best.
func (c *checker) overload(n *syntax.Node, name string, ops []*Operation, part Part, args []argument) (Expr, error) {
	var best *Call
	bestCost := 1 << 20
	c.trying = true
	for _, op := range ops {
		if !c.suits(op, name, args) {
			continue
		}
		call, cost, _, fault := c.match(op, part, args, len(ops) == 1)
		if fault == nil && cost < bestCost && (op.when.ok == nil || op.when.ok(call.Args)) {
			best, bestCost = call, cost
		}
	}
	c.trying = false
	if best != nil {
		if err := c.options(name, best, args); err != nil {
			return nil, err
		}
		return best, c.bounded(n, name, best)
	}
	if !c.d.clockOfDate && name == "extract" && len(args) > 0 && args[len(args)-1].e.Type().Kind == KindDate {
		return nil, &syntax.Fault{Kind: api.KindTypeMismatch, At: n.At, Function: "EXTRACT", Found: "a date", Expected: "a point in time",
			Msg: fmt.Sprintf("a date has no %s", part), Hint: "A date has YEAR, QUARTER, MONTH, WEEK, DAY and their kin."}
	}
	var firstFault error
	farthest := -1
	for _, op := range ops {
		if _, _, at, fault := c.match(op, part, args, len(ops) == 1); fault != nil && at > farthest {
			farthest, firstFault = at, fault
		}
	}
	if firstFault == nil {
		firstFault = &syntax.Fault{Kind: api.KindTypeMismatch, At: n.At, Function: strings.ToUpper(name),
			Msg: fmt.Sprintf("%s can't be used with these arguments", strings.ToUpper(name))}
	}
	return nil, firstFault
}

// suits leaves out the parts of a point in time for a date, in dialects that do
// not take one for the other.
func (c *checker) suits(op *Operation, name string, args []argument) bool {
	return c.d.clockOfDate || name != "extract" || argKind(args) != KindDate || op.args[0].class == "date" || op.args[0].class == "calendar"
}

// argKind is the kind of the last argument.
func argKind(args []argument) Kind {
	if len(args) == 0 || args[len(args)-1].e == nil {
		return KindNull
	}
	return args[len(args)-1].e.Type().Kind
}

// regexpOptions are the letters that engines know as options of a pattern.
var regexpOptions = map[string]string{
	"regexp_find_options": "cilmnps", "regexp_replace_duckdb": "cilmnpsg", "regexp_like_postgres": "bceimnpqstwx",
	"regexp_replace_postgres": "bceimnpqstwxg",
}

// options checks the constants by which a pattern is matched.
func (c *checker) options(name string, call *Call, args []argument) error {
	last := len(call.Args) - 1
	if letters := regexpOptions[call.Op.ID]; letters != "" && last == len(call.Op.args)-1 {
		if text := textArg(call.Args, last); strings.Trim(text, letters) != "" {
			return &syntax.Fault{Kind: api.KindBadLiteral, At: args[last].n.At, Found: syntax.Clip(text),
				Expected: "some of the letters " + letters, Function: strings.ToUpper(name),
				Msg: fmt.Sprintf("%s knows no such option", strings.ToUpper(name))}
		}
	}
	if group, ok := intArg(call.Args, last); ok && call.Op.ID == "regexp_extract_duckdb" && last == 2 && (group < 0 || group > 9) {
		return &syntax.Fault{Kind: api.KindBadLiteral, At: args[last].n.At, Found: fmt.Sprint(group), Expected: "a number from 0 to 9",
			Function: strings.ToUpper(name), Msg: "a pattern has the groups 0 to 9"}
	}
	return nil
}

// unknownFunction is the error for a name that is not in the catalogue. It
// suggests the dialect's replacement.
func (c *checker) unknownFunction(n *syntax.Node, name string) error {
	upper := strings.ToUpper(syntax.Clip(name))
	f := syntax.NotAllowed(n.At, name, "")
	if n.Kind == syntax.Binary {
		f.Kind, f.Function, f.Expected = api.KindSyntaxError, "", "another operator"
		f.Msg = fmt.Sprintf("the operator %s is not part of this dialect", n.Text)
		return f
	}
	if _, ok := c.d.clocks[name]; ok {
		f.Kind, f.Found, f.Expected = api.KindWrongArity, "arguments", upper+"()"
		f.Msg = fmt.Sprintf("%s takes no arguments here", upper)
		return f
	}
	if c.d.partFunctions[name] != "" { // it is known with one argument
		f.Kind, f.Found, f.Expected = api.KindWrongArity, "other arguments", upper+"(date or time)"
		f.Msg, f.Hint = fmt.Sprintf("%s takes one argument", upper), fmt.Sprintf("It is written %s(x).", upper)
		return f
	}
	if f.Hint = instead(c.d, name); f.Hint != "" {
		return f
	}
	var names []string
	for known := range operations().byName[c.d.Name] {
		if syntax.IsWordByte(known[0]) && !strings.Contains(known, " ") {
			names = append(names, known)
		}
	}
	slices.Sort(names)
	f.Suggestions = suggest.Near(name, names)
	if c.d.upperFunctions {
		for i, s := range f.Suggestions {
			f.Suggestions[i] = strings.ToUpper(s)
		}
	}
	if f.Hint = didYouMean(f.Suggestions, ""); f.Hint == "" {
		f.Hint = "Fetch the rows without this condition."
		f.Next = []api.Step{api.Do(api.ActionQuery, "use other functions over a snapshot")}
	}
	return f
}

// instead names a dialect's replacement for another's function.
func instead(d *Traits, name string) string {
	return cmp.Or(equivalent(d, name), equivalents(d, name), taken(d, name))
}

// missing is instead for a function that the dialect does not have.
func (d *Traits) missing(name string) string {
	if isClock(d, name) || len(operations().byName[d.Name][name]) > 0 {
		return ""
	}
	return instead(d, name)
}

// equivalents looks a function of another dialect up.
func equivalents(d *Traits, name string) string {
	var out []string
	for _, other := range dialects {
		if which, ok := other.traits().clocks[name]; ok {
			out = append(out, d.ClockSpelling[which])
		}
		for _, op := range operations().byName[other.name][name] {
			if cell := op.cells[d.Name]; cell != nil && len(out) < syntax.SuggestionsAtMost {
				out = append(out, humanTemplate(cell.template))
			}
		}
	}
	out = unique(out)
	if len(out) == 0 {
		return ""
	}
	return "In this dialect: " + strings.Join(out, " or ") + "."
}

// humanTemplate shows a template to people.
func humanTemplate(t string) string {
	return strings.NewReplacer("$*", "…", "$1", "x", "$2", "y", "$3", "z", "$4", "w", "$p", "part", "$P", "PART", "$i", "1 day").Replace(t)
}

func (c *checker) arity(n *syntax.Node, name string, ops []*Operation, got int) error {
	upper := strings.ToUpper(name)
	var forms []string
	for _, op := range ops {
		forms = append(forms, signature(upper, op, c.d))
	}
	forms = unique(forms)
	more := ""
	if !c.d.intervalArguments && strings.HasPrefix(name, "date_") {
		more = " A date moves with an operator: d - INTERVAL '30 days'."
	}
	return &syntax.Fault{Kind: api.KindWrongArity, At: n.At, Function: upper, Found: fmt.Sprint(got, " arguments"), Expected: forms[0],
		Msg:  fmt.Sprintf("%s does not take %d arguments", upper, got),
		Hint: "It is written " + strings.Join(forms[:min(len(forms), 4)], " or ") + "." + more}
}

// signature shows the form of a call.
func signature(name string, op *Operation, d *Traits) string {
	words := make([]string, len(op.args))
	for i, a := range op.args {
		words[i] = a.class
		if a.variadic {
			words[i] += ", …"
		}
		if a.optional {
			words[i] = "[" + words[i] + "]"
		}
	}
	cell := op.cells[d.Name]
	if cell.order == nil || len(cell.names) == 0 || !strings.HasPrefix(syntax.Lower(cell.template), cell.names[0]+"(") {
		return name + "(" + strings.Join(words, ", ") + ")"
	}
	pairs := []string{"$p", "part", "$P", "PART"}
	for i, w := range words {
		pairs = append(pairs, "$"+string(rune('1'+i)), w)
	}
	_, args, _ := strings.Cut(cell.template, "(")
	return name + "(" + strings.NewReplacer(pairs...).Replace(args)
}
