package setup

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/build"
)

// NewVersionCmd returns 'da version'.
func NewVersionCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Say which build this is",
		Example: "  da version\n  da version --json",
		Args:    usage.Exactly(),
		RunE:    func(*cobra.Command, []string) error { return RunVersion(a) },
	}
}

// RunVersion prints which build this is.
func RunVersion(a *app.App) error {
	format := a.OutputFormat()
	info := build.Current()
	if format == output.Table {
		details := info.Go
		if info.Commit != "" {
			details = "commit " + info.Commit[:min(len(info.Commit), 12)] + ", " + details
		}
		_, err := fmt.Fprintf(a.IO.Out, "da %s (%s)\n", info.Version, details)
		return err
	}
	return a.ShowItems(format, info, output.List{
		Columns: []string{"version", "commit", "go"}, Rows: [][]any{{info.Version, info.Commit, info.Go}},
	}, info)
}
