package plan

import (
	"context"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/needs"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
)

const (
	// minSaved is how many bytes the fetches must transfer for a statement to run
	// at the source instead. Smaller fetches are better kept here for the next
	// statement.
	minSaved = 64 << 20
	// maxAnswer is how many rows such a statement can return.
	maxAnswer = 10_000
)

// consider decides to run the whole statement at the source if that is cheaper.
// This requires that none of its tables is here, that all of them are in one
// remote source, that the source's engine understands the statement in the same
// way, and that the result is small compared with what the statement reads.
func (p *Plan) consider(ctx context.Context, remote analyst.Remote, conn *duckdb.Conn, sql string) error {
	if strings.HasPrefix(remote.Name, analyst.EmbeddedPrefix) {
		return nil // nothing travels
	}
	saved := int64(0)
	for _, t := range p.Tables {
		same := t.source != "" && t.source == p.Tables[0].source && t.table.Dialect == predicate.DuckDB && t.table.Engine == ""
		if t.From != FromFetch || !same {
			return nil
		}
		if n := t.Estimate.ResultBytes; n != nil { // otherwise unknown: counted as 0
			saved += *n
		}
	}
	if saved < minSaved {
		return nil
	}
	rows, ok, err := needs.MostRows(ctx, conn, sql)
	if err != nil || !ok || rows > maxAnswer {
		return err
	}
	p.AtSource = &AtSource{RowsHigh: rows, SavedBytes: saved}
	for i := range p.Tables {
		p.Tables[i].From, p.Tables[i].Keys = FromSource, nil
	}
	return nil
}

// fetchAll changes the plan back to fetching the tables.
func (p *Plan) fetchAll() {
	p.AtSource = nil
	for i := range p.Tables {
		p.Tables[i].From = FromFetch
	}
}

// askSource runs a statement at the source and keeps its few rows in memory. A
// truncated answer is an error.
func askSource(ctx context.Context, a *analyst.Analyst, sql string) (*query.Result, error) {
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	stream, err := remote.Query(ctx, api.QueryRequest{SQL: sql})
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	var batches []arrow.RecordBatch
	defer func() {
		for _, b := range batches {
			b.Release()
		}
	}()
	for stream.Batches.Next() {
		b := stream.Batches.RecordBatch()
		b.Retain()
		batches = append(batches, b)
	}
	if err := stream.Batches.Err(); err != nil {
		return nil, err
	}
	if stream.End().Truncated {
		return nil, fetch.ErrNotReusable
	}
	rows, err := array.NewRecordReader(stream.Batches.Schema(), batches)
	if err != nil {
		return nil, err
	}
	return query.ResultOf(rows, append(stream.Caveats(), stream.End().Found()...)), nil
}
