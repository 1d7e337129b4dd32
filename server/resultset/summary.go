package resultset

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile"
)

const (
	mostExact = 5_000_000 // rows whose different values are counted exactly
	mostTop   = 6
)

// Summarize says what columns of a part hold.
func (s *Set) Summarize(ctx context.Context, part api.ResultPart, columns []int) ([]api.ColumnSummary, error) {
	c, done, err := s.conn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	part.Order = nil
	v, err := s.view(ctx, c, part)
	if err != nil {
		return nil, told(err)
	}
	defer s.leave(v)
	out := []api.ColumnSummary{}
	for _, at := range columns {
		if at < 0 || at >= len(s.Columns) {
			return nil, noColumn(at)
		}
		one, err := s.summarize(ctx, c, v, at)
		if err != nil {
			return nil, told(err)
		}
		out = append(out, *one)
	}
	return out, nil
}

func (s *Set) summarize(ctx context.Context, c *duckdb.Conn, v *view, at int) (*api.ColumnSummary, error) {
	from := "(SELECT " + column(at) + " AS v FROM r)"
	if v.table != "" {
		from = "(SELECT r." + column(at) + " AS v FROM r WHERE rowid IN (SELECT row FROM " + v.table + "))"
	}
	out := &api.ColumnSummary{Rows: v.found, About: v.found > mostExact}
	numeric, nested := s.Columns[at].Numeric, s.nested(at)
	distinct := "count(DISTINCT v)"
	if out.About {
		distinct = "approx_count_distinct(v)"
	}
	items := []string{"count(*) - count(v)", distinct}
	finite := ""
	if t := s.types[at]; t == "DOUBLE" || t == "FLOAT" {
		finite = " FILTER (WHERE isfinite(v))"
	}
	if !nested {
		items = append(items, clipped(s.types[at], "min(v)"+finite), clipped(s.types[at], "max(v)"+finite))
	}
	if numeric && !nested {
		items = append(items, "median(CAST(v AS DOUBLE))"+finite, "avg(CAST(v AS DOUBLE))"+finite)
	}
	got, err := profile.Rows(ctx, c, "SELECT "+strings.Join(items, ", ")+" FROM "+from)
	if err != nil {
		return nil, err
	}
	row := got[0]
	if out.Nulls, err = strconv.ParseInt(string(row[0]), 10, 64); err != nil {
		return nil, err
	}
	if out.Distinct, err = strconv.ParseInt(string(row[1]), 10, 64); err != nil {
		return nil, err
	}
	if out.Distinct == 0 {
		return out, nil
	}
	if !nested {
		out.Low, out.High = row[2], row[3]
	}
	if numeric && !nested {
		out.Median, out.Mean = row[4], row[5]
		if out.Distinct > mostTop {
			if out.Bins, err = bins(ctx, c, from, row[2], row[3]); err != nil || out.Bins != nil {
				return out, err
			}
		}
	}
	if timed(s.types[at]) && out.Distinct > mostTop {
		if out.Bins, err = periods(ctx, c, from); err != nil || out.Bins != nil {
			return out, err
		}
	}
	top, err := profile.Rows(ctx, c, fmt.Sprintf("SELECT %s, n FROM (SELECT v, count(*) AS n FROM %s WHERE v IS NOT NULL GROUP BY v ORDER BY n DESC, v LIMIT %d)", clipped(s.types[at], "v"), from, mostTop))
	if err != nil {
		return nil, err
	}
	for _, t := range top {
		n, err := strconv.ParseInt(string(t[1]), 10, 64)
		if err != nil {
			return nil, err
		}
		out.Top = append(out.Top, api.SummaryTop{Value: t[0], N: n})
	}
	return out, nil
}

func clipped(typ, expr string) string {
	if typ != "VARCHAR" {
		return expr
	}
	return fmt.Sprintf("left(%s, %d)", expr, api.MaxSummaryText)
}

// bins counts rows in ranges of round width; nil: there is no width.
func bins(ctx context.Context, c *duckdb.Conn, from string, lowest, highest json.RawMessage) ([]api.SummaryBin, error) {
	low, err1 := strconv.ParseFloat(strings.Trim(string(lowest), `"`), 64)
	high, err2 := strconv.ParseFloat(strings.Trim(string(highest), `"`), 64)
	if err1 != nil || err2 != nil {
		return nil, nil //nolint:nilerr // only finite numbers have ranges
	}
	ranges := profile.Bins(low, high)
	if ranges == nil {
		return nil, nil
	}
	got, err := profile.Rows(ctx, c, "SELECT "+strings.Join(profile.Counts("v", ranges), ", ")+" FROM "+from)
	if err != nil {
		return nil, err
	}
	var all []api.SummaryBin
	for i, n := range got[0] {
		bin := api.SummaryBin{From: number(ranges[i].From), To: number(ranges[i].To), Last: i == len(ranges)-1}
		if bin.N, err = strconv.ParseInt(string(n), 10, 64); err != nil {
			return nil, err
		}
		all = append(all, bin)
	}
	return all, nil
}

func number(f float64) json.RawMessage { return strconv.AppendFloat(nil, f, 'g', -1, 64) }

// mostBars is how many periods of times a summary shows.
const mostBars = 60

// periods counts times in the shortest periods that are few enough; nil: there are none.
func periods(ctx context.Context, c *duckdb.Conn, from string) ([]api.SummaryBin, error) {
	from = "(SELECT CAST(v AS TIMESTAMP) AS v FROM " + from + " WHERE isfinite(v))"
	for i, each := range []string{"second", "minute", "hour", "day", "week", "month", "year", "decade", "century"} {
		shape := "%Y-%m-%d"
		if i < 3 {
			shape += "T%H:%M:%S"
		}
		var n int64
		if err := c.QueryRow(ctx, "SELECT coalesce(date_diff('"+each+"', min(v), max(v)), 1 << 40) FROM "+from, nil, &n); err != nil {
			return nil, err
		}
		if n >= mostBars {
			continue
		}
		got, err := profile.Rows(ctx, c, fmt.Sprintf("WITH g AS (SELECT CAST(date_trunc('%[1]s', v) AS TIMESTAMP) AS p, count(*) AS n FROM %[2]s GROUP BY ALL) "+
			"SELECT strftime(s, '%[3]s'), strftime(s + INTERVAL 1 %[1]s, '%[3]s'), coalesce(n, 0) FROM "+
			"(SELECT unnest(generate_series((SELECT min(p) FROM g), (SELECT max(p) FROM g), INTERVAL 1 %[1]s)) AS s) LEFT JOIN g ON p = s ORDER BY s",
			each, from, shape))
		if err != nil {
			return nil, err
		}
		var all []api.SummaryBin
		for _, row := range got {
			n, err := strconv.ParseInt(string(row[2]), 10, 64)
			if err != nil {
				return nil, err
			}
			all = append(all, api.SummaryBin{From: row[0], To: row[1], N: n})
		}
		return all, nil
	}
	return nil, nil
}
