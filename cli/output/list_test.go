package output

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/iostreams"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

func snapshots() List {
	return List{Columns: []string{"name", "rows", "size", "age", "where"}, Rows: [][]any{
		{"cz_recent", Figure("245 832"), Figure("8.4 MB"), "2 days ago", "event_date >= DATE_SUB(CURRENT_DATE(), INTERVAL 30 DAY) AND country_code = 'CZ'"},
		{"all", Figure("7"), nil, "just now", nil},
		{"evil\x1b[2J", Figure("1 000"), Figure("180 KB"), "just now", "a\nb"},
	}}
}

func list(t *testing.T, l List, f Format, o Options) (string, Summary) {
	t.Helper()
	var b bytes.Buffer
	summary, err := WriteList(context.Background(), &b, l, f, o)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), summary
}

func TestLists(t *testing.T) {
	got, summary := list(t, snapshots(), Table, Options{})
	golden(t, "list.0.txt", got)
	if summary.Rows != 3 || summary.Clipped != 0 {
		t.Errorf("got %+v", summary)
	}
	got, summary = list(t, snapshots(), Table, Options{Width: 80, Terminal: true})
	golden(t, "list.80.txt", got)
	checkShape(t, got, 80)
	if summary.Clipped != 1 {
		t.Errorf("got %+v", summary)
	}
	// Lists cut texts further than results do before they become records.
	got, summary = list(t, snapshots(), Table, Options{Width: 52, Terminal: true})
	if strings.Contains(got, "[ row 1 ]") || summary.Clipped == 0 {
		t.Errorf("got %+v\n%s", summary, got)
	}
	checkShape(t, got, 52)
	got, _ = list(t, snapshots(), Table, Options{Width: 40, Terminal: true})
	golden(t, "list.40.txt", got)
	checkShape(t, got, 40)
	for _, f := range textFormats {
		got, _ := list(t, snapshots(), f, Options{})
		golden(t, "list."+string(f), got)
	}
}

func TestListsWithoutRows(t *testing.T) {
	for f, want := range map[Format]string{Table: "a  b\n", JSON: "[]\n", NDJSON: "", CSV: "a,b\n"} {
		if got, _ := list(t, List{Columns: []string{"a", "b"}}, f, Options{}); got != want {
			t.Errorf("%s: got %q", f, got)
		}
	}
}

// The values of a sample are those of a result, whether they have travelled as
// JSON or not.
func TestSamplesLookLikeResults(t *testing.T) {
	rdr := flights(t)
	rdr.Next()
	here := List{Columns: arrowjson.Names(rdr.Schema())}
	rows := arrowjson.Rows(rdr.RecordBatch())
	for _, r := range rows {
		here.Rows = append(here.Rows, r.Values)
	}
	body, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	var sent []api.Row
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	there := List{Columns: here.Columns}
	for _, r := range sent {
		there.Rows = append(there.Rows, r.Values)
	}
	for _, f := range []Format{Table, NDJSON, CSV, Markdown} {
		a, _ := list(t, here, f, Options{})
		b, _ := list(t, there, f, Options{})
		if a != b {
			t.Errorf("%s: here\n%sthere\n%s", f, a, b)
		}
		if f == Table || f == Markdown {
			continue
		}
		if want, _ := render(t, flights(t), f, Options{}); a != want {
			t.Errorf("%s: a sample is\n%sa result\n%s", f, a, want)
		}
	}
}

func TestListsOfTypes(t *testing.T) {
	l := List{Columns: []string{"n", "f", "b", "mixed", "nested", "a", "a"}, Rows: [][]any{
		{1, 1.5, true, "x", api.Row{Columns: []string{"k"}, Values: []any{"<v>"}}, "1", "2"},
		{int64(2), nil, false, int64(3), []any{json.Number("1.50"), nil}, "3", "4"},
		{nil, 2.0, nil, nil, nil, nil, nil},
	}}
	got, _ := list(t, l, CSV, Options{})
	want := "n,f,b,mixed,nested,a,a\n1,1.5,true,x,\"{\"\"k\"\":\"\"<v>\"\"}\",1,2\n2,,false,3,\"[1.50,null]\",3,4\n,2.0,,,,,\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	got, summary := list(t, l, NDJSON, Options{})
	if first, _, _ := strings.Cut(got, "\n"); first != `{"n":1,"f":1.5,"b":true,"mixed":"x","nested":{"k":"<v>"},"a":"1","a_1":"2"}` || len(summary.Caveats) != 1 {
		t.Errorf("got %s, %+v", first, summary)
	}
	got, _ = list(t, l, JSON, Options{})
	if !json.Valid([]byte(got)) {
		t.Errorf("no JSON: %s", got)
	}
}

func TestWriteJSON(t *testing.T) {
	v := map[string]any{"a": "<\u202e>", "b": []int{1}}
	var b bytes.Buffer
	if err := WriteJSON(&b, v, Options{}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), `{"a":"<\u202e>","b":[1]}`+"\n"; got != want {
		t.Errorf("got %s", got)
	}
	b.Reset()
	if err := WriteJSON(&b, v, Options{Terminal: true}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "{\n  \"a\": \"<\\u202e>\",\n  \"b\": [\n    1\n  ]\n}\n"; got != want {
		t.Errorf("got %s", got)
	}
	if err := WriteJSON(&b, make(chan int), Options{}); err == nil {
		t.Error("a channel became JSON")
	}
}

func TestOptionsOfStreams(t *testing.T) {
	s, _, _, _ := iostreams.Test()
	s.OutTerminal, s.OutWidth, s.OutColor, s.ASCII = true, 99, true, true
	if o := For(s); !o.Terminal || o.Width != 99 || !o.Color || !o.ASCII {
		t.Errorf("got %+v", o)
	}
}

// TestListsLeaveOutSpareColumns drops the columns that matter least where a
// terminal is too narrow, no more than it must, and names them. With too little
// room for the others it shows everything as records.
func TestListsLeaveOutSpareColumns(t *testing.T) {
	l := List{Columns: []string{"column", "min", "mean", "deviation"}, Spare: []string{"deviation", "mean"},
		Rows: [][]any{{"amount", json.Number("12.25"), json.Number("1234.5678901234"), json.Number("0.123456789012")}}}
	for width, want := range map[int]string{0: "", 60: "", 38: "deviation", 20: "deviation mean", 10: ""} {
		got, summary := list(t, l, Table, Options{Width: width, Terminal: true})
		if left := strings.Join(summary.LeftOut, " "); left != want {
			t.Errorf("at %d %q was left out:\n%s", width, left, got)
		}
		if records := strings.Contains(got, "[ row 1 ]"); records != (width == 10) || records && !strings.Contains(got, "0.1234") {
			t.Errorf("at %d:\n%s", width, got)
		}
	}
	got, _ := list(t, l, CSV, Options{Width: 20})
	if !strings.HasPrefix(got, "column,min,mean,deviation\n") {
		t.Errorf("CSV has %s", got)
	}
}

// TestColoredListsFit: colour does not make a line wider.
func TestColoredListsFit(t *testing.T) {
	for width := 41; width <= 120; width++ {
		bare, _ := list(t, snapshots(), Table, Options{Width: width, Terminal: true})
		got, _ := list(t, snapshots(), Table, Options{Width: width, Terminal: true, Color: true})
		for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m"} {
			got = strings.ReplaceAll(got, code, "")
		}
		if got != bare {
			t.Fatalf("at %d in colour\n%q, not\n%q", width, got, bare)
		}
	}
}
