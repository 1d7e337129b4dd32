package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/server"
	"github.com/agnes-data/da/skills"
)

// skillFile is the skill with its tables.
func skillFile(*cobra.Command) (map[string]string, error) {
	return map[string]string{"SKILL.md": skills.Render(dialectTable(), exitTable())}, nil
}

// dialectTable shows the dialects side by side, from what schemas say.
func dialectTable() string {
	dialects := []predicate.Dialect{predicate.DuckDB, predicate.GoogleSQL, predicate.Postgres}
	var b strings.Builder
	b.WriteString("| |")
	for _, d := range dialects {
		fmt.Fprintf(&b, " %s |", d)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(dialects)) + "\n")
	for _, row := range [][2]string{
		{"date_literal", "date"}, {"timestamp_literal", "timestamp"}, {"interval_subtract", "30 days ago"},
		{"regex", "regular expression"}, {"cast", "cast"},
	} {
		fmt.Fprintf(&b, "| %s |", row[1])
		for _, d := range dialects {
			fmt.Fprintf(&b, " `%s` |", tableCell(server.DialectHints(d)[row[0]]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// exitTable is the table of exit codes.
func exitTable() string {
	var b strings.Builder
	b.WriteString("| exit code | meaning | what to do |\n|---|---|---|\n")
	for _, m := range exitMeanings {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", m.code, tableCell(m.meaning), tableCell(m.next))
	}
	return b.String()
}
