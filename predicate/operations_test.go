package predicate

import (
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// valueOf parses an expression of any type, as a predicate's parts are.
func valueOf(d Dialect, text string, s *Schema) (Expr, error) {
	p, err := newParser(d.traits(), text)
	if err != nil {
		return nil, err
	}
	n, err := p.expr()
	if err != nil {
		return nil, err
	}
	return (&checker{d: d.traits(), s: s, src: text}).expr(n)
}

func printValue(d Dialect, e Expr) (string, error) {
	p := &printer{d: d.traits()}
	p.expr(e, rankOperand)
	return p.b.String(), p.err
}

// calls lists the operations that a dialect can write, under each name.
func (g *generator) calls() []genOp {
	seen := map[string]bool{}
	var out []genOp
	for _, ops := range g.ops {
		for _, o := range ops {
			if key := o.op.ID + " " + o.name; !seen[key] {
				seen[key] = true
				out = append(out, o)
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].op.ID+" "+out[i].name < out[j].op.ID+" "+out[j].name })
	return out
}

// samples writes up to n accepted calls of one operation.
func (g *generator) samples(s *Schema, o genOp, n int) (texts []string, exprs []Expr) {
	for range 400 {
		if len(texts) == n {
			break
		}
		text := g.call(o, genKinds[g.rnd.IntN(len(genKinds))], g.rnd.IntN(2))
		e, err := valueOf(g.d, text, s)
		if err != nil || !mentions(e, o.op) {
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

// TestEveryOperationCanBeWritten holds that each row of the catalogue is
// reached in each dialect that lists it.
func TestEveryOperationCanBeWritten(t *testing.T) {
	for _, d := range Dialects() {
		s := corpusSchema(t, d)
		g := newGenerator(d, s, 7)
		calls := g.calls()
		if len(calls) < 60 {
			t.Fatalf("%s: the generator finds only %d operations", d, len(calls))
		}
		for _, o := range calls {
			if o.name == "if" || o.name == "ifnull" {
				continue // written as CASE and COALESCE
			}
			if texts, _ := g.samples(s, o, 1); len(texts) == 0 {
				t.Errorf("%s: no call of %s is understood as %s", d, o.name, o.op.ID)
			}
		}
	}
}

// rowValues reads the value of an expression in each row, as text that is the
// same for the same value in both engines; ok is false where a row fails.
func rowValues(e engine, d Dialect, t Type, sql string) (string, error) {
	text := "CAST(" + sql + " AS VARCHAR)"
	switch t.Kind {
	case KindBool:
		text = "(CASE WHEN " + sql + " THEN 't' WHEN NOT " + sql + " THEN 'f' END)"
	case KindInt, KindDecimal, KindFloat:
		text = "CAST(CAST(" + sql + " AS DOUBLE PRECISION) AS VARCHAR)"
	case KindTimestamp, KindDateTime, KindDate:
		text = "CAST(EXTRACT(epoch FROM " + sql + ") AS VARCHAR)"
	case KindBytes:
		text = map[Dialect]string{DuckDB: "lower(hex(" + sql + "))", Postgres: "encode(" + sql + ", 'hex')"}[d]
	case KindInterval:
		text = "CAST(EXTRACT(epoch FROM (TIMESTAMP '2026-01-31 00:00:00' + " + sql + ")) AS VARCHAR)"
	}
	out, err := e.scalar("SELECT string_agg(coalesce(" + text + ", 'NULL'), '|' ORDER BY row_no) FROM orders")
	if err != nil || t.Kind == KindString || t.Kind == KindBool {
		return out, err
	}
	values := strings.Split(out, "|")
	for i, v := range values {
		f, err := strconv.ParseFloat(v, 64)
		switch {
		case v == "-nan":
			values[i] = "NaN" // its sign means nothing
		case err != nil:
		case t.Kind == KindInt || t.Kind == KindDecimal || t.Kind == KindFloat:
			values[i] = strconv.FormatFloat(f+0, 'g', -1, 64)
		default:
			// Seconds since 1970: one engine has doubles, the other decimals.
			values[i] = strconv.FormatFloat(f, 'g', 15, 64)
		}
	}
	return strings.Join(values, "|"), nil
}

// operationsMeanTheSame runs every operation of a dialect: as it was written,
// as it is printed, and, where it crosses, as the other engine has it.
func operationsMeanTheSame(t *testing.T, d, other Dialect, s *Schema, e, there engine) {
	g := newGenerator(d, s, 8)
	samples := 3
	if os.Getenv("PREDICATE_CAMPAIGN") != "" {
		samples = 60
	}
	crossed, refused, failed := 0, map[string]bool{}, 0
	for _, o := range g.calls() {
		texts, exprs := g.samples(s, o, samples)
		for i, text := range texts {
			if exprs[i].Type().Kind == KindNull {
				continue
			}
			own, err := printValue(d, exprs[i])
			if err != nil {
				t.Errorf("%s is not printed: %v", text, err)
				continue
			}
			want, wantErr := rowValues(e, d, exprs[i].Type(), "("+text+")")
			got, gotErr := rowValues(e, d, exprs[i].Type(), own)
			if got != want || (wantErr == nil) != (gotErr == nil) {
				t.Errorf("%s in %s\ntext    %s gives %s (%v)\nprinted %s gives %s (%v)", o.op.ID, d, text, want, wantErr, own, got, gotErr)
			}
			foreign, err := printValue(other, exprs[i])
			if err != nil {
				refused[o.op.ID] = true
				continue
			}
			got, gotErr = rowValues(there, other, exprs[i].Type(), foreign)
			switch {
			case gotErr != nil && (refusedByBinder(gotErr) || refusedByPostgres(gotErr)):
				t.Errorf("%s: %s refuses %s: %s", o.op.ID, other, foreign, firstLine(gotErr))
			case wantErr != nil || gotErr != nil:
				failed++
			case got != want:
				t.Errorf("%s means something else in %s\ntext    %s gives %s\nprinted %s gives %s", o.op.ID, other, text, want, foreign, got)
			default:
				crossed++
			}
		}
	}
	t.Logf("%d calls mean the same in %s, %d failed while running; %d operations have calls that stay in %s", crossed, other, failed, len(refused), d)
	if crossed < 200 {
		t.Errorf("only %d calls crossed: this proves too little", crossed)
	}
}

func operationsBothWays(t *testing.T, duck, pg engine) {
	ds, ps := commonSchemas(t)
	t.Run("operations of duckdb", func(t *testing.T) { operationsMeanTheSame(t, DuckDB, Postgres, ds, duck, pg) })
	t.Run("operations of postgres", func(t *testing.T) { operationsMeanTheSame(t, Postgres, DuckDB, ps, pg, duck) })
}
