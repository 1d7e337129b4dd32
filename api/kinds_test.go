package api

import (
	"strings"
	"testing"
)

// TestNoRefusalIsAlone holds that each kind has a next step for errors without a hint,
// and that it replaces nothing that an error says itself.
func TestNoRefusalIsAlone(t *testing.T) {
	for _, k := range KindsOfErrors() {
		if got := (&Error{Kind: k.Kind}).Body().Hint; got == "" || strings.Contains(got, "the hint") {
			t.Errorf("%s: the next step is %q", k.Kind, got)
		}
	}
	if got := (&Error{Kind: KindLimit, Hint: "Own."}).Advice(); got != "Own." {
		t.Errorf("the hint of an error became %q", got)
	}
	if got := (&Error{Kind: KindLimit, Next: []Step{Do(ActionCatalog, "")}}).Advice(); got != "" {
		t.Errorf("an error with a next step also says %q", got)
	}
}
