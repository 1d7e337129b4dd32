package predicate_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// update writes what is printed today into the corpus; look at the difference
// before you commit it.
var update = flag.Bool("update", false, "rewrite the printed forms and positions in testdata")

// accepted is a predicate that must pass, and how it is printed.
type accepted struct {
	Dialect predicate.Dialect `json:"dialect"`
	Where   string            `json:"where"`
	Prints  string            `json:"prints"`
}

// rejected is a predicate that must be refused, with kind and position.
type rejected struct {
	Dialect  predicate.Dialect `json:"dialect"`
	Where    string            `json:"where"`
	Kind     string            `json:"kind"`
	Position int               `json:"position"` // 0: none
	Hint     string            `json:"hint,omitempty"`
}

func readJSON[T any](t testing.TB, name string) T {
	t.Helper()
	var out T
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// writeJSON writes one entry a line, so that differences can be read.
func writeJSON[T any](t testing.TB, name string, entries []T) {
	t.Helper()
	out := []byte("[\n")
	for i, e := range entries {
		line, err := marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, "  "...)
		out = append(out, line...)
		if i < len(entries)-1 {
			out = append(out, ',')
		}
		out = append(out, '\n')
	}
	out = append(out, "]\n"...)
	if err := os.WriteFile(filepath.Join("testdata", name), out, 0o644); err != nil {
		t.Fatal(err)
	}
}

// schemas reads the columns that the corpora are written against.
func schemas(t testing.TB) map[predicate.Dialect]*predicate.Schema {
	t.Helper()
	out := map[predicate.Dialect]*predicate.Schema{}
	for d, cols := range readJSON[map[predicate.Dialect][]api.Column](t, "schemas.json") {
		s, err := predicate.NewSchema(d, cols)
		if err != nil {
			t.Fatal(err)
		}
		out[d] = s.Named("orders")
	}
	return out
}

func TestAcceptedCorpus(t *testing.T) {
	all := readJSON[[]accepted](t, "accepted.json")
	s := schemas(t)
	for i, a := range all {
		e, err := predicate.Parse(a.Dialect, a.Where, s[a.Dialect])
		if err != nil {
			t.Errorf("%s: %s: refused: %s", a.Dialect, a.Where, explain(err))
			continue
		}
		got, err := print.SQL(a.Dialect, e, predicate.Env{})
		if err != nil {
			t.Errorf("%s: %s: not printed: %v", a.Dialect, a.Where, err)
			continue
		}
		if *update {
			all[i].Prints = got
		} else if got != a.Prints {
			t.Errorf("%s: %s\nprinted %s\nwant    %s", a.Dialect, a.Where, got, a.Prints)
		}
		checkFixedPoint(t, a.Dialect, s[a.Dialect], e, got)
	}
	if *update {
		writeJSON(t, "accepted.json", all)
	}
}

// checkFixedPoint parses what was printed: it must print the same again and
// have the same normal form.
func checkFixedPoint(t testing.TB, d predicate.Dialect, s *predicate.Schema, e predicate.Expr, printed string) {
	t.Helper()
	again, err := predicate.Parse(d, printed, s)
	if err != nil {
		t.Errorf("%s: printed %s\nis refused: %s", d, printed, explain(err))
		return
	}
	second, err := print.SQL(d, again, predicate.Env{})
	if err != nil || second != printed {
		t.Errorf("%s: printed %s\nprints   %s (%v)", d, printed, second, err)
	}
	if a, b := predicate.Normalize(e), predicate.Normalize(again); a != b {
		t.Errorf("%s: the normal form of %s changed:\n%s\n%s", d, printed, a, b)
	}
}

func TestRejectedCorpus(t *testing.T) {
	all := readJSON[[]rejected](t, "rejected.json")
	s := schemas(t)
	for i, r := range all {
		e, err := predicate.Parse(r.Dialect, r.Where, s[r.Dialect])
		if err == nil {
			printed, _ := print.SQL(r.Dialect, e, predicate.Env{})
			t.Errorf("%s: %s: accepted as %s, want %s", r.Dialect, r.Where, printed, r.Kind)
			continue
		}
		var got *api.Error
		if !errors.As(err, &got) || got.Code != api.CodeRejected {
			t.Errorf("%s: %s: %v is no rejection", r.Dialect, r.Where, err)
			continue
		}
		pos, _ := got.Details["position"].(int)
		if *update {
			all[i].Position = pos
		}
		if got.Kind != r.Kind || !*update && pos != r.Position {
			t.Errorf("%s: %s: refused as %s at %d, want %s at %d (%s)", r.Dialect, r.Where, got.Kind, pos, r.Kind, r.Position, got.Message)
		}
		if got.Message == "" {
			t.Errorf("%s: %s: no message", r.Dialect, r.Where)
		}
	}
	if *update {
		writeJSON(t, "rejected.json", all)
	}
}

func explain(err error) string {
	var e *api.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return fmt.Sprintf("%s: %s (%s) %v", e.Kind, e.Message, e.Hint, e.Details)
}
