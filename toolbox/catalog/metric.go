package catalog

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/metric"
	"github.com/agnes-data/da/toolbox/tool"
)

type metricIn struct {
	Metrics []string `json:"metrics,omitempty" jsonschema:"omit to list them"`
	By      []string `json:"by,omitempty" jsonschema:"dimensions, or month"`
	Where   []string `json:"where,omitempty"`
	OrderBy []string `json:"order_by,omitempty" jsonschema:"metrics or dimensions, as in 'flights DESC'"`
}

// metricOut lists metrics, or answers.
type metricOut struct {
	*queryOut
	Metrics    []namedMetric    `json:"metrics,omitempty"`
	Dimensions []metric.Offered `json:"dimensions,omitempty"`
	Lacking    []string         `json:"lacking,omitempty"`
}

// mostLacking is how many metrics that cannot be asked for are named in a list.
const mostLacking = 5

type namedMetric struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// AllFailed reports whether the question was not answered.
func (o *metricOut) AllFailed() bool { return o.queryOut != nil && o.queryOut.AllFailed() }

func metrics() tool.Tool {
	t := tool.Typed(tool.Tool{
		Name: "metric", Title: "Metrics", Engine: true, ReadOnly: true, Open: true, Long: true,
		About: "Figures defined by name, better than own SQL. Without by: also their dimensions.",
	}, func(ctx context.Context, c *tool.Call, in metricIn) (*metricOut, error) {
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		m, err := data.SemanticModel(ctx)
		if err != nil {
			return nil, err
		}
		out := &metricOut{}
		if len(in.Metrics) == 0 {
			for _, v := range m.Metrics {
				switch {
				case v.Inner:
				case v.Unclear == "":
					out.Metrics = append(out.Metrics, namedMetric{v.Name, api.Clip(v.Description, tool.MaxDescription)})
				case len(out.Lacking) < mostLacking:
					out.Lacking = append(out.Lacking, v.Unclear)
				}
			}
			return out, tool.KeepFitting(out.Metrics, 0, out, func(some []namedMetric) { out.Metrics = some })
		}
		compiled, err := metric.Compile(m, metric.Request{Metrics: in.Metrics, By: in.By, Where: in.Where, Order: in.OrderBy})
		if err != nil {
			return nil, err
		}
		if len(in.By) == 0 {
			if out.Dimensions, out.Lacking, err = metric.Dimensions(ctx, m, in.Metrics[0], data); err != nil {
				return nil, err
			}
		}
		out.queryOut, err = compiledAnswer(ctx, c, data, compiled.SQL)
		return out, err
	})
	t.Out.Required = nil // an answer has the fields of a list or of a result
	return t
}

// compiledAnswer runs a statement of ours: over what is here and fetched, or at the
// source if nothing may be kept here.
func compiledAnswer(ctx context.Context, c *tool.Call, data api.Data, sql string) (*queryOut, error) {
	fetches := c.Work != nil && !c.ReadOnly
	s, err := scriptOf(tool.ParamsIn{}, sql, 0, !fetches, func(string) (string, error) { return "duckdb", nil })
	if err != nil {
		return nil, err
	}
	if !fetches {
		ask := func(ctx context.Context, sql string) (*asked, error) { return askSource(ctx, c, data, sql, false) }
		return answers(ctx, c, s, asker{ask: ask}, 0)
	}
	ask, done, err := here(ctx, c, s, true)
	if err != nil {
		return nil, err
	}
	defer done()
	return answers(ctx, c, s, ask, 0)
}
