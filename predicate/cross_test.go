package predicate_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// crossed counts what became of predicates printed for another engine.
type crossed struct{ same, refused, failed int }

// cross prints a predicate of one engine for another, which must select the
// same rows. A failure while running is not an answer; a refusal by the other
// engine is a fault of the printer.
func cross(t *testing.T, from, to predicate.Dialect, s *predicate.Schema, here, there engine, where string, n *crossed) {
	t.Helper()
	e, err := predicate.Parse(from, where, s)
	if err != nil {
		return
	}
	printed, err := print.SQL(to, e, predicate.Env{})
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
	ds, ps := predicate.CommonSchemas(t)
	for _, way := range []struct {
		from, to    predicate.Dialect
		s           *predicate.Schema
		here, there engine
		seed        uint64
	}{{predicate.DuckDB, predicate.Postgres, ds, duck, pg, 3}, {predicate.Postgres, predicate.DuckDB, ps, pg, duck, 4}} {
		t.Run(string(way.from+" to "+way.to), func(t *testing.T) {
			var n crossed
			for _, where := range predicate.Corpus(t, way.from) {
				cross(t, way.from, way.to, way.s, way.here, way.there, where, &n)
			}
			g := predicate.NewGenerator(way.from, way.s, way.seed)
			total := campaign(t, 1200)
			for i := range total {
				cross(t, way.from, way.to, way.s, way.here, way.there, g.Predicate(i%3), &n)
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
