package tool

import (
	"context"
	"encoding/json"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement/params"
)

// ParamsIn are the values of $name in a statement or predicate.
type ParamsIn struct {
	Params map[string]json.RawMessage `json:"params,omitempty" jsonschema:"values of $name in the text"`
}

func (p ParamsIn) Filler() (*params.Filler, error) {
	values := params.Values{}
	if len(p.Params) > 0 {
		text, err := Marshal(p.Params)
		if err != nil {
			return nil, err
		}
		if err := values.Read(text); err != nil {
			return nil, err
		}
	}
	return params.NewFiller(values), nil
}

// FillSQL fills in a statement for the local engine.
func (p ParamsIn) FillSQL(sql string) (*params.Filled, error) {
	values, err := p.Filler()
	if err != nil {
		return nil, err
	}
	filled, err := values.Fill(sql, "duckdb")
	if err != nil {
		return nil, err
	}
	return filled, values.Done()
}

// FillWhere fills in a predicate on a table.
func (p ParamsIn) FillWhere(ctx context.Context, c *Call, tableID, text string) (*params.Filled, error) {
	values, err := p.Filler()
	if err != nil {
		return nil, err
	}
	return fetch.FillWhere(ctx, func() (api.Catalog, error) { return c.Data() }, values, tableID, text)
}
