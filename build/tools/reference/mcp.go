package main

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/toolbox"
)

// toolsPage is docs/mcp-tools.md.
func toolsPage() string {
	var b strings.Builder
	b.WriteString("# Tools for models\n\n" + generatedNote)
	b.WriteString("The tools of `da mcp`; [how to register it, and what all answers have in common](mcp.md). Those that write are left out with `--read-only`; those marked HTTP are also there at `/mcp` of a server.\n\n")
	b.WriteString("| tool | what it does | writes | HTTP |\n|---|---|---|---|\n")
	for _, t := range toolbox.All() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s |\n", t.Name, t.Name, tableCell(t.Title), mark(!t.ReadOnly), mark(t.ServiceOnly()))
	}
	for _, t := range toolbox.All() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", t.Name, t.About)
		if arguments := append(codes(t.Required(), ""), codes(t.Optional(), " (optional)")...); len(arguments) > 0 {
			b.WriteString("\nArguments: " + strings.Join(arguments, ", ") + ".\n")
		}
	}
	return b.String()
}

func mark(yes bool) string {
	if yes {
		return "yes"
	}
	return ""
}

func codes(names []string, behind string) []string {
	var out []string
	for _, n := range names {
		out = append(out, "`"+n+"`"+behind)
	}
	return out
}
