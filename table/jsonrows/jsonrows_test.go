package jsonrows

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// read yields all rows of a text of the layout that Detect tells.
func read(text string) (rows []string, r *Reader, err error) {
	l := Detect([]byte(text)[:min(len(text), HeadSize)], len(text) <= HeadSize)
	if l == "" {
		return nil, nil, errors.New("no JSON")
	}
	r = NewReader(iotest.HalfReader(strings.NewReader(text)), l)
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, r, nil
		}
		if err != nil {
			return rows, r, err
		}
		rows = append(rows, string(row))
	}
}

func TestRows(t *testing.T) {
	for _, c := range []struct {
		name, text string
		rows       []string
		own        bool
	}{
		{"lines", "{\"a\":1}\n{\"a\":2}\n", []string{`{"a":1}`, `{"a":2}`}, true},
		{"lines without an end", "\n{\"a\":1}\r\n\n{\"a\":\"}{][\\\"\"}", []string{`{"a":1}`, `{"a":"}{][\""}`}, true},
		{"two in a line", `{"a":1} {"a":2}`, []string{`{"a":1}`, `{"a":2}`}, false},
		{"over several lines", "{\n \"a\": 1\n}\n{\r\n \"a\": 2\r\n}\n", []string{`{  "a": 1 }`, `{   "a": 2  }`}, false},
		{"a byte order mark", bom + "{\"a\":1}\n", []string{`{"a":1}`}, false},
		{"an array", `[{"a":1},{"a":[{"b":[]}]}]`, []string{`{"a":1}`, `{"a":[{"b":[]}]}`}, false},
		{"an array over lines", "[\n  {\"a\": 1\n},\n\n {\"a\": 2} ]\n", []string{`{"a": 1 }`, `{"a": 2}`}, false},
		{"an empty array", "[ ]", nil, false},
		{"features", `{"crs":{"a":[1]},"features":[{"type":"Feature","id":7,"properties":{"id":"x","Geometry":1,"n":null},"geometry":{"type":"Point","coordinates":[1,2]}},
{"type":"Feature","properties":null,"geometry":null}],"type":"FeatureCollection","name":"n"}`, []string{
			`{"feature_id":7,"id":"x","Geometry_2":1,"n":null,"geometry":{"type":"Point","coordinates":[1,2]}}`, `{"geometry":null}`,
		}, false},
		{"no features", `{"type":"FeatureCollection","features":[]}`, nil, false},
	} {
		rows, r, err := read(c.text)
		if err != nil || fmt.Sprint(rows) != fmt.Sprint(c.rows) || r.OwnLines() != c.own {
			t.Errorf("%s: %q %v, lines of their own: %t", c.name, rows, err, r.OwnLines())
		}
	}
	if _, r, _ := read(`{"crs":1,"features":[{"type":"Feature"}],"name":"n","type":"FeatureCollection"}`); fmt.Sprint(r.Passed()) != "[crs name]" {
		t.Errorf("passed over: %v", r.Passed())
	}
}

func TestTextsThatAreNoRows(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct{ text, reason, jq string }{
		{`[{"a":1}, <b>]`, "'<' instead of an object", ""},
		{`[1,2]`, "row 1 is a number or a word, not an object", ".[] | {value: .}"},
		{`[{"a":1}, null]`, "row 2 is a number or a word, not an object", ".[] | objects"},
		{`[[1,2],[3,4]]`, "row 1 is a list, not an object", ".[] | {a: .[0], b: .[1]}"},
		{"{\"meta\": [1],\n \"my data\": [ {\"a\":1} ]}", "the file is one object, and no list of objects", `."my data"[]`},
		{"{\"a\":\n1}", "the file is one object, and no list of objects", "."},
		{`[{"a":1},{"a":2}`, "the text breaks off: the array is not closed", ""},
		{`[{"a":1},{"a":`, "the text breaks off: an object or a list is not closed", ""},
		{`[{"a":1}] 5`, "there is text after the end of the JSON value", ""},
		{"{\"a\":1}\n{\"a\":\"x\n\"}", "a text is not closed in its line", ""},
		{"{\"a\":1}\n5\n", "row 2 is a number or a word, not an object", ""},
		{`[{"name":1,"Name":2}]`, `the keys "name" and "Name" differ only in case, and would be the same column`, `.[] | .["Name_2"] = .["Name"] | del(.["Name"])`},
		{"{\"a\":1}\n{\"\\u0041\":2}\n", `the keys "a" and "A" differ only in case, and would be the same column`, `.["A_2"] = .["A"] | del(.["A"])`},
		{`[{"":1}]`, "a key is empty, and cannot name a column", `.[] | .["column_1"] = .[""] | del(.[""])`},
		{`{"a\u0000":1}`, `the key "a\x00" has a zero byte, and cannot name a column`, `.["column_1"] = .["a\u0000"] | del(.["a\u0000"])`},
		{`{"a":` + deep(20_000) + "}\n", tooDeep, ""},
		{`[{"a":` + deep(20_000) + "}]", tooDeep, ""},
		{`{"type":"FeatureCollection","x":` + deep(20_000) + `,"features":[]}`, tooDeep, ""},
		{`{"a":` + deep(MaxDepth) + "}\n", tooDeep, ""},
	} {
		_, _, err := read(c.text)
		var e *Error
		if !errors.As(err, &e) || e.Reason != c.reason || e.Jq != c.jq {
			t.Errorf("%.60s: %v", c.text, err)
		}
	}
	if rows, _, err := read(`{"a":` + deep(MaxDepth-1) + "}\n"); err != nil || len(rows) != 1 {
		t.Errorf("as deep as may be: %v", err)
	}
	if rows, _, err := read(`{"a":"` + strings.Repeat("[", 20_000) + "\"}\n"); err != nil || len(rows) != 1 {
		t.Errorf("brackets in a text: %v", err)
	}
}

// TestFindFault names the place for which an engine refuses rows.
func TestFindFault(t *testing.T) {
	for _, c := range []struct{ text, fault string }{
		{"{\"a\":1}\n{\"a\":NaN,\"b\":\"\\ud83d\\ude00 \\\\ud83d\"}\n", ""},
		{"{\"a\":1}\n{\"a\":1,\"a\":2}\n", `line 2: an object has the key "a" twice`},
		{"{\"a\":1}\n\n{\"a\":\"x\\ud83d\"}\n", `line 3: a text has one half of a pair of surrogates, such as \ud83d`},
		{"{\"a\":1}\n{\"a\":1 2}\n", "line 2: invalid character '2' after object key:value pair"},
		{"[{\"a\":1},\n{\"a\":[1,]}]", "line 2: invalid character ']' looking for beginning of value"},
		{"{\"a\":\"\xff\"}\n", "line 1: there are bytes that are not UTF-8"},
		{`[{"o":{"":1}}]`, "line 1: an object has an empty key"},
		{"[{\"o\":[{\"a\":1}]},\n{\"o\":[{\"A\":1}]}]", `line 2: the keys "a" and "A" of objects differ only in case, and would be the same field`},
	} {
		got := ""
		if e := FindFault(strings.NewReader(c.text), Detect([]byte(c.text), true)); e != nil {
			got = e.Error()
		}
		if got != c.fault {
			t.Errorf("%q: %q, want %q", c.text, got, c.fault)
		}
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]Layout{
		"":                                  "",
		"a,b\n1,2\n":                        "",
		"[2024-01-01 10:00:00] INFO x\n":    "",
		"[1] first\n[2] second\n":           "",
		"{a} b\n":                           "",
		"{\"a\":1},x\n":                     "",
		"[section]\nkey=1\n":                "",
		"[1,2]\n[3,4]\n":                    Array,
		"{\"a\":1}\nno JSON\n":              Lines,
		"  \n{\"a\":1}":                     Lines,
		"{\"type\":\"Feature\"}":            Lines,
		`{"type":"FeatureCollection","x":1`: Features, // it breaks off
	} {
		if got := Detect([]byte(text), true); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Detect([]byte(`{"type":"FeatureCollection","fea`), false); got != Features {
		t.Errorf("a collection that is cut: %q", got)
	}
}

// TestRowsAreThoseOfTheStandardLibrary reads random arrays, with blanks at
// random places, and compares what comes out.
func TestRowsAreThoseOfTheStandardLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var want []any
		for range rng.IntN(5) {
			want = append(want, map[string]any{"a": randomValue(rng, 4), "b\n\"": randomValue(rng, 2)})
		}
		text, _ := json.MarshalIndent(want, "", strings.Repeat(" ", rng.IntN(3)))
		if want == nil {
			text = []byte("[]")
		}
		rows, _, err := read(string(text))
		if err != nil || len(rows) != len(want) {
			t.Fatalf("%s: %q, %v", text, rows, err)
		}
		for i, row := range rows {
			plain, _ := json.Marshal(want[i])
			var got any
			if strings.ContainsAny(row, "\n\r") || json.Unmarshal([]byte(row), &got) != nil {
				t.Fatalf("%q", row)
			}
			if again, _ := json.Marshal(got); string(again) != string(plain) {
				t.Fatalf("%s came as %s", plain, again)
			}
		}
	}
}

func randomValue(rng *rand.Rand, depth int) any {
	switch k := rng.IntN(7); {
	case k == 0 && depth > 0:
		list := []any{}
		for range rng.IntN(4) {
			list = append(list, randomValue(rng, depth-1))
		}
		return list
	case k == 1 && depth > 0:
		return map[string]any{"x": randomValue(rng, depth-1), "[": randomValue(rng, depth-1)}
	case k == 2:
		return nil
	case k == 3:
		return rng.IntN(2) == 0
	case k == 4:
		return float64(rng.IntN(1000)) / 8
	}
	return []string{"", "plain", `"`, `\`, "[{", "}]", "é\n\t", ",:", "\u2028"}[rng.IntN(9)]
}
