// Package checks is what people expect of rows, and the record of whether it holds. It
// runs no statements.
package checks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Expectation is what must be true of all rows of a result: their number, or a
// condition on each.
type Expectation struct {
	Text string
	// Condition is SQL that must be true for every row; empty: the number of rows
	// compares with Rows by Operator.
	Condition string
	Operator  string // =, >= or <=
	Rows      int64
}

var rowsExpected = lazyregexp.New(`^rows\s*(=|==|>=|<=|>|<)\s*([0-9]+)$`)

// Parse reads an expectation as it is written in a command.
func Parse(text string) (Expectation, error) {
	e := Expectation{Text: strings.TrimSpace(text)}
	switch parts := rowsExpected().FindStringSubmatch(e.Text); {
	case e.Text == "":
		return e, &api.Error{Code: api.CodeUsage, Message: "an expectation is empty",
			Hint: "Write empty, rows=N, rows>=N, rows<=N, or a condition in SQL."}
	case e.Text == "empty":
		e.Operator = "="
	case parts != nil:
		n, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil {
			return e, &api.Error{Code: api.CodeUsage, Message: "too many rows are expected by '" + api.Clip(e.Text, 60) + "'", Err: err,
				Hint: "Write rows=N with a smaller number."}
		}
		switch parts[1] {
		case ">":
			e.Operator, e.Rows = ">=", n+1
		case "<":
			e.Operator, e.Rows = "<=", n-1
		default:
			e.Operator, e.Rows = strings.Replace(parts[1], "==", "=", 1), n
		}
	default:
		e.Condition = e.Text
	}
	return e, nil
}

// ParseFile reads expectations, one a line, without empty lines and those that begin
// with #.
func ParseFile(text string) (all []Expectation, err error) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		e, err := Parse(line)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// Counted compares the number of rows of a result. cut says that there may be more.
func (e Expectation) Counted(rows int64, cut bool) Outcome {
	holds := map[string]bool{"=": rows == e.Rows && !cut, ">=": rows >= e.Rows, "<=": rows <= e.Rows && !cut}[e.Operator]
	o := Outcome{Name: e.Text, Status: Passed, Severity: Error, Rows: rows}
	if !holds {
		o.Status, o.Message = Failed, "the result has "+humanize.Plural(rows, "row", "rows")
		if cut {
			o.Message += ", and the result is cut: there may be more"
		}
	}
	return o
}

// MaxExamples is how many rows that break it an outcome has at most.
const MaxExamples = 5

// Status says how a check ended.
type Status string

// A check passed, failed, or could not be run.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Errored Status = "error"
)

// Severity says what a failed check means for the exit code.
type Severity string

// A failed check of severity Warn does not change the exit code.
const (
	Error Severity = "error"
	Warn  Severity = "warn"
)

// Outcome is the result of one check.
type Outcome struct {
	Name     string    `json:"name"`
	Of       string    `json:"of,omitempty" jsonschema:"the table, snapshot or statement"`
	Status   Status    `json:"status" jsonschema:"passed, failed or error: it could not be run"`
	Severity Severity  `json:"severity" jsonschema:"error or warn"`
	Message  string    `json:"message,omitempty"`
	Rows     int64     `json:"rows" jsonschema:"how many rows were checked"`
	Broken   int64     `json:"broken" jsonschema:"how many of them break it"`
	Examples []api.Row `json:"examples,omitempty" jsonschema:"the first of these rows"`
	New      bool      `json:"new,omitempty" jsonschema:"it held the last time that the file was checked here"`
	File     string    `json:"file,omitempty" jsonschema:"the file that has all of these rows"`
	// Counts says that the check bounds the number of rows.
	Counts bool `json:"-"`
	// Sum is equal for checks of a file that check the same; empty for one of no file.
	Sum string `json:"-"`
	// Err is why the check could not be run.
	Err *api.Error `json:"-"`
}

// Broke says how many rows break a condition.
func Broke(broken, rows int64) string {
	return fmt.Sprintf("%s of %s break%s it", humanize.Grouped(broken), humanize.Plural(rows, "row", "rows"),
		map[bool]string{true: "s"}[broken == 1])
}

// Fails is the error of outcomes that do not hold with severity error, nil if all do. If
// one could not be run, nobody knows whether it holds, and the error is its own. what is what one of them is called.
func Fails(outcomes []Outcome, what string) *api.Error {
	var failed []Outcome
	for _, o := range outcomes {
		switch {
		case o.Err != nil:
			e := *o.Err
			e.Message, e.Err = fmt.Sprintf("%s '%s' of %s cannot be run: %s", what, api.Clip(o.Name, 200), o.Of, e.Message), o.Err
			return &e
		case o.Status == Failed && o.Severity == Error:
			failed = append(failed, o)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	first := failed[0]
	text := fmt.Sprintf("%s '%s'", what, api.Clip(first.Name, 200))
	if first.Of != "" {
		text += " of " + first.Of
	}
	e := &api.Error{Code: api.CodeCheckFailed, Kind: api.KindCheckFailed, Message: text + " does not hold: " + first.Message,
		Details: map[string]any{"failed": failed}}
	if len(failed) > 1 {
		e.Message = fmt.Sprintf("%d of %d %ss do not hold; the first: %s", len(failed), len(outcomes), what, e.Message)
	}
	return e
}
