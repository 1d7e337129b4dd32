package predicate

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"

	"github.com/agnes-data/da/predicate/syntax"
)

// generator writes random predicates in a dialect: every operation of the
// catalogue that the dialect can call, over columns and literals of every
// kind. What it writes need not be valid everywhere; the parser decides.
type generator struct {
	d    Dialect
	Rnd  *rand.Rand
	cols map[Kind][]string // columns by kind, as written
	list []string          // columns of lists
	ops  map[Kind][]genOp
}

type genOp struct {
	Op   *Operation
	Name string
}

// literals are written values by kind: ordinary ones and those that engines
// disagree about.
var genLiterals = map[Kind][]string{
	KindBool:      {"TRUE", "FALSE"},
	KindInt:       {"0", "1", "2", "3", "-1", "-2", "7", "10", "100", "2026"},
	KindDecimal:   {"0.5", "1.5", "2.5", "-2.5", "10.25", "0.1", "3.0"},
	KindFloat:     {"1e0", "2.5e0", "-2.5e0", "1e10", "5e-1"},
	KindString:    {"''", "'a'", "'A'", "'abc'", "'a%'", "'_'", "'a_c'", `'a\b'`, "'ž'", "'Straße'", "' a '", "'it''s'", "'2026-01-31'", "'10'", `'\'`, "'İ'", "'%b%'", `'a\%'`, `E'a\x41\101\n\\'`, "$$it's$$", "$q$a$$b$q$", "'a' || 'b'"},
	KindUUID:      {"CAST('123e4567-e89b-12d3-a456-426614174000' AS UUID)"},
	KindDate:      {"DATE '2026-01-31'", "DATE '2024-02-29'", "DATE '1969-12-31'", "DATE '2026-01-04'", "DATE '0100-01-01'"},
	KindDateTime:  {"TIMESTAMP '2026-01-31 10:11:12.345678'", "TIMESTAMP '2024-02-29 00:00:00'", "TIMESTAMP '1969-12-31 23:59:59.5'"},
	KindTimestamp: {"TIMESTAMPTZ '2026-01-31 10:11:12.345678+02'", "TIMESTAMPTZ '1969-12-31 23:59:59Z'"},
	KindTime:      {"TIME '10:11:12.5'", "TIME '00:00:00'"},
	KindInterval:  {"INTERVAL '1 day'", "INTERVAL '1 month 2 days'", "INTERVAL '90 minutes'", "INTERVAL '-1 year'"},
}

func NewGenerator(d Dialect, s *Schema, seed uint64) *generator {
	g := &generator{d: d, Rnd: rand.New(rand.NewPCG(seed, 1)), cols: map[Kind][]string{}, ops: map[Kind][]genOp{}}
	for _, c := range s.Columns() {
		name := QuoteIdent(d, c.Name)
		if c.Type.Kind == KindList {
			g.list = append(g.list, name)
		}
		g.cols[c.Type.Kind] = append(g.cols[c.Type.Kind], name)
	}
	names := make([]string, 0, len(operations().byName[d]))
	for n := range operations().byName[d] {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		for _, op := range operations().byName[d][n] {
			for k := range kindNames {
				if op.mayGive(k) {
					g.ops[k] = append(g.ops[k], genOp{op, n})
				}
			}
		}
	}
	return g
}

// mayGive tells whether the operation's value can be of the kind.
func (op *Operation) mayGive(k Kind) bool {
	switch op.ret {
	case "same", "common", "$1":
		for _, c := range argKinds["simple"] {
			if c == k {
				return true
			}
		}
		return false
	}
	return len(argKinds[op.ret]) > 0 && argKinds[op.ret][0] == k
}

func (g *generator) Pick(s []string) string { return s[g.Rnd.IntN(len(s))] }

var genKinds = []Kind{KindBool, KindInt, KindDecimal, KindFloat, KindString, KindDate, KindDateTime, KindTimestamp, KindTime, KindInterval}

func (g *generator) kind() Kind { return genKinds[g.Rnd.IntN(len(genKinds))] }

// Predicate writes a condition.
func (g *generator) Predicate(depth int) string {
	if depth <= 0 {
		return g.test(0)
	}
	switch g.Rnd.IntN(8) {
	case 0, 1:
		return "(" + g.Predicate(depth-1) + ") AND (" + g.Predicate(depth-1) + ")"
	case 2:
		return g.Predicate(depth-1) + " OR " + g.Predicate(depth-1)
	case 3:
		return "NOT (" + g.Predicate(depth-1) + ")"
	}
	return g.test(depth)
}

// test writes one condition without AND and OR.
func (g *generator) test(depth int) string {
	k := g.kind()
	x := g.value(k, depth)
	not := g.Pick([]string{"", "", "NOT "})
	switch g.Rnd.IntN(12) {
	case 0:
		return g.operand(x) + " IS " + not + "NULL"
	case 1:
		return g.operand(g.value(KindBool, depth)) + " IS " + not + g.Pick([]string{"TRUE", "FALSE"})
	case 2:
		items := make([]string, 1+g.Rnd.IntN(4))
		for i := range items {
			items[i] = g.value(k, 0)
		}
		return g.operand(x) + " " + not + "IN (" + strings.Join(items, ", ") + ")"
	case 3:
		return g.operand(x) + " " + not + "BETWEEN " + g.operand(g.value(k, 0)) + " AND " + g.operand(g.value(k, 0))
	case 4:
		return g.operand(g.value(KindString, depth)) + " " + not + g.Pick(g.likes()) + " " + g.operand(g.value(KindString, 0))
	case 5:
		return g.operand(x) + " IS " + not + "DISTINCT FROM " + g.operand(g.value(k, depth))
	case 6:
		return g.operand(g.value(KindBool, depth))
	}
	y := g.value(k, depth)
	if g.Rnd.IntN(6) == 0 {
		y = g.value(g.kind(), depth)
	}
	if g.d != GoogleSQL && g.Rnd.IntN(8) == 0 {
		// A text takes the type of its company.
		y = g.Pick([]string{"'2026-01-31'", "'10'", "'1.5'", "'10:00'", "'2026-01-31 10:11:12.5'", "'1 day'", "'t'", "'99999999999'", "'a'"})
		return g.operand(x) + " " + g.Pick([]string{"=", "<", ">="}) + " " + y
	}
	return g.operand(x) + " " + g.Pick([]string{"=", "<>", "!=", "<", "<=", ">", ">="}) + " " + g.operand(y)
}

func (g *generator) likes() []string {
	if g.d == GoogleSQL {
		return []string{"LIKE"}
	}
	return []string{"LIKE", "LIKE", "ILIKE"}
}

func (g *generator) operand(s string) string { return "(" + s + ")" }

// value writes an expression of about the kind.
func (g *generator) value(k Kind, depth int) string {
	r := g.Rnd.IntN(10)
	if depth <= 0 || r < 4 {
		if cols := g.cols[k]; len(cols) > 0 && g.Rnd.IntN(3) > 0 {
			return g.Pick(cols)
		}
		if g.Rnd.IntN(25) == 0 {
			return "NULL"
		}
		if lits := g.literals(k); len(lits) > 0 {
			return g.Pick(lits)
		}
		return "NULL"
	}
	if r == 4 && k == KindBool {
		return g.test(depth - 1)
	}
	if r == 4 {
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.test(depth-1), g.value(k, depth-1), g.value(k, depth-1))
	}
	if name := CastSpelling(g.d.Traits(), Type{Kind: k, Bits: 64}); r == 5 && name != "" {
		return fmt.Sprintf("CAST(%s AS %s)", g.value(g.kind(), depth-1), name)
	}
	if ops := g.ops[k]; len(ops) > 0 {
		return g.call(ops[g.Rnd.IntN(len(ops))], k, depth-1)
	}
	return g.value(k, 0)
}

func (g *generator) literals(k Kind) []string {
	if g.d == GoogleSQL {
		if lits, ok := googleLiterals[k]; ok {
			return lits
		}
	}
	return genLiterals[k]
}

// call writes one operation with arguments of the kinds that it takes.
func (g *generator) call(o genOp, k Kind, depth int) string {
	cell := o.Op.cells[g.d]
	same := k
	if o.Op.ret == "bool" || o.Op.ret == "int" {
		same = g.kind()
	}
	var args []string
	for i := range o.Op.args {
		spec := o.Op.args[i]
		if spec.optional && g.Rnd.IntN(2) == 0 {
			break
		}
		args = append(args, g.argument(spec, same, depth))
	}
	if last := o.Op.args[len(o.Op.args)-1]; last.variadic {
		for range g.Rnd.IntN(3) {
			args = append(args, g.argument(last, same, depth))
		}
	}
	if cell.order != nil && len(args) < len(o.Op.args) {
		args = append(args, g.argument(o.Op.args[len(o.Op.args)-1], same, depth))
	}
	return g.written(o, args)
}

func (g *generator) argument(spec argSpec, same Kind, depth int) string {
	switch spec.class {
	case "list":
		if len(g.list) > 0 {
			return g.Pick(g.list)
		}
	case "elem":
		return g.value([]Kind{KindString, KindInt}[g.Rnd.IntN(2)], 0)
	case "regex":
		return g.Pick([]string{"'a'", "'^a.*'", "'[a-z]+'", "'(a)(b)?'", "''"})
	case "zone":
		return g.Pick([]string{"'UTC'", "'Europe/Prague'"})
	case "same", "plain", "simple":
		return g.value(same, depth)
	}
	kinds := argKinds[spec.class]
	if len(kinds) == 0 {
		return "NULL"
	}
	if spec.literal {
		depth = -1
		if lits := g.literals(kinds[0]); len(lits) > 0 {
			return g.Pick(lits)
		}
	}
	return g.value(kinds[g.Rnd.IntN(len(kinds))], depth)
}

// written puts the arguments into the form that the dialect writes.
func (g *generator) written(o genOp, args []string) string {
	part := ""
	if len(o.Op.parts) > 0 {
		part = SpellPart(g.d.Traits(), o.Op.parts[g.Rnd.IntN(len(o.Op.parts))])
	}
	for i := range args {
		args[i] = g.operand(args[i])
	}
	switch {
	case o.Name == "extract" && len(args) == 2:
		return fmt.Sprintf("EXTRACT(%s FROM %s AT TIME ZONE %s)", part, args[0], args[1])
	case o.Name == "extract":
		return fmt.Sprintf("EXTRACT(%s FROM %s)", part, args[0])
	case o.Name == "neg" && g.d == GoogleSQL && strings.Trim(args[0], "()-.e0123456789 NUMERICBG'") == "":
		// A constant in parentheses is folded by us, not by Google's analyzer:
		// the same value, but not the same tree.
		return args[0]
	case o.Name == "neg":
		return "(-" + args[0] + ")"
	case o.Name == "= any":
		return fmt.Sprintf("(%s = ANY(%s))", args[0], args[1])
	case o.Name == "at time zone":
		return fmt.Sprintf("(%s AT TIME ZONE %s)", args[0], strings.Trim(args[1], "()"))
	case o.Name == "collate c":
		return fmt.Sprintf(`(%s COLLATE "C")`, args[0])
	case o.Name == "interval of" && g.d == DuckDB:
		return fmt.Sprintf("INTERVAL (%s) %s", args[0], part)
	case o.Name == "interval of":
		return fmt.Sprintf("INTERVAL %s %s", args[0], part)
	case !syntax.IsWordByte(o.Name[0]):
		return "(" + strings.Join(args, " "+o.Name+" ") + ")"
	}
	if g.d == GoogleSQL && intervalFunctions.Has(o.Name) && part != "" {
		return fmt.Sprintf("%s(%s, INTERVAL %s %s)", o.Name, args[0], args[1], strings.ToUpper(part))
	}
	if cell := o.Op.cells[g.d]; cell.order != nil {
		var ordered []string
		for _, i := range cell.order {
			switch {
			case i < 0 && g.d == GoogleSQL:
				ordered = append(ordered, strings.ToUpper(part))
			case i < 0:
				ordered = append(ordered, "'"+part+"'")
			case i < len(args):
				ordered = append(ordered, args[i])
			}
		}
		args = ordered
	}
	return o.Name + "(" + strings.Join(args, ", ") + ")"
}

var googleLiterals = map[Kind][]string{
	KindDecimal:   {"NUMERIC '1.5'", "NUMERIC '-2.5'", "BIGNUMERIC '0.1'"},
	KindFloat:     {"1.5", "2.5", "-2.5", "1e10", ".5"},
	KindDate:      {"DATE '2026-01-31'", "DATE \"2024-2-29\"", "DATE '0100-01-01'"},
	KindString:    {"''", "'a'", `"abc"`, `r'a\b'`, `'a\\b'`, "'''it's'''", "'%b%'", `'\u017e'`, `'\x41\n'`},
	KindDateTime:  {"DATETIME '2026-01-31 10:11:12.345678'", "DATETIME '2024-02-29T00:00:00'"},
	KindTimestamp: {"TIMESTAMP '2026-01-31 10:11:12.345678+02'", "TIMESTAMP '1969-12-31 23:59:59 UTC'"},
	KindInterval:  {"INTERVAL 1 DAY", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL -3 HOUR"},
	KindBytes:     {`b'a'`, `b'\xff'`},
}

// Calls lists the operations that a dialect can write, under each name.
func (g *generator) Calls() []genOp {
	seen := map[string]bool{}
	var out []genOp
	for _, ops := range g.ops {
		for _, o := range ops {
			if key := o.Op.ID + " " + o.Name; !seen[key] {
				seen[key] = true
				out = append(out, o)
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Op.ID+" "+out[i].Name < out[j].Op.ID+" "+out[j].Name })
	return out
}

// Samples writes up to n accepted calls of one operation.
func (g *generator) Samples(s *Schema, o genOp, n int) (texts []string, exprs []Expr) {
	for range 400 {
		if len(texts) == n {
			break
		}
		text := g.call(o, genKinds[g.Rnd.IntN(len(genKinds))], g.Rnd.IntN(2))
		e, err := valueOf(g.d, text, s)
		if err != nil || !mentions(e, o.Op) {
			continue
		}
		texts, exprs = append(texts, text), append(exprs, e)
	}
	return texts, exprs
}

func mentions(e Expr, op *Operation) bool {
	c, ok := e.(*Call)
	return ok && c.Op == op
}
