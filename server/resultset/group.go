package resultset

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// mostPeriods is how many different times are drawn as they are.
const mostPeriods = 800

// figures are what is computed of the rows of a group.
var figures = map[string]string{"count": "count(*)", "mean": "avg(y)", "median": "median(CAST(y AS DOUBLE))", "sum": "sum(y)",
	"distinct": "count(DISTINCT y)"}

// Group returns one figure of the rows of a part for each value, range or period. The
// stream has the groups, out says what they are. The caller closes the stream.
func (s *Set) Group(ctx context.Context, req api.GroupResult) (rows *api.Stream, out *api.ResultGroups, err error) {
	for _, at := range []int{req.X, max(req.By, 0), max(req.Y, 0)} {
		if at < 0 || at >= len(s.Columns) {
			return nil, nil, noColumn(at)
		}
	}
	figure := figures[req.How]
	of := req.How != "count"
	if figure == "" || of && req.Y < 0 || of && req.How != "distinct" && !s.Columns[req.Y].Numeric {
		return nil, nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindParameter,
			Message: "how must be count, distinct of a column, or mean, median or sum of numbers"}
	}
	c, done, err := s.conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			done()
			err = told(err)
		}
	}()
	req.Part.Order = nil
	v, err := s.view(ctx, c, req.Part)
	if err != nil {
		return nil, nil, err
	}
	defer s.leave(v)
	from := "(SELECT " + s.plain(req.X) + " AS x, " + s.orNull(req.By) + " AS b, " + s.figured(req) + " AS y FROM r"
	if v.table != "" {
		from += " WHERE rowid IN (SELECT row FROM " + v.table + ")"
	}
	from += ")"
	out = &api.ResultGroups{}
	across, end, err := s.across(ctx, c, req, from, out)
	if err != nil {
		return nil, nil, err
	}
	without := "0"
	if of {
		without = "count(*) - count(y)"
	}
	groups := fmt.Sprintf("(SELECT %s AS x, %s AS f, b, %s AS e, count(*) AS n, %s AS w FROM %s GROUP BY ALL)", across, figure, end, without, from)
	if err := c.QueryRow(ctx, "SELECT count(*) FROM "+groups, nil, &out.Found); err != nil {
		return nil, nil, err
	}
	order := "x" // numbers and times
	if !s.Columns[req.X].Numeric && !timed(s.types[req.X]) {
		order = "n DESC, x"
	}
	// The columns are named last: ORDER BY n must not mean a column n of the result.
	names := s.GroupNames(req)
	batches, err := c.Query(ctx, fmt.Sprintf("SELECT x AS %s, f AS %s, b AS %s, e, n, w FROM (SELECT * FROM (SELECT * FROM %s ORDER BY n DESC, x, b LIMIT %d) "+
		"ORDER BY %s, b)", duckdb.Quote(names[0]), duckdb.Quote(names[1]), duckdb.Quote(names[2]), groups, api.MaxGroups, order))
	if err != nil {
		return nil, nil, err
	}
	return &api.Stream{Batches: batches, Known: s.Caveats, Ordered: true, End: func() api.End { return api.End{} }, CloseFunc: func() {
		batches.Release()
		done()
	}}, out, nil
}

// GroupNames are the names of the first three columns of the rows of Group, all different:
// the value of X, the figure, and the series.
func (s *Set) GroupNames(req api.GroupResult) []string {
	names := []string{s.Columns[req.X].Name, s.figure(req), "b"}
	if req.By >= 0 {
		names[2] = s.Columns[req.By].Name
	}
	names, _ = arrowjson.Unique(names, strings.ToLower)
	return names
}

// figure names what Group computes.
func (s *Set) figure(req api.GroupResult) string {
	switch req.How {
	case "count":
		return "count of rows"
	case "distinct":
		return "distinct values of " + s.Columns[req.Y].Name
	}
	return req.How + " of " + s.Columns[req.Y].Name
}

// plain is a column whose values can be grouped and written.
func (s *Set) plain(at int) string {
	if s.nested(at) {
		return "CAST(to_json(" + column(at) + ") AS VARCHAR)"
	}
	return column(at)
}

func (s *Set) orNull(at int) string {
	if at < 0 {
		return "NULL"
	}
	return s.plain(at)
}

// figured is the column that the figure is of. What is not finite is no number.
func (s *Set) figured(req api.GroupResult) string {
	if req.How == "count" {
		return "NULL"
	}
	if t := s.types[req.Y]; req.How != "distinct" && (t == "DOUBLE" || t == "FLOAT") {
		return "CASE WHEN isfinite(" + column(req.Y) + ") THEN " + column(req.Y) + " END"
	}
	return s.plain(req.Y)
}

func timed(t string) bool { return t == "DATE" || strings.HasPrefix(t, "TIMESTAMP") }

// across is the expression that x is grouped by, and that of the end of a range.
func (s *Set) across(ctx context.Context, c *duckdb.Conn, req api.GroupResult, from string,
	out *api.ResultGroups) (start, end string, err error) {
	switch {
	case req.Bins && s.Columns[req.X].Numeric:
		got, err := profile.Rows(ctx, c, "SELECT min(v), max(v) FROM (SELECT CAST(x AS DOUBLE) AS v FROM "+from+") WHERE isfinite(v)")
		if err != nil {
			return "", "", err
		}
		low, err1 := strconv.ParseFloat(string(got[0][0]), 64)
		high, err2 := strconv.ParseFloat(string(got[0][1]), 64)
		if ranges := profile.Bins(low, high); err1 == nil && err2 == nil && ranges != nil {
			// The width is round; the sums of it are rounded likewise.
			width := strconv.FormatFloat(ranges[0].To-ranges[0].From, 'g', 12, 64)
			edge := func(more string) string {
				return "CAST(printf('%.12g', (floor(CAST(x AS DOUBLE) / " + width + ")" + more + ") * " + width + ") AS DOUBLE)"
			}
			return edge(""), edge(" + 1"), nil
		}
	case timed(s.types[req.X]):
		if out.Each, err = period(ctx, c, from); err != nil || out.Each == "" {
			return "x", "NULL", err
		}
		return "date_trunc('" + out.Each + "', CAST(x AS TIMESTAMP))", "NULL", nil
	}
	return "x", "NULL", nil
}

// period is the shortest one that leaves few enough times; empty: they are few as
// they are.
func period(ctx context.Context, c *duckdb.Conn, from string) (string, error) {
	var different int64
	if err := c.QueryRow(ctx, "SELECT approx_count_distinct(x) FROM "+from, nil, &different); err != nil || different <= mostPeriods {
		return "", err
	}
	for _, each := range []string{"second", "minute", "hour", "day", "week", "month"} {
		var n int64
		if err := c.QueryRow(ctx, "SELECT date_diff('"+each+"', CAST(min(x) AS TIMESTAMP), CAST(max(x) AS TIMESTAMP)) FROM "+from+
			" WHERE isfinite(x)", nil, &n); err != nil {
			return "", err
		}
		if n < mostPeriods {
			return each, nil
		}
	}
	return "year", nil
}
