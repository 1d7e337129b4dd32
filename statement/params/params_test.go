package params

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func values(t *testing.T, given ...string) Values {
	t.Helper()
	v := Values{}
	for _, g := range given {
		if err := v.Set(g); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func TestFill(t *testing.T) {
	v := values(t, "a=it's \\ x", "n:=-5", "big:=12345678901234567890.5", "yes:=true", "none:=null", `l:=["x'y",2]`, "é=z")
	for _, tt := range []struct{ flavor, text, want string }{
		{"duckdb", "SELECT $a, 1-$n, $big, $yes, $none, $é", `SELECT 'it''s \ x', 1-(-5), 12345678901234567890.5, TRUE, NULL, 'z'`},
		{"duckdb", "x IN ($l) AND $a = b", `x IN ('x''y', 2) AND 'it''s \ x' = b`},
		{"bigquery", "x IN ($l) AND $a = b", `x IN ('x\'y', 2) AND 'it\'s \\ x' = b`},
		{"mysql", "$a", `'it''s \\ x'`},
		{"postgres", "$a $$ $a $$ $t$ $a $t$ E'\\' $a' ' $a' \"$a\" -- $a\n /* /* */ $a */ $n", `'it''s \ x' $$ $a $$ $t$ $a $t$ E'\' $a' ' $a' "$a" -- $a` + "\n /* /* */ $a */ (-5)"},
		{"bigquery", "$n '\\' $n' \"\"\" \" $n \"\"\" `$n` # $n\n /* /* */ $n", "(-5) '\\' $n' \"\"\" \" $n \"\"\" `$n` # $n\n /* /* */ (-5)"},
		{"duckdb", "SELECT type'$n', name$n, $1, ?", "SELECT type'$n', name$n, $1, ?"},
		{"duckdb", "SELECT 'open $n", "SELECT 'open $n"},
		{"duckdb", "SELECT $n, 'open $n", "SELECT (-5), 'open $n"},
		{"flight", "nothing", "nothing"},
	} {
		f, err := Fill(tt.text, tt.flavor, v)
		if err != nil || f.Text != tt.want {
			t.Errorf("%s %s\n is %v, %v\nnot %s", tt.flavor, tt.text, f, err, tt.want)
		}
	}
	if _, err := Fill("$a", "unknown", v); err == nil {
		t.Error("an unknown dialect was written")
	}
}

// TestAValueEndsNoLiteral holds that whatever a text holds, what was written is
// one literal in each dialect.
func TestAValueEndsNoLiteral(t *testing.T) {
	parts := []string{"'", `\`, "\n", `"`, "`", "$x", "--", "/*", "#", "''", "é", "$$"}
	for _, flavor := range []string{"duckdb", "postgres", "bigquery", "mysql"} {
		d, _ := dialectOf(flavor)
		for i := range len(parts) * len(parts) * len(parts) {
			text := parts[i%len(parts)] + parts[i/len(parts)%len(parts)] + parts[i/len(parts)/len(parts)]
			f, err := Fill("$x", flavor, Values{"x": text})
			if err != nil || d.opaque(f.Text) != len(f.Text) || strings.ContainsAny(f.Text, "\n") && d.escapes {
				t.Fatalf("%s: %q is %v, %v", flavor, text, f, err)
			}
		}
	}
}

func TestExplainTellsThePlaceAsWritten(t *testing.T) {
	text := "SELECT $long,\n $long, bad FROM t"
	f, err := Fill(text, "duckdb", Values{"long": strings.Repeat("é\n", 9)})
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string][3]int{"bad": {23, 2, 9}, "SELECT": {1, 1, 1}, "'é": {8, 1, 8}} {
		before := f.Text[:strings.Index(f.Text, word)]
		var e *api.Error
		if !errors.As(f.Explain(&api.Error{Details: map[string]any{"position": float64(len([]rune(before)) + 1)}}), &e) {
			t.Fatal("no error")
		}
		if got := [3]int{e.Details["position"].(int), e.Details["line"].(int), e.Details["column"].(int)}; got != want {
			t.Errorf("%s is at %v, not %v", word, got, want)
		}
	}
}

func TestValuesAreRefused(t *testing.T) {
	v := Values{}
	for _, given := range []string{"", "a", "=x", "1a=x", "a-b=x", "a:=", "a:=x", "a:={}", "a:=[]", "a:=[[1]]", "a:=1 2", "a=\x00", `a:=["\u0000"]`} {
		if err := v.Set(given); !api.CodeUsage.Is(err) {
			t.Errorf("%q: %v", given, err)
		}
	}
	if err := v.Set("a=1"); err != nil || !api.CodeUsage.Is(v.Set("a=2")) {
		t.Error(err)
	}
	if err := v.Read([]byte(`{"n": 9007199254740993, "t": "x"}`)); err != nil || v["n"] != json.Number("9007199254740993") {
		t.Errorf("%v, %v", v, err)
	}
	for _, object := range []string{"", "[]", `{"a b": 1}`, `{"x": {}}`, `{"q": 1} x`} {
		if err := v.Read([]byte(object)); !api.CodeUsage.Is(err) {
			t.Errorf("%s: %v", object, err)
		}
	}
	_, err := Fill("é\n = $nope", "duckdb", v)
	var e *api.Error
	if !errors.As(err, &e) || e.Details["line"] != 2 || e.Details["column"] != 4 {
		t.Errorf("%v", err)
	}
	if err := Unused(v, map[string]bool{"a": true, "n": true}); !api.CodeUsage.Is(err) {
		t.Errorf("%v", err)
	}
}
