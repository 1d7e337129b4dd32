package local

import (
	"context"

	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/tool"
)

type tableDescribeOut struct {
	table.Description
	ColumnsShown int  `json:"columns_shown"`
	Truncated    bool `json:"truncated" jsonschema:"columns are missing for lack of room"`
}

func tableDescribe() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "table_describe", Title: "Describe a local file's columns", Needs: tool.NeedsFiles, Engine: true, ReadOnly: true, Long: true,
		About: "Per column of a local file: type, nulls, different values (exact).",
	}, func(ctx context.Context, c *tool.Call, in boundedFileIn) (*tableDescribeOut, error) {
		src, limit, budget, err := in.parts()
		if err != nil {
			return nil, err
		}
		d, err := c.Files.Describe(ctx, table.DescribeRequest{Source: src, Timeout: limit})
		if err != nil {
			return nil, err
		}
		d.Caveats = c.Worded(d.Caveats)
		part := func(k int) *tableDescribeOut {
			out := &tableDescribeOut{Description: *d, ColumnsShown: k, Truncated: k < len(d.Columns)}
			out.Columns = d.Columns[:k]
			return out
		}
		return tool.MostOf(len(d.Columns), budget, part)
	})
}
