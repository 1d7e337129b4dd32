package client

import (
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// capPattern matches the key of a cap, which is shown unescaped.
var capPattern = lazyregexp.New(`^[a-z_.]{1,64}$`)

// A JSON answer is not always from our server: a proxy's {} looks like a catalog
// without tables, or a table without columns. The checks here tell the
// difference.

// ours returns an error if the answer is not from one of our servers.
func (c *Client) ours(is bool, what string) error {
	if is {
		return nil
	}
	return c.notAgnes("its answer is not the " + what)
}

// isSchema reports whether a schema has columns with names. Our servers list no
// table without columns.
func isSchema(s *api.TableSchema, asked string) bool {
	unnamed := func(c api.Column) bool { return c.Name == "" || c.Type == "" }
	return s.TableID == asked && s.SQLFlavor != "" && len(s.Columns) > 0 && !slices.ContainsFunc(s.Columns, unnamed) &&
		countable(s.RowCount, s.EstimatedRowCount, s.SizeBytes)
}

func isEstimate(e *api.Estimate, asked string) bool {
	return e.TableID == asked && (e.CostUSD == nil || *e.CostUSD >= 0) && (e.CutBy == nil || isCap(e)) &&
		countable(e.ScanBytes, e.BilledBytes, e.ResultRows, e.ResultBytes, e.TableRows, e.RowsLow, e.RowsHigh, e.RowsUpperBound)
}

// isCap reports whether an estimate's cap is plausible. If the cap is certain to
// cut, the number of rows is known.
func isCap(e *api.Estimate) bool {
	return capPattern().MatchString(e.CutBy.Key) && e.CutBy.Limit >= 0 &&
		(e.CutBy.Unit == "rows" || e.CutBy.Unit == "bytes") && (!e.CutBy.Certain || e.RowsLow != nil)
}

func isQuota(q *api.QuotaStatus) bool {
	return q.User != "" && countable(&q.ResultBytes, &q.ScanBytes, &q.ReservedBytes, &q.Running, q.DailyBytesLimit, q.RunningLimit)
}

// countable reports whether every known figure can be a size.
func countable(figures ...*int64) bool {
	return !slices.ContainsFunc(figures, func(n *int64) bool { return n != nil && *n < 0 })
}
