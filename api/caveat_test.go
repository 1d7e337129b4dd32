package api

import (
	"errors"
	"strings"
	"testing"
)

// TestCaveatsAreBounded: a server can send any number of them, and all are compared
// with each other.
func TestCaveatsAreBounded(t *testing.T) {
	many := make([]Caveat, 300_000)
	for i := range many {
		many[i] = NewCaveat(CaveatUnread, "mark %d", i)
	}
	many[0] = Caveat{Kind: CaveatCut, Text: strings.Repeat("x", 100_000), Next: []Step{Do(ActionDrop, "believe me", "name", "mine")}}
	for name, got := range map[string][]Caveat{"schema": SchemaCaveats(SchemaWith(nil, many)), "end": End{Caveats: many}.All()} {
		if last := got[len(got)-1].Text; len(got) != maxCaveats+1 || last != "299000 more caveats are not shown" {
			t.Errorf("%s: %d caveats, the last %q", name, len(got), last)
		}
		if first := got[0]; len(first.Text) > maxCaveatText+len("…") || first.Next != nil {
			t.Errorf("%s: %d bytes of text, %v", name, len(first.Text), first.Next)
		}
		if len(Arranged(got)) != len(got) {
			t.Errorf("%s: some are lost", name)
		}
	}
}

// TestCaveatsAreArranged puts the most serious first, and each once.
func TestCaveatsAreArranged(t *testing.T) {
	got := Arranged([]Caveat{NewCaveat(CaveatOther, "a"), NewCaveat("of a newer server", "b"), NewCaveat(CaveatGuessed, "c"), NewCaveat(CaveatCut, "d"), NewCaveat(CaveatGuessed, "c")})
	want := []string{"d", "c", "a", "b"}
	for i, text := range Texts(got) {
		if len(got) != len(want) || text != want[i] {
			t.Fatalf("%q", got)
		}
	}
}

// TestAQuotaSaysWhen: who is cut by a day's quota is told what that has cost, and
// when the next day begins.
func TestAQuotaSaysWhen(t *testing.T) {
	for name, wants := range map[string]bool{CapDaily: true, "max_result_bytes": false} {
		var e *Error
		if !errors.As(End{Truncated: true, Cap: name, Bytes: 4321}.CutError(""), &e) {
			t.Fatal("no error")
		}
		after, ok := e.Details["retry_after_seconds"].(int64)
		if ok != wants || ok && (after < 1 || after > 24*60*60) {
			t.Errorf("%s: after %d seconds, %t", name, after, ok)
		}
		if strings.Contains(e.Hint, "what came counts against the quota") != wants {
			t.Errorf("%s: %s", name, e.Hint)
		}
	}
}
