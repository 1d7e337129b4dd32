package catalog

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

// scanIn are the arguments of a scan of one table.
type scanIn struct {
	TableID string   `json:"table_id" jsonschema:"as it was: with a version behind an @, as in orders@2026-01-31T18:00:00Z"`
	Select  []string `json:"select,omitempty" jsonschema:"columns that you need; all if omitted"`
	Where   string   `json:"where,omitempty" jsonschema:"predicate in the table's dialect"`
	OrderBy []string `json:"order_by,omitempty" jsonschema:"as in 'delay DESC'"`
	Limit   *int64   `json:"limit,omitempty" jsonschema:"at most this many rows"`
	tool.ParamsIn
}

// filled returns the scan with its parameters filled in, and a function that maps
// positions in errors back to the original predicate.
func (s scanIn) filled(ctx context.Context, c *tool.Call) (scanIn, func(error) error, error) {
	where, err := s.FillWhere(ctx, c, s.TableID, s.Where)
	if err != nil {
		return s, nil, err
	}
	s.Where, s.Params = where.Text, nil
	return s, where.Explain, nil
}

func (s scanIn) request() api.ScanRequest {
	return api.ScanRequest{TableID: s.TableID, Select: s.Select, Where: s.Where, OrderBy: s.OrderBy, Limit: s.Limit}
}

// arguments returns the arguments of the same scan for another tool.
func (s scanIn) arguments() map[string]any {
	a := map[string]any{"table_id": s.TableID}
	if len(s.Select) > 0 {
		a["select"] = s.Select
	}
	if s.Where != "" {
		a["where"] = s.Where
	}
	if len(s.OrderBy) > 0 {
		a["order_by"] = s.OrderBy
	}
	if s.Limit != nil {
		a["limit"] = *s.Limit
	}
	return a
}
