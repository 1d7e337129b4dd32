package local

import (
	"context"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/toolbox/tool"
)

// listedDataset is a data set in a list: a snapshot, or a file with rows.
type listedDataset struct {
	Name    string `json:"name"`
	Kind    string `json:"kind" jsonschema:"snapshot or file"`
	Bytes   int64  `json:"bytes"`
	Rows    *int64 `json:"row_count,omitempty" jsonschema:"of a snapshot; get_dataset_info counts those of a file"`
	Columns *int   `json:"column_count,omitempty"`
}

type listDatasetsIn struct {
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

type listDatasetsOut struct {
	Datasets  []listedDataset `json:"datasets"`
	Total     int             `json:"datasets_total"`
	Truncated bool            `json:"truncated" jsonschema:"not all are in datasets"`
}

func listDatasets() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "list_datasets", Title: "List data sets", Set: tool.SetFine, Needs: tool.NeedsFiles | tool.NeedsSpace, ReadOnly: true,
		About: "The data sets by name: snapshots, and the files of the workspace that hold rows.",
	}, func(ctx context.Context, c *tool.Call, in listDatasetsIn) (*listDatasetsOut, error) {
		out := &listDatasetsOut{Datasets: []listedDataset{}}
		if c.Work != nil {
			held, err := keep.List(c.Work)
			if err != nil {
				return nil, err
			}
			for _, m := range held.Whole {
				columns := len(m.Schema)
				out.Datasets = append(out.Datasets, listedDataset{Name: m.Name, Kind: "snapshot", Bytes: m.BytesLocal, Rows: &m.Rows,
					Columns: &columns})
			}
		}
		w, err := c.Space()
		if err != nil {
			return nil, err
		}
		files, err := w.List(ctx, "")
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if format.Of(f.Name).Name != "" {
				out.Datasets = append(out.Datasets, listedDataset{Name: f.Name, Kind: "file", Bytes: f.Size})
			}
		}
		out.Total = len(out.Datasets)
		err = tool.KeepFitting(out.Datasets, in.MaxTokens, out, func(some []listedDataset) { out.Datasets = some })
		out.Truncated = len(out.Datasets) < out.Total
		return out, err
	})
}

// datasetIn names a data set.
type datasetIn struct {
	Name      string `json:"name" jsonschema:"a snapshot, or a file of the workspace"`
	Sheet     string `json:"sheet,omitempty" jsonschema:"of a workbook; default the first that is shown"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

type getDatasetInfoOut struct {
	Name         string        `json:"name"`
	Kind         string        `json:"kind" jsonschema:"snapshot or file"`
	Rows         int64         `json:"row_count"`
	ColumnCount  int           `json:"column_count"`
	Columns      []typedColumn `json:"columns"`
	ColumnsShown int           `json:"columns_shown"`
	Truncated    bool          `json:"truncated" jsonschema:"columns are missing for lack of room"`
	Caveats      []api.Caveat  `json:"caveats"`
}

func getDatasetInfo() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "get_dataset_info", Title: "Describe a data set", Set: tool.SetFine, Needs: tool.NeedsFiles, Engine: true, ReadOnly: true,
		Long:  true,
		About: "The columns of a data set with their types, and how many rows it has. Call it before you load or query one.",
	}, func(ctx context.Context, c *tool.Call, in datasetIn) (*getDatasetInfoOut, error) {
		budget, err := tool.BudgetOf(in.MaxTokens)
		if err != nil {
			return nil, err
		}
		d, err := openDataset(ctx, c, in.Name, in.Sheet)
		if err != nil {
			return nil, err
		}
		defer d.close()
		return tool.MostOf(len(d.columns), budget-tool.EnvelopeBytes, func(k int) *getDatasetInfoOut {
			return &getDatasetInfoOut{Name: in.Name, Kind: d.kind, Rows: d.rows, ColumnCount: len(d.columns), Columns: d.columns[:k],
				ColumnsShown: k, Truncated: k < len(d.columns), Caveats: d.caveats}
		})
	})
}
