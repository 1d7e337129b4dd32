package hidden

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestOnlyWhatIsKnownPasses(t *testing.T) {
	for name, c := range map[string]struct {
		tool, arguments, answer string
		has, lacks              []string
	}{
		"a tool of unknown shape":       {"read_file", `{}`, `{"text":"Alice"}`, []string{"values_hidden", "read_file"}, []string{"Alice"}},
		"no object":                     {"query", `{}`, `["Alice"]`, []string{"values_hidden"}, []string{"Alice"}},
		"members that nobody knows":     {"catalog_schema", `{}`, `{"table_id":"t","where_examples":["x = 'Alice'"],"columns":[{"name":"a","type":"enum('Alice','b')","top":["Alice"]}]}`, []string{`"a"`, `"enum"`}, []string{"Alice", "where"}},
		"an object where a text is due": {"catalog_schema", `{}`, `{"table_id":{"Alice":1},"description":[["Alice"]]}`, nil, []string{`"Alice":1`}},
		"names made of values": {"query", `{"sql":"SELECT n, sum(pay) FROM t"}`, `{"columns":["n","sum(pay)","Alice","Bob n"],"column_types":["integer","float","float","float"],"rows":[[1,2,3,4]]}`,
			[]string{`"n:integer"`, `sum(pay):float`, `column3:float`, `column4:float`}, []string{"Alice", "Bob", "[1"}},
		"constants and sums":          {"query", `{"sql":"a"}`, `{"columns":["a"],"column_types":["string"],"constant":{"Alice":"Bob"},"rows":[["Carol"]],"elided":{"rows":8,"columns":[{"column":"a","min":"Dora"}]},"rows_total":9}`, []string{`"rows":9`}, []string{"Alice", "Bob", "Carol", "Dora", "elided"}},
		"as many rows as a value":     {"query", `{"sql":"a"}`, `{"columns":["a"],"column_types":["string"],"rows":[["x"]],"rows_total":48151}`, []string{"more than 20"}, []string{"48151"}},
		"an error made by a value":    {"query", `{"sql":"a"}`, `{"error":{"code":"query_failed","kind":"conversion","message":"Could not convert Alice","hint":"Alice","details":{"value":"Alice"}}}`, []string{"query_failed", "not told"}, []string{"Alice"}},
		"an error before any value":   {"query", `{"sql":"SELECT nam FROM t"}`, `{"error":{"code":"query_failed","kind":"binder","message":"<data-0123456789ab>no column \"nam\", 'Alice'</data-0123456789ab>","hint":"Did you mean name?","details":{"line":1,"column":8}}}`, []string{`\"nam\"`, "name?", `"column":8`}, []string{"Alice", "data-"}},
		"errors of some statements":   {"query", `{"sql":"a; b"}`, `{"results":[{"columns":["a"],"column_types":["string"],"rows":[["Alice"]]},{"error":{"code":"query_failed","kind":"invalid_input","message":"Alice"}}],"failed":1}`, []string{`"r1"`, "invalid_input", `"failed":1`}, []string{"Alice"}},
		"an error of an unknown tool": {"nothing", `{}`, `{"error":{"code":"usage","message":"there is no tool 'Alice'"}}`, []string{"there is no tool"}, []string{"Alice"}},
		"a caveat":                    {"table_query", `{}`, `{"caveats":[{"kind":"guessed","text":"as Alice","about":{"columns":["Alice"],"table":"t"},"reason":"Alice"}]}`, []string{"guessed", `"t"`}, []string{"Alice"}},
		"the next step":               {"plan", `{}`, `{"next":{"tool":"fetch","arguments":{"where":"a = 'Alice'"}},"tables":[{"table_id":"t","where":"a IN ('Alice')"}]}`, []string{"fetch"}, []string{"Alice"}},
	} {
		got := (&Values{}).Hide(c.tool, c.arguments, c.answer)
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in %s", name, want, got)
			}
		}
		for _, secret := range c.lacks {
			if strings.Contains(got, secret) {
				t.Errorf("%s: %s is in %s", name, secret, got)
			}
		}
	}
}

func TestFill(t *testing.T) {
	v := &Values{}
	v.Hide("query", `{"sql":"SELECT name, pay, left FROM t"}`, `{"columns":["name","pay"],"column_types":["string","decimal"],"constant":{"left":null},"rows":[["Ann\n  Lee",12.50],[{"start":"abc","chars":9},[1,"x"]]],"rows_total":48151}`)
	const text = "{{r1.1.name}} has {{ r1.1.PAY }}, {{r1.1.left}}; {{r1.2.name}} {{r1.2.pay}} of {{r1.rows}}. {{r2.1.name}} {{r1.3.name}} {{r1.1.none}} {{x}} {{ {r1}"
	const want = `Ann Lee has 12.50, NULL; abc… [1,"x"] of 48151. {{r2.1.name}} {{r1.3.name}} {{r1.1.none}} {{x}} {{ {r1}`
	got, unknown := v.Fill(text)
	if got != want || strings.Join(unknown, " ") != "{{r2.1.name}} {{r1.3.name}} {{r1.1.none}} {{x}}" {
		t.Errorf("%s, unknown %v", got, unknown)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		s, rest, all := Stream{Values: v}, text, ""
		for rest != "" {
			n := min(1+r.IntN(20), len(rest))
			piece := s.Next(rest[:n])
			if strings.Contains(piece, "{{r1.1.name") {
				t.Fatalf("a placeholder is shown: %s", piece)
			}
			all, rest = all+piece, rest[n:]
		}
		if all += s.Rest(); all != want {
			t.Fatalf("in pieces: %s", all)
		}
	}
}
