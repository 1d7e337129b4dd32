package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// pageQuery and pageScan answer with the first rows of a result as JSON. The same
// rights and limits apply as to streams.
func (c *call) pageQuery() error {
	var req api.QueryRequest
	if err := c.body(&req); err != nil {
		return err
	}
	return c.firstRows(api.PageFile{SQL: req.SQL}, req.Limit, func(ctx context.Context, limit *int64) (*api.Stream, error) {
		req.Limit = limit
		return c.data.Query(ctx, req)
	})
}

// pagePrice returns what a statement would read.
func (c *call) pagePrice() error {
	var req api.QueryRequest
	if err := c.body(&req); err != nil {
		return err
	}
	return c.typed(answer(c, func(ctx context.Context) (*api.QueryPrice, error) { return c.data.PriceQuery(ctx, req) }))
}

// typed answers what is wrong with a statement that is still being typed as data:
// browsers log each answer that is an error.
func (c *call) typed(err error) error {
	var e *api.Error
	if c.r.URL.Query().Get("typing") != "true" || !errors.As(err, &e) ||
		!slices.Contains([]int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound}, e.Code.HTTPStatus()) {
		return err
	}
	return c.w.json(http.StatusOK, map[string]any{"mistake": e.Message, "hint": e.Hint, "details": e.Details})
}

func (c *call) pageScan() error {
	var req api.ScanRequest
	if err := c.body(&req); err != nil {
		return err
	}
	return c.firstRows(api.PageFile{Scan: &req}, req.Limit, func(ctx context.Context, limit *int64) (*api.Stream, error) {
		req.Limit = limit
		return c.data.Scan(ctx, req)
	})
}

// Profiler says what the columns of a table hold by statements of a caller, as a value to
// encode as JSON.
type Profiler func(ctx context.Context, data api.Data, tableID string) (any, error)

// Watcher returns the rows of a statement or a scan of a caller, with what else is to be
// told of them.
type Watcher func(ctx context.Context, data api.Data, of api.PageFile, rows api.Rows) api.Rows

func (c *call) pageProfile() error {
	var req api.ProfileTable
	if err := c.body(&req); err != nil {
		return err
	}
	if c.router.profile == nil {
		return errNoRoute
	}
	return answer(c, func(ctx context.Context) (any, error) { return c.router.profile(ctx, c.data, req.TableID) })
}

// firstRows reads up to limit rows of a stream, at most MaxPageRows.
func (c *call) firstRows(of api.PageFile, limit *int64, start func(context.Context, *int64) (*api.Stream, error)) error {
	began := time.Now()
	asked := int64(api.MaxPageRows)
	if limit != nil && *limit < asked {
		asked = *limit
	}
	return answer(c, func(ctx context.Context) (*api.PageRows, error) {
		s, err := start(ctx, &asked)
		if most, ok := lowerLimit(err); ok {
			asked = most
			s, err = start(ctx, &asked)
		}
		if err != nil {
			return nil, err
		}
		defer s.Close()
		s.RefuseCut(true)
		read := s.Rows()
		if c.router.watch != nil {
			read = c.router.watch(ctx, c.data, of, read)
		}
		rows, err := readRows(read, true)
		if err != nil {
			return nil, err
		}
		rows.More = rows.More || s.End().Truncated || asked > 0 && int64(rows.Shown) == asked
		rows.Elapsed = time.Since(began).Milliseconds()
		return rows, nil
	})
}

// lowerLimit returns the server's row limit from an error about a limit above it.
func lowerLimit(err error) (int64, bool) {
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindLimit {
		return 0, false
	}
	most, ok := e.Details["max_limit"].(int64)
	return most, ok && most > 0
}

// readRows reads what a page can show of some rows. If whole is set it reads to
// the end, which is when a server audits the result.
func readRows(rows api.Rows, whole bool) (*api.PageRows, error) {
	out := &api.PageRows{Columns: []api.PageColumn{}}
	for _, f := range rows.Schema().Fields() {
		out.Columns = append(out.Columns, api.PageColumn{Name: f.Name, Type: arrowjson.TypeName(f), Numeric: arrowjson.Numeric(f)})
	}
	most := min(api.MaxPageRows, api.MaxPageCells/max(1, len(out.Columns)))
	text, full := []byte{'['}, false
	for (whole || !full) && rows.Next() {
		batch := rows.RecordBatch()
		columns := arrowjson.BindBatch(batch)
		for i := 0; i < int(batch.NumRows()) && !full; i++ {
			if full = out.Shown == most || len(text) > api.MaxPageBytes; full {
				break
			}
			if out.Shown > 0 {
				text = append(text, ',')
			}
			text = appendRow(text, columns, i)
			out.Shown++
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	out.Caveats = api.Arranged(rows.Caveats())
	out.Rows, out.More = append(text, ']'), full
	return out, nil
}

// appendRow adds row i as a JSON list.
func appendRow(dst []byte, columns []*arrowjson.Column, i int) []byte {
	dst = append(dst, '[')
	for j, col := range columns {
		if j > 0 {
			dst = append(dst, ',')
		}
		dst = col.AppendJSON(dst, i)
	}
	return append(dst, ']')
}
