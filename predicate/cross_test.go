package predicate

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agnes-data/da/api"
)

// commonSchemas are the columns that the test tables of DuckDB and PostgreSQL
// share, in both dialects.
func commonSchemas(t testing.TB) (duck, pg *Schema) {
	t.Helper()
	d, p := corpusSchema(t, DuckDB), corpusSchema(t, Postgres)
	duck, pg = &Schema{d: DuckDB.traits()}, &Schema{d: Postgres.traits()}
	for _, c := range d.Columns() {
		other := p.lookup(c.Name, true)
		if other != nil && other.T.Kind == c.Type.Kind && other.T.Bits == c.Type.Bits && c.Type.Kind != KindUnknown {
			duck.columns = append(duck.columns, c)
			pg.columns = append(pg.columns, Field{Name: other.Name, Type: other.T})
		}
	}
	duck.index()
	pg.index()
	if len(duck.columns) < 15 {
		t.Fatalf("the tables share only %d columns", len(duck.columns))
	}
	return duck, pg
}

// crossing counts what became of predicates printed for another engine.
type crossing struct{ same, refused, failed int }

// cross prints a predicate of one engine for another, which must select the
// same rows. A failure while running is not an answer; a refusal by the other
// engine is a fault of the printer.
func cross(t *testing.T, from, to Dialect, s *Schema, here, there engine, where string, n *crossing) {
	t.Helper()
	e, err := Parse(from, where, s)
	if err != nil {
		return
	}
	printed, err := Print(to, e, Env{})
	if err != nil {
		var refusal *api.Error
		if !errors.As(err, &refusal) || refusal.Kind != api.KindNotPortable {
			t.Errorf("%s: %v is no refusal", where, err)
		}
		n.refused++
		return
	}
	want, wantErr := here.rows(where)
	got, gotErr := there.rows(printed)
	switch {
	case gotErr != nil && (refusedByBinder(gotErr) || refusedByPostgres(gotErr)):
		t.Errorf("%s\nprinted for %s: %s\nwhich refuses it: %s", where, to, printed, firstLine(gotErr))
	case divides(wantErr) != divides(gotErr):
		t.Errorf("%s in %s: %v\nprinted for %s: %s: %v\na division by zero must not cross", where, from, wantErr, to, printed, gotErr)
	case wantErr != nil || gotErr != nil:
		n.failed++
	case got != want && !rewrittenWrongly(here, where, got):
		t.Errorf("%s\nselects %s in %s\nprinted %s\nselects %s in %s", where, want, from, printed, got, to)
	default:
		n.same++
	}
}

func crossBoth(t *testing.T, duck, pg engine) {
	ds, ps := commonSchemas(t)
	for _, way := range []struct {
		from, to    Dialect
		s           *Schema
		here, there engine
		seed        uint64
	}{{DuckDB, Postgres, ds, duck, pg, 3}, {Postgres, DuckDB, ps, pg, duck, 4}} {
		t.Run(string(way.from+" to "+way.to), func(t *testing.T) {
			var n crossing
			for _, where := range corpus(t, way.from) {
				cross(t, way.from, way.to, way.s, way.here, way.there, where, &n)
			}
			g := newGenerator(way.from, way.s, way.seed)
			total := campaign(t, 1200)
			for i := range total {
				cross(t, way.from, way.to, way.s, way.here, way.there, g.predicate(i%3), &n)
			}
			t.Logf("%d select the same rows, %d are refused as not portable, %d fail while running", n.same, n.refused, n.failed)
			if n.same < total/20 {
				t.Errorf("only %d of %d predicates were printed for the other engine: this proves too little", n.same, total)
			}
		})
	}
}

// divides tells a division by zero, which only some engines fail at.
func divides(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "22012"
}
