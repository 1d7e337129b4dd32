package catalog

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/tables"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table"
)

// NewValuesCmd returns 'da values'.
func NewValuesCmd(a *app.App) *cobra.Command {
	r := values.Request{}
	var estimate bool
	cmd := &cobra.Command{
		Use:   "values <table.column>",
		Short: "Show which values a column has, and how often",
		Long: `Values lists the values of a column with the number of their rows, the commonest
first: of a snapshot, of a local file (sales.csv.region), or of a table of the
catalog. A name of a column with a point in it is an argument of its own.

--like finds the values that contain a text, case and accents aside.

What is here costs nothing. At a source the column is read once, by the
statement that 'da query --remote' would run, under your rights; of a source
that runs no statements it is fetched. --estimate shows what that would read.`,
		Example: `  da values flights.origin
  da values flights.origin --like se --limit 10
  da values flights.origin --estimate
  da values sales.csv region`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 2 {
				r.Table, r.Column = args[0], args[1]
				return nil
			}
			ok := len(args) == 1
			if ok {
				r.Table, r.Column, ok = values.Split(args[0])
			}
			if !ok {
				return usage.Error("'da values' takes a <table.column>, as in 'da values flights.origin'; " +
					"'da describe TABLE' shows its columns")
			}
			return nil
		},
		ValidArgsFunction: complete.TableColumn(a),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !cmd.Flags().Changed("limit"):
				r.Limit = 0 // what the default leaves out is told
			case r.Limit < 1:
				return usage.Error("--limit is at least 1")
			}
			return runValues(cmd.Context(), a, r, estimate)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.Like, "like", "", "only values that contain this `text`")
	f.IntVar(&r.Limit, "limit", values.DefaultLimit, "at most this many `values`")
	f.BoolVar(&estimate, "estimate", false, "show what it would read, and stop")
	return cmd
}

func runValues(ctx context.Context, a *app.App, r values.Request, estimate bool) error {
	if r.IsFile() {
		if estimate {
			return usage.Error("--estimate is of what a source reads, and a local file costs nothing")
		}
		found, err := valuesOfFile(ctx, a, r)
		if err != nil {
			return err
		}
		return showValues(a, a.OutputFormat(), found)
	}
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	if estimate {
		est, err := values.Price(ctx, work, r)
		if err != nil {
			return err
		}
		return a.Show(format, est.Shown(), app.EstimateList(est))
	}
	options, err := a.QueryOptions()
	if err != nil {
		return err
	}
	progress := a.Progress("reading")
	defer progress.Stop()
	options.OnProgress = progress.Set
	found, err := values.Of(ctx, work, r, options)
	if err != nil {
		return err
	}
	progress.Stop()
	return showValues(a, format, found)
}

func valuesOfFile(ctx context.Context, a *app.App, r values.Request) (*values.Found, error) {
	ts, src, err := tables.OpenTable(a, &tables.TableOptions{}, r.Table)
	if err != nil {
		return nil, err
	}
	defer ts.Close()
	return values.In(ctx, r, "data", func(ctx context.Context, sql string) (api.Rows, func(), error) {
		rows, err := ts.Select(ctx, table.QueryRequest{Source: src, Query: sql}, false)
		if err != nil {
			return nil, nil, err
		}
		return rows.Rows(), rows.Close, nil
	})
}

func showValues(a *app.App, format output.Format, f *values.Found) error {
	list := output.List{Columns: []string{"value", "rows"}}
	for _, v := range f.Values {
		var value any
		if string(v.Value) != "null" {
			value = v.Text()
		}
		list.Rows = append(list.Rows, []any{value, output.Figure(humanize.Grouped(v.N))})
	}
	if format != output.JSON {
		a.Tell(f.Caveats...)
	}
	if err := a.ShowItems(format, f, list, f.Values); err != nil {
		return err
	}
	switch {
	case f.More && len(f.Caveats) == 0:
		a.Note("there are more values; --limit and --like choose others")
	case len(f.Values) == 0 && f.Like != "":
		a.Note("no value contains " + strings.TrimSpace(api.Clip(f.Like, 60)))
	case len(f.Values) == 0:
		a.Note("the column has no rows")
	}
	return nil
}
