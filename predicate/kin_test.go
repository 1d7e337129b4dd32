package predicate

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// spelt are the types of the kin in a dialect's words.
var spelt = map[Dialect]map[string]string{
	DuckDB:    {"VARCHAR": "VARCHAR", "DATE": "DATE", "TIMESTAMP": "TIMESTAMP", "TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE", "VARCHAR[]": "VARCHAR[]", "DOUBLE": "DOUBLE", "BIGINT": "BIGINT"},
	GoogleSQL: {"VARCHAR": "STRING", "DATE": "DATE", "TIMESTAMP": "DATETIME", "TIMESTAMPTZ": "TIMESTAMP", "VARCHAR[]": "ARRAY<STRING>", "DOUBLE": "FLOAT64", "BIGINT": "INT64"},
	Postgres:  {"VARCHAR": "text", "DATE": "date", "TIMESTAMP": "timestamp without time zone", "TIMESTAMPTZ": "timestamp with time zone", "VARCHAR[]": "text[]", "DOUBLE": "double precision", "BIGINT": "bigint"},
}

func schemaOf(t *testing.T, d Dialect, typ string) *Schema {
	t.Helper()
	s, err := NewSchema(d, []api.Column{{Name: "x", Type: typ}, {Name: "y", Type: typ}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestKinCanBeWritten holds that what is suggested for a function of another
// dialect passes the gate.
func TestKinCanBeWritten(t *testing.T) {
	for _, k := range kinds {
		for d, types := range spelt {
			if text := k.written(d.Traits()); text != "" {
				if _, err := Parse(d, text, schemaOf(t, d, types[k.about])); err != nil {
					t.Errorf("%s: %s: %v", d, text, err)
				}
			}
		}
	}
}

// TestFunctionsOfOtherDialectsLeadOn holds that a function that another dialect
// has is refused with what this one has in its place.
func TestFunctionsOfOtherDialectsLeadOn(t *testing.T) {
	// What nothing in the dialect comes near.
	without := map[Dialect]string{
		DuckDB:    " reverse ",
		GoogleSQL: " array_contains array_has list_contains list_has cardinality century decade millennium microsecond isfinite isinf last_day list_indexof list_position millisecond reverse split_part strlen ",
		Postgres:  " isfinite isinf last_day list_indexof list_position ",
	}
	for d := range spelt {
		s := schemaOf(t, d, spelt[d]["VARCHAR"])
		own := map[string]bool{}
		for _, f := range Functions(d) {
			own[f.Name] = true
		}
		for other := range spelt {
			for _, f := range Functions(other) {
				if own[f.Name] {
					continue
				}
				_, err := Parse(d, f.Name+"(x)", s)
				var e *api.Error
				if !errors.As(err, &e) || e.Kind != api.KindUnknownFunction {
					t.Errorf("%s: %s: %v", d, f.Name, err)
					continue
				}
				if none := strings.Contains(without[d], " "+f.Name+" "); none != strings.HasPrefix(e.Hint, "Fetch the rows") || strings.Contains(e.Hint, "$i") {
					t.Errorf("%s: %s: the hint is %q", d, f.Name, e.Hint)
				}
				if form, ok := strings.CutPrefix(e.Hint, "In this dialect: EXTRACT("); ok {
					if _, err := Parse(d, "EXTRACT("+strings.TrimSuffix(form, ".")+" > 0", schemaOf(t, d, spelt[d]["TIMESTAMP"])); strings.HasSuffix(form, "FROM x).") && !strings.HasPrefix(form, "PART ") && err != nil {
						t.Errorf("%s: %s: %s: %v", d, f.Name, e.Hint, err)
					}
				}
			}
		}
	}
}
