package toolbox

import "github.com/agnes-data/da/api"

// scanIn are the arguments of a scan of one table.
type scanIn struct {
	TableID string   `json:"table_id"`
	Select  []string `json:"select,omitempty" jsonschema:"columns that you need; all if omitted"`
	Where   string   `json:"where,omitempty" jsonschema:"predicate in the table's dialect, without the word WHERE"`
	OrderBy []string `json:"order_by,omitempty" jsonschema:"as in 'delay DESC'"`
	Limit   *int64   `json:"limit,omitempty" jsonschema:"at most this many rows"`
}

func (s scanIn) request() api.ScanRequest {
	return api.ScanRequest{TableID: s.TableID, Select: s.Select, Where: s.Where, OrderBy: s.OrderBy, Limit: s.Limit}
}

// arguments are those of the same scan for another tool.
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
