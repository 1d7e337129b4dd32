package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/statement"
)

// QueryExpecting is Query of a statement whose whole result must be as expected.
func (s *Session) QueryExpecting(ctx context.Context, sql string, portable bool,
	all []checks.Expectation) (*Result, []checks.Outcome, error) {
	whole := "whole_result"
	for keep.Holds(s.a, whole) || s.steps.Has(whole) {
		whole += "_"
	}
	if _, err := s.step(ctx, statement.Definition{Name: whole, Table: true, Query: sql}); err != nil {
		return nil, nil, err
	}
	outcomes, err := s.expect(ctx, whole, all)
	if err != nil {
		return nil, nil, err
	}
	result, err := s.Query(ctx, "FROM "+whole, portable)
	return result, outcomes, err
}

// expect checks the rows of a stored step.
func (s *Session) expect(ctx context.Context, from string, all []checks.Expectation) (outcomes []checks.Outcome, err error) {
	rows, err := s.count(ctx, "SELECT count(*) FROM "+from)
	if err != nil {
		return nil, err
	}
	cut := IsCut(s.stored[from])
	for _, e := range all {
		o := e.Counted(rows, cut)
		if e.Condition != "" {
			if o, err = s.holds(ctx, from, e.Condition); err != nil {
				return nil, explainCondition(e.Condition, err)
			}
			if o.Rows = rows; o.Broken > 0 {
				o.Message = checks.Broke(o.Broken, rows)
			}
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// IsCut reports whether rows are missing at the end.
func IsCut(caveats []api.Caveat) bool {
	return slices.ContainsFunc(caveats, func(c api.Caveat) bool { return c.Kind == api.CaveatCut })
}

// holds counts the rows of a relation for which a condition is not true, and returns
// the first.
func (s *Session) holds(ctx context.Context, from, condition string) (checks.Outcome, error) {
	o := checks.Outcome{Name: condition, Status: checks.Passed, Severity: checks.Error}
	const holds = `"the condition holds"`
	// On lines of its own, a comment in the condition ends with it.
	marked := fmt.Sprintf("(SELECT *, (\n%s\n) AS %s FROM %s)", condition, holds, from)
	probe, err := s.Query(ctx, "SELECT "+holds+" FROM "+marked+" LIMIT 0", false)
	if err != nil {
		return o, err
	}
	t := probe.batches.Schema().Field(0).Type
	probe.Close()
	if t.ID() != arrow.BOOL && t.ID() != arrow.NULL {
		return o, &api.Error{Code: api.CodeUsage, Kind: api.KindNotBoolean, Message: "it is neither true nor false for a row",
			Hint: "Compare it with something, as in \"delay < 100\"."}
	}
	broken := marked + " WHERE " + holds + " IS NOT TRUE"
	o.Broken, err = s.count(ctx, "SELECT count(*) FROM "+broken)
	if err != nil || o.Broken == 0 {
		return o, err
	}
	o.Status = checks.Failed
	o.Examples, err = s.few(ctx, fmt.Sprintf("SELECT * EXCLUDE (%s) FROM %s LIMIT %d", holds, broken, checks.MaxExamples))
	return o, err
}

// explainCondition says which condition cannot be checked.
func explainCondition(condition string, err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code == api.CodeInterrupted {
		return err
	}
	told := *e
	told.Code, told.Err = api.CodeUsage, err
	told.Message = fmt.Sprintf("the expectation '%s' cannot be checked: %s", api.Clip(condition, 200), e.Message)
	delete(told.Details, "position") // it is one in our text
	if strings.Contains(e.Message, "GROUP BY") {
		told.Hint = "An expectation is true or false for each row: write the aggregate into the statement, or behind it OVER ()."
	}
	return &told
}

// count runs a statement that returns one number.
func (s *Session) count(ctx context.Context, sql string) (int64, error) {
	rows, err := s.few(ctx, sql)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(fmt.Sprint(rows[0].Values[0]), 10, 64)
}

// few runs a statement that returns few rows.
func (s *Session) few(ctx context.Context, sql string) ([]api.Row, error) {
	r, err := s.Query(ctx, sql, true)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return rowsOf(r)
}

// rowsOf reads the few rows of a result.
func rowsOf(r *Result) (rows []api.Row, err error) {
	for r.batches.Next() {
		rows = append(rows, arrowjson.Rows(r.batches.RecordBatch())...)
	}
	return rows, r.batches.Err()
}
