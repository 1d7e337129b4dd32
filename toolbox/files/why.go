package files

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace/content"
)

type whyIn struct {
	Path   string `json:"path" jsonschema:"an office, PDF or HTML file of the workspace"`
	Figure string `json:"figure,omitempty" jsonschema:"as it stands there"`
	Check  bool   `json:"check,omitempty" jsonschema:"run the statements again: which figures drifted or were typed over"`
}

type whyOut struct {
	Found   []figures.Explained `json:"found"`
	Checked *figures.Checked    `json:"checked,omitempty"`
	api.CaveatList
}

// mostExplained bounds the lists of an answer.
const mostExplained = 50

func why() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "why", Title: "Say where a figure of a file comes from", Set: tool.SetDocuments, Needs: tool.NeedsStore | tool.NeedsSpace,
		Engine: true, ReadOnly: true, Long: true,
		About: "Say which statement, data, time and caveats are behind a figure of a file that da wrote.",
	}, func(ctx context.Context, c *tool.Call, in whyIn) (*whyOut, error) {
		w, err := c.Space()
		if err != nil {
			return nil, err
		}
		if in.Figure == "" && !in.Check {
			return nil, tool.BadValue("nothing is asked", "Give a figure, or check.")
		}
		read, err := content.Figures(ctx, w, in.Path)
		if err != nil {
			return nil, err
		}
		if len(read.Receipts) == 0 {
			return nil, &api.Error{Code: api.CodeValidation, Kind: api.KindNoReceipt,
				Message: fmt.Sprintf("'%s' does not say where its figures come from", api.Clip(in.Path, 80))}
		}
		out := &whyOut{Found: []figures.Explained{}}
		if in.Figure != "" {
			out.Found = first(out, read.Explain(in.Figure))
		}
		if in.Check {
			if out.Checked, err = read.Check(ctx, again(c)); err != nil {
				return nil, err
			}
			out.Checked.Changed = first(out, out.Checked.Changed)
		}
		return out, nil
	})
}

// first are as many as an answer holds.
func first[T any](out *whyOut, all []T) []T {
	if len(all) <= mostExplained {
		return all
	}
	out.Tell(api.Caveat{Kind: api.CaveatCut, Text: fmt.Sprintf("only the first %d of %d are here", mostExplained, len(all)),
		Count: &api.Count{N: int64(len(all) - mostExplained), Of: "cells"}, Reason: "size"})
	return all[:mostExplained]
}

// again runs statements of a file as those that a model gives.
func again(c *tool.Call) figures.Run {
	return func(ctx context.Context, a *figures.Answer) ([][]any, error) {
		if err := a.Again(); err != nil {
			return nil, err
		}
		given := tool.ParamsIn{Params: map[string]json.RawMessage{}}
		for name, value := range a.Parameters {
			text, err := tool.Marshal(value)
			if err != nil {
				return nil, err
			}
			given.Params[name] = text
		}
		filled, err := given.FillSQL(a.Statement)
		if err != nil {
			return nil, err
		}
		answer, err := c.Query(ctx, filled.Text, false, false)
		if err != nil {
			return nil, err
		}
		defer answer.Close()
		rows, err := reports.ReadRows(answer.Rows(), reports.Most(".xlsx"))
		if err != nil {
			return nil, err
		}
		return rows.Values, nil
	}
}
