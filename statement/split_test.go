package statement

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
		open bool // the last has no semicolon
	}{
		{"", nil, false},
		{" ;; -- nothing\n; /* at all */", nil, false},
		{"SELECT 1", []string{"SELECT 1"}, true},
		{"-- a note; of mine\nSELECT 1; /* ; */ SELECT ';', \"a;b\", E'\\';', $$;$$, $q$;$q$ -- end\n ;", []string{"SELECT 1", `SELECT ';', "a;b", E'\';', $$;$$, $q$;$q$`}, false},
		{"SELECT type'x;y'; SELECT $n;SELECT é", []string{"SELECT type'x;y'", "SELECT $n", "SELECT é"}, true},
		{"SELECT `a;b`; SELECT 2;", []string{"SELECT `a;b`", "SELECT 2"}, false},
		{"SELECT /* a; /* nested; */ b; */ 1;", []string{"SELECT /* a; /* nested; */ b; */ 1"}, false},
		{"SELECT 1; SELECT 'a; b", []string{"SELECT 1", "SELECT 'a; b"}, true},
		{"SELECT 1; /* no end; ", []string{"SELECT 1", "/* no end;"}, true},
		{"\xff;\xfe", []string{"\xff", "\xfe"}, true},
	} {
		var got []string
		pieces := Split(tt.text)
		for i, p := range pieces {
			got = append(got, p.Text)
			if !strings.HasPrefix(tt.text[p.At:], p.Text) {
				t.Errorf("%q: piece %d is not at %d", tt.text, i, p.At)
			}
			if open := i == len(pieces)-1 && tt.open; p.Ended == open {
				t.Errorf("%q: piece %d ended: %t", tt.text, i, p.Ended)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q is %q, want %q", tt.text, got, tt.want)
		}
	}
	if p := Split("é; é\n\t SELECT 2")[1]; p.Line != 1 || p.Column != 4 {
		t.Errorf("%+v", p)
	}
	if p := Split("SELECT 1;\n\t SELECT 2")[1]; p.Line != 2 || p.Column != 3 {
		t.Errorf("%+v", p)
	}
}

func TestBehind(t *testing.T) {
	text := "SELECT 1;\né SELECT a,\nb"
	for _, tt := range []struct{ at, line, column int }{{13, 2, 3}, {23, 3, 1}} {
		var got, want *api.Error
		if !errors.As(Behind(text[:13], RefuseAt(text[13:], tt.at-13, api.KindSyntaxError, "", "")), &got) || !errors.As(RefuseAt(text, tt.at, api.KindSyntaxError, "", ""), &want) {
			t.Fatal("no error")
		}
		if !maps.Equal(got.Details, want.Details) || got.Details["line"] != tt.line || got.Details["column"] != tt.column {
			t.Errorf("%v, want %v", got.Details, want.Details)
		}
	}
	if none := Refuse(api.KindEmpty, "", ""); Behind("SELECT 1;\n", none) != error(none) || len(none.Details) != 0 || Behind("a", nil) != nil {
		t.Errorf("%v", none)
	}
}

func TestDefines(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Definition
		no   bool
		bad  string
	}{
		{text: "SELECT 1", no: true},
		{text: "CREATE TABLE a AS SELECT 1", no: true},
		{text: "CREATE OR REPLACE VIEW a AS SELECT 1", no: true},
		{text: "create temp /* a */ view \"Late\" -- b\n as FROM x", want: Definition{Name: "late", Query: "FROM x"}},
		{text: "CREATE OR REPLACE TEMPORARY TABLE a AS (SELECT 1)", want: Definition{Name: "a", Table: true, Replace: true, Query: "(SELECT 1)"}},
		{text: "CREATE TEMP TABLE IF NOT EXISTS a AS SELECT 1", bad: "NOT"},
		{text: "CREATE TEMP TABLE a(b) AS SELECT 1", bad: "("},
		{text: "CREATE TEMP TABLE temp.a AS SELECT 1", bad: "."},
		{text: "CREATE TEMP MACRO a() AS 1", bad: "MACRO"},
		{text: "CREATE TEMP VIEW @r1 AS SELECT 1", bad: "@r1"},
		{text: "CREATE TEMP VIEW é AS SELECT 1", bad: "é"},
		{text: "CREATE TEMP VIEW a", bad: ""},
		{text: "CREATE TEMP VIEW a AS -- nothing", bad: ""},
	} {
		d, ok, err := Defines(tt.text)
		if tt.want.Name == "" && !tt.no {
			var e *api.Error
			if !errors.As(err, &e) || e.Kind != api.KindBadDefinition || e.Details["position"] != len([]rune(tt.text[:at(tt.text, tt.bad)]))+1 {
				t.Errorf("%s: %v", tt.text, err)
			}
			continue
		}
		tt.want.Lead = strings.TrimSuffix(tt.text, tt.want.Query)
		if ok == tt.no || err != nil || ok && d != tt.want {
			t.Errorf("%s: %+v, %t, %v", tt.text, d, ok, err)
		}
	}
}

// at is where a word stands; the end for none.
func at(text, word string) int {
	if word == "" {
		return len(text)
	}
	return strings.Index(text, word)
}
