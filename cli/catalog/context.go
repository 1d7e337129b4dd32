package catalog

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/gist"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
)

// NewContextCmd returns 'da context'.
func NewContextCmd(a *app.App) *cobra.Command {
	var tokens int
	cmd := &cobra.Command{
		Use:   "context <question>",
		Short: "Show what of the catalog a question needs",
		Long: `Context picks the tables, columns, joins, metrics and traps that a question
needs, as text of at most --tokens tokens, of four bytes each. What there was no
room for is said. It asks no model: the same catalog and question have the same
answer.`,
		Example: "  da context 'late flights by state of the airport'\n  da context 'revenue per customer' --tokens 800 --json",
		Args:    usage.Exactly("question"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runContext(cmd.Context(), a, args[0], tokens)
		},
	}
	cmd.Flags().IntVar(&tokens, "tokens", gist.DefaultTokens, "most `tokens` of the text, at least 300")
	return cmd
}

// contextText is what a model is shown unless it asks for --json: what is in the text is
// not said twice.
type contextText struct {
	Text    string       `json:"text"`
	Caveats []api.Caveat `json:"caveats,omitempty"`
}

func runContext(ctx context.Context, a *app.App, question string, tokens int) error {
	if strings.TrimSpace(question) == "" {
		return usage.Error("the question is empty")
	}
	if tokens == 0 {
		return usage.Error("--tokens is 0")
	}
	remote, err := a.Connect()
	if err != nil {
		return err
	}
	found, err := gist.Of(ctx, remote, question, tokens)
	if err != nil {
		return err
	}
	if a.ForModel() {
		return a.PrintJSON(contextText{found.Text, api.Arranged(found.Caveats)})
	}
	a.Tell(found.Caveats...)
	if format := a.OutputFormat(); format != output.Table {
		return a.ShowItems(format, found, output.List{}, found.Tables)
	}
	if err := a.Page(func(w io.Writer) error {
		_, err := fmt.Fprint(w, found.Text)
		return err
	}); err != nil {
		return err
	}
	if len(found.Tables) == 0 {
		a.Note("nothing was found; 'da catalog' lists every table")
	}
	return nil
}
