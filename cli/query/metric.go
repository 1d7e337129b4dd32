package query

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/metric"
)

// NewMetricCmd returns 'da metric'.
func NewMetricCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "metric <command>",
		Short: "List metrics that are defined by name, and ask for them",
		Long: `Metrics are figures that are defined once, by name: on_time_rate, revenue. The
instance file names where: see 'da model import'. Only metrics whose columns you
may read are offered.`,
		Args: cobra.ArbitraryArgs,
		RunE: usage.Group,
	}
	cmd.AddCommand(newMetricListCmd(a), newMetricShowCmd(a), newMetricQueryCmd(a))
	return cmd
}

// listedMetrics is what da metric list prints with --json.
type listedMetrics struct {
	Metrics []listedMetric `json:"metrics"`
	Unclear []string       `json:"unclear,omitempty" jsonschema:"what else of the model's files is not understood, and left out"`
}

type listedMetric struct {
	Name        string         `json:"name"`
	Kind        api.MetricKind `json:"kind"`
	Label       string         `json:"label,omitempty"`
	Description string         `json:"description,omitempty"`
	Unclear     string         `json:"unclear,omitempty" jsonschema:"what of it is not understood; it cannot be asked for"`
}

func listed(m api.Metric) listedMetric {
	return listedMetric{Name: m.Name, Kind: m.Kind, Label: m.Label, Description: m.Description, Unclear: m.Unclear}
}

func newMetricListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the metrics",
		Example: "  da metric list\n  da metric list --json",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := modelOf(cmd.Context(), a)
			if err != nil {
				return err
			}
			out := listedMetrics{Metrics: []listedMetric{}, Unclear: m.Unclear}
			list := output.List{Columns: []string{"name", "kind", "description"}}
			for _, v := range m.Metrics {
				if v.Inner {
					continue
				}
				row := listed(v)
				out.Metrics = append(out.Metrics, row)
				about := row.Description
				if about == "" {
					about = row.Label
				}
				list.Rows = append(list.Rows, []any{row.Name, string(row.Kind), about})
			}
			if err := a.ShowItems(a.OutputFormat(), out, list, out.Metrics); err != nil {
				return err
			}
			for _, v := range out.Metrics {
				if v.Unclear != "" {
					a.Note(v.Unclear)
				}
			}
			for _, text := range m.Unclear {
				a.Note(text)
			}
			if len(out.Metrics) == 0 {
				a.Note("there are no metrics; 'model' of the instance file names the file that defines them")
			}
			return nil
		},
	}
}

// shownMetric is what da metric show prints with --json.
type shownMetric struct {
	listedMetric
	Inputs     []string         `json:"inputs,omitempty" jsonschema:"the metrics that it is made of"`
	Filters    []string         `json:"filters,omitempty"`
	Table      string           `json:"table,omitempty" jsonschema:"id of the table that it aggregates"`
	Dimensions []metric.Offered `json:"dimensions"`
	Lacking    []string         `json:"lacking,omitempty" jsonschema:"which dimensions are left out, as their table has no such column"`
}

func newMetricShowCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:               "show <metric>",
		Short:             "Show what a metric is, and by what it can be asked",
		Example:           "  da metric show on_time_rate",
		Args:              usage.Exactly("metric"),
		ValidArgsFunction: completeMetric(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			remote, err := a.Connect()
			if err != nil {
				return err
			}
			m, err := remote.SemanticModel(cmd.Context())
			if err != nil {
				return err
			}
			out := shownMetric{}
			if out.Dimensions, out.Lacking, err = metric.Dimensions(cmd.Context(), m, args[0], remote); err != nil {
				return err
			}
			v := m.Metrics[slices.IndexFunc(m.Metrics, func(v api.Metric) bool { return v.Name == args[0] })]
			out.listedMetric, out.Filters = listed(v), v.Filters
			for _, in := range v.Inputs {
				out.Inputs = append(out.Inputs, in.Metric)
			}
			for _, t := range m.Tables {
				if t.Name == v.Table {
					out.Table = t.TableID
				}
			}
			list := output.List{Columns: []string{"dimension", "grains", "description"}}
			for _, d := range out.Dimensions {
				list.Rows = append(list.Rows, []any{d.Name, strings.Join(d.Grains, ", "), d.Description})
			}
			if err := a.ShowItems(a.OutputFormat(), out, list, out.Dimensions); err != nil {
				return err
			}
			for _, text := range []string{v.Description, strings.Join(v.Filters, " AND ")} {
				if text != "" {
					a.Note(v.Name + ": " + text)
				}
			}
			for _, text := range out.Lacking {
				a.Note(text)
			}
			return nil
		},
	}
}

// metricOptions are the flags of da metric query.
type metricOptions struct {
	Options
	request       metric.Request
	estimate, sql bool
}

func newMetricQueryCmd(a *app.App) *cobra.Command {
	o := metricOptions{}
	cmd := &cobra.Command{
		Use:   "query <metric>",
		Short: "Ask for metrics by dimensions",
		Long: `Query answers with a row for each value of the dimensions; several metrics have
commas between them. A dimension is named as 'da metric show' does, or by the
last part of that name if only one has it; a time has a grain, as in
metric_time__month, and a grain alone is the time of the metric: --by month.

A condition compares dimensions, as in: state = 'CA' AND month >= '2001-03-01'.

The metric becomes one SELECT, which --sql shows. It runs as with 'da query
--fetch': what it needs is fetched first, unless it is here; or with --remote at
the source. --estimate shows beforehand what that would read.`,
		Example: `  da metric query on_time_rate --by origin
  da metric query flights,on_time_rate --by haul,month --where "month >= '2001-03-01'"
  da metric query on_time_rate --by origin --order-by "on_time_rate DESC" --limit 10
  da metric query on_time_rate --by month --estimate
  da metric query on_time_rate --by month --sql`,
		Args:              usage.Exactly("metric"),
		ValidArgsFunction: completeMetric(a),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.request.Metrics = strings.Split(args[0], ",")
			if o.request.Order, err = usage.Items("order-by", o.request.Order); err != nil {
				return err
			}
			o.LimitGiven, o.Started, o.recorded = cmd.Flags().Changed("limit"), time.Now(), &[]api.Caveat{}
			return runMetric(cmd.Context(), a, o)
		},
	}
	o.register(cmd.Flags())
	return cmd
}

func (o *metricOptions) register(f *pflag.FlagSet) {
	f.StringSliceVar(&o.request.By, "by", nil, "`dimensions` to divide it by, with commas between")
	f.StringArrayVar(&o.request.Where, "where", nil, "only what fulfils this `condition` on dimensions; can be given again")
	f.StringArrayVar(&o.request.Order, "order-by", nil, "order of the rows: `names` of metrics or dimensions with ASC or DESC, separated by commas")
	f.BoolVar(&o.estimate, "estimate", false, "show what it would read, and stop")
	f.BoolVar(&o.sql, "sql", false, "show the statement that it becomes, and stop")
	f.BoolVar(&o.remote, "remote", false, "run the statement at the source")
	f.BoolVar(&o.fresh, "fresh", false, "read it at the source even if it is here")
	o.registerResult(f)
}

func runMetric(ctx context.Context, a *app.App, o metricOptions) error {
	if o.estimate && (o.remote || o.sql) {
		return usage.Error("--estimate is of a statement that fetches, and goes with neither --remote nor --sql")
	}
	m, err := modelOf(ctx, a)
	if err != nil {
		return err
	}
	compiled, err := metric.Compile(m, o.request)
	if err != nil {
		return err
	}
	switch {
	case o.sql && a.JSONAsked():
		return a.PrintJSON(compiled)
	case o.sql:
		return a.Page(func(w io.Writer) error {
			_, err := fmt.Fprintln(w, compiled.SQL)
			return err
		})
	case o.estimate:
		return exit.About(compiled.SQL, runPlan(ctx, a, compiled.SQL, o.fresh))
	}
	o.fetch = !o.remote
	return Run(ctx, a, o.Options, compiled.SQL)
}

// modelOf returns the semantic model that the caller is offered.
func modelOf(ctx context.Context, a *app.App) (*api.SemanticModel, error) {
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	return remote.SemanticModel(ctx)
}

// completeMetric suggests names of metrics.
func completeMetric(a *app.App) func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(a.Ctx, a.CompletionWait)
		defer cancel()
		m, err := modelOf(ctx, a)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var words []cobra.Completion
		for _, v := range m.Metrics {
			if !v.Inner && v.Unclear == "" {
				words = append(words, v.Name)
			}
		}
		return usage.Starting(word, words), cobra.ShellCompDirectiveNoFileComp
	}
}
