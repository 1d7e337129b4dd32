package query

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/results"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
)

// NewResultCmd returns 'da result'.
func NewResultCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "result <command>",
		Short: "List and drop the results that queries have kept",
		Long: fmt.Sprintf(`A query whose result is larger than --max-tokens keeps all of it under a name
such as @r1. Later queries read it as a table: FROM @r1. In any other place of a
statement @ is the operator for absolute values; "@r1" in quotes is always the
result.

At most %d results and %s are kept; the oldest go, and that is said.`, results.MaxResults, humanize.Bytes(results.MaxBytes)),
		Example: `  da query "SELECT * FROM late" --max-tokens 500
  da query "SELECT count(*) FROM @r1"
  da result drop @r1`,
		Args: cobra.ArbitraryArgs,
		RunE: usage.Group,
	}
	cmd.AddCommand(newResultListCmd(a), newResultDropCmd(a))
	return cmd
}

// resultList is what da result list --json prints.
type resultList struct {
	Results    []results.Meta `json:"results"` // oldest first
	TotalBytes int64          `json:"total_bytes"`
}

func newResultListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the kept results, oldest first",
		Example: "  da result list\n  da result list --json",
		Args:    usage.Exactly(),
		RunE:    func(*cobra.Command, []string) error { return runResultList(a) },
	}
}

func runResultList(a *app.App) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	all := resultList{Results: work.Results().List()}
	list := output.List{Columns: []string{"name", "rows", "size", "age", "sql"}}
	for _, m := range all.Results {
		all.TotalBytes += m.Bytes
		list.Rows = append(list.Rows, []any{m.Name, output.Figure(humanize.Grouped(m.Rows)), output.Figure(humanize.Bytes(m.Bytes)),
			humanize.Age(a.Now().Sub(m.CreatedAt)), m.SQL})
	}
	if err := a.ShowItems(format, all, list, all.Results); err != nil {
		return err
	}
	if format == output.Table && len(all.Results) == 0 {
		a.Note("no results; a query with --max-tokens keeps what it cannot show")
	}
	return nil
}

// resultsDropped is what da result drop --json prints.
type resultsDropped struct {
	Dropped []string `json:"dropped"`
}

func newResultDropCmd(a *app.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "drop <@name>...",
		Aliases: []string{"rm"},
		Short:   "Remove kept results",
		Example: "  da result drop @r1\n  da result drop --all",
		Args: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 0) != all {
				return usage.Error(fmt.Sprintf("'%s' takes at least one <@name>, or --all", cmd.CommandPath()))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []string
			if work, err := a.Analyst(); err == nil {
				for _, m := range work.Results().List() {
					names = append(names, m.Name)
				}
			}
			return usage.Starting(word, names), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error { return runResultDrop(a, args, all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "remove all of them")
	return cmd
}

func runResultDrop(a *app.App, names []string, all bool) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	if all {
		for _, m := range work.Results().List() {
			names = append(names, m.Name)
		}
	}
	if err := work.Results().Drop(names); err != nil {
		return err
	}
	list := output.List{Columns: []string{"dropped"}}
	for _, name := range names {
		list.Rows = append(list.Rows, []any{name})
	}
	if names == nil {
		names = []string{}
	}
	return a.Show(format, resultsDropped{names}, list)
}
