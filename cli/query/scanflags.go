package query

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/usage"
)

// scanFlags are the flags that select part of a table.
type scanFlags struct {
	selects []string
	where   string
	orderBy []string
	limit   int64
	asOf    string
}

func (s *scanFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&s.selects, "select", nil, "`columns` to fetch, separated by commas (default all)")
	f.StringVar(&s.where, "where", "", "only rows for which this `predicate` holds, in the table's dialect")
	f.StringArrayVar(&s.orderBy, "order-by", nil, "order of the rows: `columns` with ASC or DESC, separated by commas")
	usage.AsOf(f, &s.asOf)
	f.Int64Var(&s.limit, "limit", 0, "at most this many `rows` (default all that the server allows)")
}

func (s *scanFlags) request(cmd *cobra.Command, tableID string) (api.ScanRequest, error) {
	tableID, err := usage.TableAt(tableID, s.asOf)
	req := api.ScanRequest{TableID: tableID, Where: s.where}
	if err != nil {
		return req, err
	}
	if cmd.Flags().Changed("limit") {
		if s.limit < 1 {
			return req, usage.Error("--limit is at least 1; leave it out to get all rows")
		}
		req.Limit = &s.limit
	}
	if cmd.Flags().Changed("where") && strings.TrimSpace(s.where) == "" {
		return req, usage.Error("--where is empty; leave it out to get all rows")
	}
	if req.Select, err = usage.Items("select", s.selects); err != nil {
		return req, err
	}
	req.OrderBy, err = usage.Items("order-by", s.orderBy)
	return req, err
}
