package predicate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestFunctionsAreThoseThatParse holds the list against the catalogue: every
// name in it can be called, and none that can is missing.
func TestFunctionsAreThoseThatParse(t *testing.T) {
	for _, d := range []Dialect{DuckDB, GoogleSQL, Postgres} {
		var names []string
		for _, f := range Functions(d) {
			names = append(names, f.Name)
			for _, s := range f.Signatures {
				if !strings.HasPrefix(s, f.Name) || !strings.Contains(s, "->") || strings.Contains(s, "$") {
					t.Errorf("%s: %s has the signature %q", d, f.Name, s)
				}
			}
			if len(f.Signatures) == 0 {
				t.Errorf("%s: %s has no signature", d, f.Name)
			}
			// An argument too many is another error than an unknown name.
			text := f.Name + "(1, 1, 1, 1, 1, 1, 1, 1, 1)"
			var e *api.Error
			if _, err := Parse(d, text, schemaOf(t, d, spelt[d]["VARCHAR"])); !errors.As(err, &e) || e.Kind == api.KindUnknownFunction {
				t.Errorf("%s: %s: %v", d, text, err)
			}
		}
		if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%s: not in order, or not unique: %q", d, names)
		}
		for name := range operations().byName[d] {
			if callable().MatchString(name) && !formsOfLanguage[name] && !slices.Contains(names, name) {
				t.Errorf("%s: %s is missing", d, name)
			}
		}
	}
}
