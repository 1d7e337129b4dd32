package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
)

func newClockCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "clock",
		Short:   "Say what time it is here",
		Example: "  da clock\n  da clock --json",
		Args:    usage.Exactly(),
		RunE:    func(*cobra.Command, []string) error { return runClock(a) },
	}
}

// clockTime is what da clock --json prints.
type clockTime struct {
	Now string `json:"now"`
}

func runClock(a *app.App) error {
	format, err := a.OutputFormat()
	if err != nil {
		return err
	}
	t := clockTime{a.Now().UTC().Format(time.RFC3339)}
	return a.ShowItems(format, t, output.List{Columns: []string{"now"}, Rows: [][]any{{t.Now}}}, t)
}
