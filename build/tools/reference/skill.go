package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/skills"
)

// skillFiles returns the skills with their tables, each in its own folder.
func skillFiles(*cobra.Command) (map[string]string, error) {
	files := map[string]string{}
	for _, name := range skills.Names {
		files[name+"/SKILL.md"] = skills.Render(name, map[string]string{
			"dialects": dialectTable(), "exitcodes": exitTable(), "formats": strings.Join(format.Exported(), ", "),
		})
	}
	return files, nil
}

// dialectTable compares the dialects, according to schemas.
func dialectTable() string {
	dialects := predicate.Dialects()
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
			fmt.Fprintf(&b, " `%s` |", tableCell(predicate.Hints(d)[row[0]]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// exitTable is the table of exit codes.
func exitTable() string {
	var b strings.Builder
	b.WriteString("| exit code | meaning | what to do |\n|---|---|---|\n")
	for _, m := range exit.Meanings {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", m.Code, tableCell(m.Meaning), tableCell(m.Next))
	}
	return b.String()
}
