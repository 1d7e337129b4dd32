package analyst_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
)

// TestARefreshThatTurnsDayAndMonthRound: dates that prove an order stay in it, or the
// refresh is refused; a guess that is proven wrong is told.
func TestARefreshThatTurnsDayAndMonthRound(t *testing.T) {
	const proven, other = "day,n\n04/26/2024,1\n04/27/2024,2\n", "day,n\n03/04/2024,1\n05/06/2024,2\n11/12/2024,3\n"
	a, _, dir := filedAs(t, "csv")
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "x/t.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(proven)
	before := mustFetch(t, a, "s", api.ScanRequest{})
	write(other)
	if _, err := fetch.Refresh(t.Context(), a, fetch.RefreshRequest{Name: "s"}); !api.CodeSchemaDrift.Is(err) ||
		!strings.Contains(err.Error(), "'day' was M/D/Y, proven by its dates, and is D/M/Y, guessed") {
		t.Fatal(err)
	}
	if now, err := a.Store.Get("s"); err != nil || now.ContentHash != before.ContentHash {
		t.Fatal("the snapshot was replaced", err)
	}
	for _, step := range []struct {
		text   string
		accept bool
	}{{other, true}, {other + "04/25/2024,4\n", false}} {
		write(step.text)
		got := mustRefresh(t, a, fetch.RefreshRequest{Name: "s", AcceptDrift: step.accept})
		if !slices.ContainsFunc(got.Caveats, func(c api.Caveat) bool {
			return c.Kind == api.CaveatChanged && slices.Equal(c.About.Columns, []string{"day"}) && strings.Contains(c.Text, "D/M/Y, guessed")
		}) {
			t.Errorf("%q: %v", step.text, got.Caveats)
		}
	}
}
