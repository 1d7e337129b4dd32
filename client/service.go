package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// Tables implements api.Catalog.
func (c *Client) Tables(ctx context.Context) (*api.TableList, error) {
	list := &api.TableList{}
	at, err := c.EachTable(ctx, func() error {
		list.Tables = []api.Table{}
		return nil
	}, func(t *api.Table) error {
		list.Tables = append(list.Tables, *t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	list.ServerTime = at
	return list, nil
}

// EachTable is Tables without the list: each gets one table after the other. begin
// is called before the first, and again if the request is repeated. Their errors
// end it.
func (c *Client) EachTable(ctx context.Context, begin func() error, each func(*api.Table) error) (at time.Time, err error) {
	r := request{method: http.MethodGet, path: []string{"api", "v2", "catalog"}, again: true}
	err = c.getBy(ctx, r, func(dec *json.Decoder) error {
		if err := begin(); err != nil {
			return own{err}
		}
		var listed bool
		var err error
		at, listed, err = api.ReadTables(dec, func(t *api.Table) error {
			if api.CheckName("table id", t.ID) != nil { // ids become names of files and views
				return own{c.notAgnes("its answer is not the catalog")}
			}
			if err := each(t); err != nil {
				return own{err}
			}
			return nil
		})
		if err == nil && !listed {
			err = own{c.notAgnes("its answer is not the catalog")}
		}
		return err
	})
	return at, err
}

// Schema implements api.Catalog.
func (c *Client) Schema(ctx context.Context, tableID string) (*api.TableSchema, error) {
	if err := api.CheckTable(tableID); err != nil {
		return nil, err
	}
	var schema api.TableSchema
	err := c.get(ctx, request{method: http.MethodGet, path: []string{"api", "v2", "schema", tableID}, again: true}, &schema)
	if err != nil {
		return nil, err
	}
	if err := c.ours(isSchema(&schema, tableID), "schema of the table"); err != nil {
		return nil, err
	}
	return &schema, nil
}

// Sample implements api.Catalog.
func (c *Client) Sample(ctx context.Context, tableID string, n int) (*api.Sample, error) {
	if err := api.CheckTable(tableID); err != nil {
		return nil, err
	}
	var sample api.Sample
	err := c.get(ctx, request{
		method: http.MethodGet, path: []string{"api", "v2", "sample", tableID},
		query: url.Values{"n": {strconv.Itoa(n)}}, again: true,
	}, &sample)
	if err != nil {
		return nil, err
	}
	if err := c.ours(sample.TableID == tableID && len(sample.Rows) <= api.MaxSampleRows, "sample of the table"); err != nil {
		return nil, err
	}
	cleanCaveats(sample.Caveats)
	return &sample, nil
}

// Estimate implements api.Scanner.
func (c *Client) Estimate(ctx context.Context, req api.ScanRequest) (*api.Estimate, error) {
	if err := api.CheckTable(req.TableID); err != nil {
		return nil, err
	}
	var est api.Estimate
	err := c.get(ctx, request{
		method: http.MethodPost, path: []string{"api", "v2", "scan", "estimate"}, body: req, again: true,
	}, &est)
	if err != nil {
		return nil, err
	}
	if err := c.ours(isEstimate(&est, req.TableID), "estimate for the table"); err != nil {
		return nil, err
	}
	return &est, nil
}

// Scan implements api.Scanner.
func (c *Client) Scan(ctx context.Context, req api.ScanRequest) (*api.Stream, error) {
	if err := api.CheckTable(req.TableID); err != nil {
		return nil, err
	}
	s, err := c.stream(ctx, request{method: http.MethodPost, path: []string{"api", "v2", "scan"}, body: req})
	if err != nil {
		return nil, err
	}
	if err := wantColumns(s, req.Select); err != nil {
		s.Close()
		return nil, err
	}
	return atMost(s, req.Limit), nil
}

// Query implements api.Querier.
func (c *Client) Query(ctx context.Context, req api.QueryRequest) (*api.Stream, error) {
	s, err := c.stream(ctx, request{method: http.MethodPost, path: []string{"api", "query"}, body: req})
	if err != nil {
		return nil, err
	}
	return atMost(s, req.Limit), nil
}

// RefreshCaches implements api.CacheAdmin.
func (c *Client) RefreshCaches(ctx context.Context) error {
	return c.get(ctx, request{
		method: http.MethodPost, path: []string{"api", "admin", "catalog", "invalidate"}, again: true,
	}, nil)
}

// stream sends r, whose answer is a result stream.
func (c *Client) stream(ctx context.Context, r request) (s *api.Stream, err error) {
	r.accept, r.long = c.accept(), true
	err = c.send(ctx, r, func(a *answer) *failure {
		var failed *api.Error
		if s, failed = c.decode(a); failed != nil {
			_ = a.body.Close() // another error is returned already
			return &failure{err: failed}
		}
		return nil
	})
	return s, err
}

// announced reads the headers that describe a result.
func (c *Client) announced(h http.Header) (*api.Stream, *api.Error) {
	asOf, err := time.Parse(time.RFC3339Nano, h.Get(wire.HeaderEffectiveAsOf))
	if err != nil {
		return nil, c.notAgnes("its result does not say when it was made")
	}
	return &api.Stream{
		RequestID: clean(h.Get(wire.HeaderRequestID), maxRequestID), EffectiveAsOf: asOf.UTC(),
		Ordered: h.Get(wire.HeaderOrdered) == "true", RowRule: h.Get(wire.HeaderRowRule) == "true",
	}, nil
}

// accept is the Accept header for results. On the same machine, compression takes
// longer than reading the bytes uncompressed.
func (c *Client) accept() string {
	if isLoopback(c.base.Hostname()) {
		return wire.ContentType
	}
	return wire.AcceptResult
}

func (c *Client) decode(a *answer) (*api.Stream, *api.Error) {
	if !isMediaType(a.header, wire.ContentType) {
		return nil, c.notAgnes("it sent no result")
	}
	known, failed := c.announced(a.header)
	if failed != nil {
		return nil, failed
	}
	s, err := wire.Decode(a.body)
	if err != nil {
		return nil, identify(err, known.RequestID)
	}
	s.RequestID, s.EffectiveAsOf, s.Ordered, s.RowRule = known.RequestID, known.EffectiveAsOf, known.Ordered, known.RowRule
	s.Batches = identified{s.Batches, s.RequestID}
	free := s.CloseFunc
	s.CloseFunc = func() {
		free()
		_ = a.body.Close() // nothing to report it to
	}
	return s, nil
}
