package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
)

// desk is the user's own snapshots and engine, for the local page.
type desk struct{ app *app.App }

// Snapshots implements httpapi.Desk.
func (d desk) Snapshots(context.Context) ([]api.PageSnapshot, error) {
	work, err := d.app.Analyst()
	if err != nil {
		return nil, err
	}
	metas, err := work.Store.List()
	if err != nil {
		return nil, err
	}
	list := []api.PageSnapshot{}
	for _, m := range metas {
		s := api.PageSnapshot{Name: m.Name, TableID: m.TableID, Rows: m.Rows, Columns: []string{}}
		for _, c := range m.Schema {
			s.Columns = append(s.Columns, c.Name)
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b api.PageSnapshot) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Plan implements httpapi.Desk.
func (d desk) Plan(ctx context.Context, sql string) (any, error) {
	work, err := d.app.Analyst()
	if err != nil {
		return nil, err
	}
	return work.Plan(ctx, sql, false)
}

// Query implements httpapi.Desk.
func (d desk) Query(ctx context.Context, sql string, fetch bool) (*api.Stream, error) {
	work, err := d.app.Analyst()
	if err != nil {
		return nil, err
	}
	var result *analyst.QueryResult
	if fetch {
		o, err := d.app.QueryOptions()
		if err != nil {
			return nil, err
		}
		result, err = work.QueryFetch(ctx, sql, o)
		if err != nil {
			return nil, err
		}
	} else if result, err = work.Query(ctx, sql, false); err != nil {
		return nil, err
	}
	return deskStream(result.Rows(), result.Known, result.Close), nil
}

// deskStream is a local result as a stream, whose caveats are all known before
// its rows.
func deskStream(rows array.RecordReader, known []api.Caveat, end func()) *api.Stream {
	return &api.Stream{Batches: rows, Known: known, End: func() api.End { return api.End{} }, CloseFunc: end}
}
