package statement

import (
	"maps"
	"slices"
	"strings"
	"testing"
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

func TestShift(t *testing.T) {
	text := "SELECT 1;\né SELECT a,\nb"
	for _, tt := range []struct{ at, line, column int }{{13, 2, 3}, {23, 3, 1}} {
		piece, want := map[string]any{}, map[string]any{}
		Locate(piece, text[13:], tt.at-13)
		Locate(want, text, tt.at)
		Shift(piece, text[:13])
		if !maps.Equal(piece, want) || piece["line"] != tt.line || piece["column"] != tt.column {
			t.Errorf("%v, want %v", piece, want)
		}
	}
	none := map[string]any{}
	if Shift(none, "SELECT 1;\n"); len(none) != 0 {
		t.Errorf("%v", none)
	}
}
