package catalog

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type fetchEstimateOut struct {
	api.Estimate
	Remaining api.Remaining `json:"remaining" jsonschema:"bytes that you may still use; null: nothing bounds them"`
}

func fetchEstimate() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "fetch_estimate", Title: "Estimate a fetch", ReadOnly: true, Open: true,
		About: "What a fetch would read, return and cost. Figures that nobody knows are null. Do it before any fetch that may be large.",
	}, func(ctx context.Context, c *tool.Call, in scanIn) (*fetchEstimateOut, error) {
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		in, explain, err := in.filled(ctx, c)
		if err != nil {
			return nil, err
		}
		est, err := data.Estimate(ctx, in.request())
		if err != nil {
			return nil, explain(err)
		}
		left, err := data.Quota(ctx)
		if err != nil {
			return nil, err
		}
		if est.ResultTruncated == nil || !*est.ResultTruncated {
			c.Suggest("if that is reasonable", "fetch", in.arguments())
		}
		return &fetchEstimateOut{*est.Shown(), left.Remaining}, nil
	})
}
