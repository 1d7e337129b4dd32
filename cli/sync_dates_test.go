package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestASyncThatTurnsDayAndMonthRound: a synced table keeps an order that its dates prove, or
// the sync is refused; a guess that is proven wrong is told.
func TestASyncThatTurnsDayAndMonthRound(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	instance := "sources:\n  files: { type: lake, root: ./data }\ntables:\n  - { id: days, source: files, path: days.csv, query_mode: local, public: true }\n"
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(instance), 0o600); err != nil {
		t.Fatal(err)
	}
	const guessed = "day\n03/04/2024\n05/06/2024\n11/12/2024\n"
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, "data", "days.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("day\n03/04/2024\n04/26/2024\n")
	c := p.served()
	for _, step := range []struct {
		text string
		args []string
		code int
		said string
		min  string // the first day of the table afterwards
	}{
		{"", nil, 0, "1 table up to date", "2024-03-04"},
		{guessed, nil, 2, "'day' was M/D/Y, proven by its dates, and is D/M/Y, guessed", "2024-03-04"},
		{"", []string{"--accept-drift"}, 0, "day and month have changed places", "2024-04-03"},
		{guessed + "04/26/2024\n", nil, 0, "day and month have changed places", "2024-03-04"},
	} {
		if step.text != "" {
			write(step.text)
		}
		if o := c.run(append([]string{"sync"}, step.args...)...); o.code != step.code || !strings.Contains(o.stderr, step.said) {
			t.Errorf("exit %d, and not %d with %q\n%s", o.code, step.code, step.said, o.stderr)
		}
		if got := c.ok("query", "SELECT min(day) FROM days", "-o", "csv"); !strings.HasSuffix(got, step.min+"\n") {
			t.Errorf("the first day is %q, and should be %s", got, step.min)
		}
	}
}
