package toolbox

import (
	"context"

	"github.com/agnes-data/da/table"
)

type tableDescribeOut struct {
	table.Description
	ColumnsShown int  `json:"columns_shown"`
	Truncated    bool `json:"truncated" jsonschema:"columns are missing for lack of room"`
}

func tableDescribe() tool {
	return typed(tool{
		name: "table_describe", title: "Describe a local file's columns", needs: needsFiles, engine: true, readOnly: true, long: true,
		about: "Per column of a local file: type, nulls, different values (exact).",
	}, func(ctx context.Context, c *call, in boundedFileIn) (*tableDescribeOut, error) {
		src, limit, budget, err := in.parts()
		if err != nil {
			return nil, err
		}
		d, err := c.Files.Describe(ctx, table.DescribeRequest{Source: src, Timeout: limit})
		if err != nil {
			return nil, err
		}
		d.Caveats = c.worded(d.Caveats)
		part := func(k int) *tableDescribeOut {
			out := &tableDescribeOut{Description: *d, ColumnsShown: k, Truncated: k < len(d.Columns)}
			out.Columns = d.Columns[:k]
			return out
		}
		return mostOf(len(d.Columns), budget, part)
	})
}
