package predicate_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// TestEveryOperationCanBeWritten holds that each row of the catalogue is
// reached in each dialect that lists it.
func TestEveryOperationCanBeWritten(t *testing.T) {
	for _, d := range predicate.Dialects() {
		s := predicate.CorpusSchema(t, d)
		g := predicate.NewGenerator(d, s, 7)
		calls := g.Calls()
		if len(calls) < 60 {
			t.Fatalf("%s: the generator finds only %d operations", d, len(calls))
		}
		for _, o := range calls {
			if o.Name == "if" || o.Name == "ifnull" {
				continue // written as CASE and COALESCE
			}
			if texts, _ := g.Samples(s, o, 1); len(texts) == 0 {
				t.Errorf("%s: no call of %s is understood as %s", d, o.Name, o.Op.ID)
			}
		}
	}
}

// rowValues reads the value of an expression in each row, as text that is the
// same for the same value in both engines; ok is false where a row fails.
func rowValues(e engine, d predicate.Dialect, t predicate.Type, sql string) (string, error) {
	text := "CAST(" + sql + " AS VARCHAR)"
	switch t.Kind {
	case predicate.KindBool:
		text = "(CASE WHEN " + sql + " THEN 't' WHEN NOT " + sql + " THEN 'f' END)"
	case predicate.KindInt, predicate.KindDecimal, predicate.KindFloat:
		text = "CAST(CAST(" + sql + " AS DOUBLE PRECISION) AS VARCHAR)"
	case predicate.KindTimestamp, predicate.KindDateTime, predicate.KindDate:
		text = "CAST(EXTRACT(epoch FROM " + sql + ") AS VARCHAR)"
	case predicate.KindBytes:
		text = map[predicate.Dialect]string{predicate.DuckDB: "lower(hex(" + sql + "))", predicate.Postgres: "encode(" + sql + ", 'hex')"}[d]
	case predicate.KindInterval:
		text = "CAST(EXTRACT(epoch FROM (TIMESTAMP '2026-01-31 00:00:00' + " + sql + ")) AS VARCHAR)"
	}
	out, err := e.scalar("SELECT string_agg(coalesce(" + text + ", 'NULL'), '|' ORDER BY row_no) FROM orders")
	if err != nil || t.Kind == predicate.KindString || t.Kind == predicate.KindBool {
		return out, err
	}
	values := strings.Split(out, "|")
	for i, v := range values {
		f, err := strconv.ParseFloat(v, 64)
		switch {
		case v == "-nan":
			values[i] = "NaN" // its sign means nothing
		case err != nil:
		case t.Kind == predicate.KindInt || t.Kind == predicate.KindDecimal || t.Kind == predicate.KindFloat:
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
func operationsMeanTheSame(t *testing.T, d, other predicate.Dialect, s *predicate.Schema, e, there engine) {
	g := predicate.NewGenerator(d, s, 8)
	samples := 3
	if os.Getenv("PREDICATE_CAMPAIGN") != "" {
		samples = 60
	}
	crossed, refused, failed := 0, map[string]bool{}, 0
	for _, o := range g.Calls() {
		texts, exprs := g.Samples(s, o, samples)
		for i, text := range texts {
			if exprs[i].Type().Kind == predicate.KindNull {
				continue
			}
			own, err := print.SQL(d, exprs[i], predicate.Env{})
			if err != nil {
				t.Errorf("%s is not printed: %v", text, err)
				continue
			}
			want, wantErr := rowValues(e, d, exprs[i].Type(), "("+text+")")
			got, gotErr := rowValues(e, d, exprs[i].Type(), own)
			if got != want || (wantErr == nil) != (gotErr == nil) {
				t.Errorf("%s in %s\ntext    %s gives %s (%v)\nprinted %s gives %s (%v)", o.Op.ID, d, text, want, wantErr, own, got, gotErr)
			}
			foreign, err := print.SQL(other, exprs[i], predicate.Env{})
			if err != nil {
				refused[o.Op.ID] = true
				continue
			}
			got, gotErr = rowValues(there, other, exprs[i].Type(), foreign)
			switch {
			case gotErr != nil && (refusedByBinder(gotErr) || refusedByPostgres(gotErr)):
				t.Errorf("%s: %s refuses %s: %s", o.Op.ID, other, foreign, firstLine(gotErr))
			case wantErr != nil || gotErr != nil:
				failed++
			case got != want:
				t.Errorf("%s means something else in %s\ntext    %s gives %s\nprinted %s gives %s", o.Op.ID, other, text, want, foreign, got)
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
	ds, ps := predicate.CommonSchemas(t)
	t.Run("operations of duckdb", func(t *testing.T) { operationsMeanTheSame(t, predicate.DuckDB, predicate.Postgres, ds, duck, pg) })
	t.Run("operations of postgres", func(t *testing.T) { operationsMeanTheSame(t, predicate.Postgres, predicate.DuckDB, ps, pg, duck) })
}
