package client

import (
	"github.com/agnes-data/da/api"
)

// An answer that is JSON need not be ours: a proxy's {} reads as a catalog
// without tables, or a table without columns. The checks here are those by
// which ours differ from it.

// ours returns the error of an answer that is none of ours, if it is not.
func (c *Client) ours(is bool, what string) error {
	if is {
		return nil
	}
	return c.notAgnes("its answer is no " + what)
}

func isSchema(s *api.TableSchema, asked string) bool {
	return s.TableID == asked && s.SQLFlavor != "" && countable(s.RowCount, s.EstimatedRowCount, s.SizeBytes)
}

func isEstimate(e *api.Estimate, asked string) bool {
	return e.TableID == asked && (e.CostUSD == nil || *e.CostUSD >= 0) &&
		countable(e.ScanBytes, e.BilledBytes, e.ResultRows, e.ResultBytes, e.TableRows, e.RowsLow, e.RowsHigh, e.RowsUpperBound)
}

func isQuota(q *api.QuotaStatus) bool {
	return q.User != "" && countable(&q.ResultBytes, &q.ScanBytes, &q.ReservedBytes, &q.Running, q.DailyBytesLimit, q.RunningLimit)
}

// countable reports whether every figure that is known can be a size.
func countable(figures ...*int64) bool {
	for _, n := range figures {
		if n != nil && *n < 0 {
			return false
		}
	}
	return true
}
