package reference

import (
	"strings"

	"github.com/spf13/cobra"
)

// Walk visits the visible commands, parents first.
func Walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			Walk(c, visit)
		}
	}
}

// Dedent removes the indentation of examples.
func Dedent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "  ")
	}
	return strings.Join(lines, "\n")
}
