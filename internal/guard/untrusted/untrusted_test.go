package untrusted_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/guard/untrusted"
	"github.com/agnes-data/da/internal/words/printable"
)

type injection struct{ Name, Text string }

func corpus(t testing.TB) []injection {
	t.Helper()
	text, err := os.ReadFile("testdata/injections.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []injection
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) < 30 {
		t.Fatalf("the corpus has %d texts only", len(list))
	}
	return list
}

func TestMarksAreOfOneAnswer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		f := untrusted.NewFence()
		if seen[f.Begin()] || f.Begin() == f.End() {
			t.Fatalf("marks %s %s again", f.Begin(), f.End())
		}
		seen[f.Begin()] = true
	}
}

// TestDataStaysBetweenTheMarks holds that no text of the corpus ends the data
// early: the end mark is there once, at the end, and in the notice.
func TestDataStaysBetweenTheMarks(t *testing.T) {
	for _, in := range corpus(t) {
		f := untrusted.NewFence()
		wrapped := f.Wrap(in.Text)
		notice, rest, ok := strings.Cut(wrapped, "\n"+f.Begin()+"\n")
		if !ok || notice != f.Notice() {
			t.Fatalf("%s: the notice does not stand before the data:\n%s", in.Name, wrapped)
		}
		data, ok := strings.CutSuffix(rest, f.End())
		if !ok || strings.TrimSuffix(data, "\n") != strings.TrimSuffix(in.Text, "\n") || strings.Contains(data, f.End()) {
			t.Errorf("%s: the data is %q", in.Name, data)
		}
	}
}

// TestObjectKeepsOrderAndFields puts each text of the corpus into an object.
func TestObjectKeepsOrderAndFields(t *testing.T) {
	for _, in := range corpus(t) {
		cell, err := json.Marshal(in.Text)
		if err != nil {
			t.Fatal(err)
		}
		f := untrusted.NewFence()
		doc := f.Object([]byte(`{"next":1}`), []byte(`{"cell":`+string(cell)+`,"n":2}`))
		want := `{"notice":"` + f.Notice() + `","next":1,"begin":"` + f.Begin() + `","cell":` + string(cell) + `,"n":2,"end":"` + f.End() + `"}`
		if string(doc) != want || !json.Valid(doc) {
			t.Errorf("%s: got %s\nwant %s", in.Name, doc, want)
		}
	}
	f := untrusted.NewFence()
	if got := string(f.Object(nil, []byte("{}\n"))); !strings.HasSuffix(got, `"begin":"`+f.Begin()+`","end":"`+f.End()+`"}`) || !json.Valid([]byte(got)) {
		t.Errorf("an empty object: %s", got)
	}
}

// TestNothingHiddenIsLeft decodes what JSON has made of each text: whatever a
// reader could not see is spelt out, and the rest is as it was.
func TestNothingHiddenIsLeft(t *testing.T) {
	for _, in := range corpus(t) {
		for _, escaped := range []bool{true, false} {
			doc, err := json.Marshal(map[string]any{in.Text: []any{in.Text, 1.50}})
			if err != nil {
				t.Fatal(err)
			}
			if !escaped { // the same characters, as they are
				doc = []byte(strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029", `\u003c`, "<").Replace(string(doc)))
			}
			var got map[string][]any
			if err := json.Unmarshal(untrusted.JSON(doc), &got); err != nil {
				t.Fatalf("%s: %v", in.Name, err)
			}
			var want strings.Builder
			for _, r := range in.Text {
				if r == '\n' || r == '\t' {
					want.WriteRune(r)
				} else {
					want.WriteString(printable.Line(string(r)))
				}
			}
			if v := got[want.String()]; len(v) != 2 || v[0] != want.String() {
				t.Errorf("%s: got %q", in.Name, got)
			}
		}
	}
}

func TestCleanJSONIsUntouched(t *testing.T) {
	const doc = `{"a\\u001b":["Zürich \\x1b \"quoted\" C:\\new\\table","日本 👩‍👩‍👧",1.50,12345678901234567890,null],"b":"x\ny\tz\/"}`
	if got := string(untrusted.JSON([]byte(doc))); got != doc {
		t.Errorf("got  %s\nwant %s", got, doc)
	}
}

func FuzzJSON(f *testing.F) {
	for _, in := range corpus(f) {
		f.Add(in.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := json.Marshal(text)
		if err != nil {
			t.Skip()
		}
		var got string
		if err := json.Unmarshal(untrusted.JSON(doc), &got); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, r := range got {
			if printable.Hazardous(r) && r != '\n' && r != '\t' {
				t.Fatalf("%q: %U is left in %q", text, r, got)
			}
		}
	})
}
