package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestModelsReadLittle bounds what a model that runs da pays for before its question:
// help, skills and the description of a table.
func TestModelsReadLittle(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var names, cells []string
	for i := range 20 {
		names, cells = append(names, fmt.Sprintf("some_name_%d", i)), append(cells, fmt.Sprintf("%d.25", 100+i))
	}
	p.write(t, "wide.yaml", "sources:\n  here: { type: lake, root: . }\ntables:\n  - { id: wide, source: here, path: wide.csv, description: Twenty columns }\n")
	p.write(t, "wide.csv", strings.Join(names, ",")+"\n"+strings.Repeat(strings.Join(cells, ",")+"\n", 30))
	agent := p.with("CLAUDECODE=1")
	for args, want := range map[string]string{"describe wide": "some_name_19 DECIMAL(", "table describe wide.csv": "some_name_19"} {
		text := agent.with("DA_INSTANCE=" + filepath.Join(p.dir, "wide.yaml")).ok(strings.Fields(args)...)
		t.Logf("da %s has %d bytes", args, len(text))
		if len(text) > 1200 || !strings.Contains(text, want) {
			t.Errorf("da %s has %d bytes:\n%s", args, len(text), text)
		}
	}
	newManual(silentApp(t)).Walk(referenceRoot(t), func(c *cobra.Command) {
		if c.IsAdditionalHelpTopicCommand() {
			return
		}
		text := printed(t, map[string]string{"CLAUDECODE": "1"}, append(strings.Fields(c.CommandPath())[1:], "--help")...)
		if len(text) > 1500 || !strings.Contains(text, "Usage: "+c.CommandPath()) || c.Example != "" && !strings.Contains(text, "\nExample: ") {
			t.Errorf("%s --help has %d bytes:\n%s", c.CommandPath(), len(text), text)
		}
	})
	for _, args := range []string{"skills show", "skills show --part 2", "skills show --part 3", "skills show da-tables", "skills show da-tables --part 2"} {
		if text := agent.ok(strings.Fields(args)...); len(text) > 4000 {
			t.Errorf("da %s has %d bytes", args, len(text))
		}
	}
	if text := p.ok("skills", "show"); strings.Contains(text, "This is part") || !strings.Contains(text, "## When a command fails") {
		t.Errorf("a person reads a part:\n%s", text)
	}
}
