package serve

import (
	"context"
	"reflect"
	"slices"

	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
)

// desk is the user's own snapshots and engine, for the local page.
type desk struct{ app *app.App }

// Plan implements httpapi.Desk.
func (d desk) Plan(ctx context.Context, sql string) (any, error) {
	work, err := d.app.Analyst()
	if err != nil {
		return nil, err
	}
	return plan.Make(ctx, work, sql, false)
}

// Query implements httpapi.Desk.
func (d desk) Query(ctx context.Context, sql string, fetch bool) (*api.Stream, error) {
	work, err := d.app.Analyst()
	if err != nil {
		return nil, err
	}
	var result *query.Result
	if fetch {
		o, err := d.app.QueryOptions()
		if err != nil {
			return nil, err
		}
		result, err = plan.Query(ctx, work, sql, o)
		if err != nil {
			return nil, err
		}
	} else if result, err = query.Run(ctx, work, sql, false, plan.Brief); err != nil {
		return nil, err
	}
	near := values.Near{Work: work, Kept: !fetch}
	return DeskStream(near.Watch(ctx, result.Rows(), sql), result.Known, result.Close), nil
}

// DeskStream is a local result as a stream. What is known before its rows is known; the
// end has what the rows tell after them.
func DeskStream(rows api.Rows, known []api.Caveat, end func()) *api.Stream {
	return &api.Stream{Batches: rows, Known: known, CloseFunc: end, End: func() api.End {
		return api.End{Caveats: slices.DeleteFunc(slices.Clone(rows.Caveats()), func(c api.Caveat) bool {
			return slices.ContainsFunc(known, func(k api.Caveat) bool { return reflect.DeepEqual(k, c) })
		})}
	}}
}
