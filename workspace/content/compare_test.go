package content

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// TestDraftsAreCompared holds that a change is told by cells, lines and paragraphs.
func TestDraftsAreCompared(t *testing.T) {
	w, err := workspace.Open(t.TempDir(), workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	put := func(w *workspace.Workspace, name, text string) {
		t.Helper()
		if _, err := WriteText(t.Context(), w, Target{File: name}, text); err != nil {
			t.Fatal(err)
		}
	}
	cells := func(w *workspace.Workspace, values string) {
		t.Helper()
		var ops []sheet.Operation
		if err := json.Unmarshal([]byte(`[{"op":"ensure_sheet","sheet":"May"},{"op":"set_range","sheet":"May","start":"A1","values":`+values+`}]`), &ops); err != nil {
			t.Fatal(err)
		}
		if _, err := Xlsx(t.Context(), w, Target{File: "book.xlsx", Create: true}, ops); err != nil {
			t.Fatal(err)
		}
	}
	put(w, "a.md", "one\ntwo\nthree\nfour\n")
	put(w, "gone.md", "bye\n")
	cells(w, `[["n","price"],[1,2.5],[2,3]]`)
	draft, err := w.Draft("d")
	if err != nil {
		t.Fatal(err)
	}
	put(draft, "a.md", "one\nTWO\nthree\nnew\nfour\n")
	put(draft, "fresh.md", "hello\n")
	cells(draft, `[["n","price"],[1,2.75],[2,null]]`)
	if _, err := draft.Delete(t.Context(), "gone.md", 0); err != nil {
		t.Fatal(err)
	}
	all, err := Changes(t.Context(), draft)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range all {
		got[c.File.Name] = fmt.Sprint(c.Content.Changes, c.Content.Problem)
	}
	for name, want := range map[string]string{
		"a.md": "[{line 2 two TWO} {line 4  new}]", "fresh.md": "[{line 1  hello}]", "gone.md": "[{line 1 bye }]", "book.xlsx": "[{May!B2 2.5 2.75} {May!B3 3 }]",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
}

// TestComparingIsRight makes random texts of others and applies what was found.
func TestComparingIsRight(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // to be repeated
		line := func() string { return string(rune('a' + rnd.IntN(4))) }
		var a, b []string
		for range rnd.IntN(12) {
			a = append(a, line())
		}
		for range rnd.IntN(12) {
			b = append(b, line())
		}
		var made []string
		at := 0
		for _, r := range runs(a, b) {
			made = append(append(made, a[at:r[0]]...), b[r[2]:r[3]]...)
			at = r[1]
		}
		if made = append(made, a[at:]...); strings.Join(made, "") != strings.Join(b, "") {
			t.Fatalf("%v to %v gives %v", a, b, made)
		}
	}
}
