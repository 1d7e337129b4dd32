package toolbox

import (
	"context"
	"encoding/json"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement/params"
)

// paramsIn are the values of $name in a statement or predicate.
type paramsIn struct {
	Params map[string]json.RawMessage `json:"params,omitempty" jsonschema:"values of $name in the text"`
}

func (p paramsIn) filler() (*params.Filler, error) {
	values := params.Values{}
	if len(p.Params) > 0 {
		text, err := marshal(p.Params)
		if err != nil {
			return nil, err
		}
		if err := values.Read(text); err != nil {
			return nil, err
		}
	}
	return params.NewFiller(values), nil
}

// local fills in a statement for the local engine.
func (p paramsIn) local(sql string) (*params.Filled, error) {
	values, err := p.filler()
	if err != nil {
		return nil, err
	}
	filled, err := values.Fill(sql, "duckdb")
	if err != nil {
		return nil, err
	}
	return filled, values.Done()
}

// where fills in a predicate on a table.
func (p paramsIn) where(ctx context.Context, c *call, tableID, text string) (*params.Filled, error) {
	values, err := p.filler()
	if err != nil {
		return nil, err
	}
	return analyst.FillWhere(ctx, func() (api.Catalog, error) { return c.Data() }, values, tableID, text)
}
