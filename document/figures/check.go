package figures

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/agnes-data/da/api"
)

// Run runs the statement of an answer again. Statements come from a file that anybody
// can have made: an implementation treats them as what a user has typed.
type Run func(ctx context.Context, a *Answer) ([][]any, error)

// Again is the error of a Run for a statement that is not run again, for what it read;
// nil for others.
func (a Asked) Again() error {
	var why string
	switch {
	case a.Remote:
		why = "it ran at its source, which may cost, and is not run again"
	case a.Part:
		why = "the file has only the first rows of the result, so they are not compared"
	case a.Files:
		why = "it read files, which lie elsewhere, and is not run again: export them anew"
	default:
		return nil
	}
	return &api.Error{Code: api.CodeBudget, Kind: api.KindNotChecked, Message: why}
}

// Checked says which figures of a file are what their statements give now.
type Checked struct {
	Figures   int `json:"figures" jsonschema:"how many the file has"`
	Unchanged int `json:"unchanged"`
	Drifted   int `json:"drifted" jsonschema:"their statement gives something else now"`
	TypedOver int `json:"typed_over" jsonschema:"the file has something else in their place"`
	Missing   int `json:"missing" jsonschema:"their place in the file is gone"`
	NotRun    int `json:"not_run" jsonschema:"their statement could not be run, or was not"`
	Ignored   int `json:"ignored,omitempty" jsonschema:"figures of ignored columns, which do not count"`
	// Changed are all but the unchanged ones.
	Changed []Change `json:"changed"`
}

// Change is a figure that is not what it was, or could not be checked.
type Change struct {
	At      string `json:"at,omitempty" jsonschema:"place in the file"`
	Status  Status `json:"status" jsonschema:"drifted, typed_over, missing or not_run"`
	Written string `json:"written" jsonschema:"what was written"`
	Found   string `json:"found,omitempty" jsonschema:"what the file has, if that is something else"`
	// Now is nil if the statement did not run, or gives no such row.
	Now       *string        `json:"now,omitempty" jsonschema:"what the statement gives now, if that is something else"`
	Why       string         `json:"why,omitempty"`
	Statement string         `json:"statement"`
	Given     map[string]any `json:"parameters,omitempty"`
}

// Check runs the statements of a file again and compares.
func (r *Read) Check(ctx context.Context, run Run) (*Checked, error) {
	out := &Checked{Figures: len(r.Figures), Changed: []Change{}}
	again := map[*Answer]*rerun{}
	asked := map[string]*rerun{}
	for i := range r.Receipts {
		for j := range r.Receipts[i].Answers {
			a := &r.Receipts[i].Answers[j]
			if a.Values == nil {
				continue
			}
			key, err := json.Marshal([]any{a.Statement, a.Asked})
			if err != nil {
				return nil, err
			}
			done := asked[string(key)]
			if done == nil {
				done = &rerun{}
				done.rows, done.err = run(ctx, a)
				asked[string(key)] = done
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			here := *done
			here.tolerance, here.ignore = r.Tolerance, r.Ignore
			here.compare(a)
			again[a] = &here
		}
	}
	for _, f := range r.Figures {
		a := r.Of(f)
		if f.Column < len(a.Columns) && slices.Contains(r.Ignore, a.Columns[f.Column]) {
			out.Ignored++
			out.Figures--
			continue
		}
		out.add(f, a, again[a])
	}
	for i := range r.Receipts {
		for j := range r.Receipts[i].Answers {
			out.whole(&r.Receipts[i].Answers[j], again[&r.Receipts[i].Answers[j]])
		}
	}
	return out, nil
}

// whole notes what holds for an answer, rather than for one of its figures.
func (c *Checked) whole(a *Answer, again *rerun) {
	at := ""
	if a.Area != nil {
		at = a.Area.Sheet + "!" + a.Area.Range
	}
	change := Change{At: at, Written: strconv.Itoa(a.Rows) + " rows", Statement: a.Statement, Given: a.Parameters}
	switch {
	case again == nil && a.Rows > 0:
		change.Status, change.Why = NotRun, "the file has too many figures: the values of these were not noted"
		c.NotRun++
	case again != nil && again.more > 0:
		now := strconv.Itoa(len(again.rows)) + " rows"
		change.Status, change.Now = Drifted, &now
		c.Drifted++
	default:
		return
	}
	c.Figures++
	c.Changed = append(c.Changed, change)
}

func (c *Checked) add(f Figure, a *Answer, again *rerun) {
	change := Change{At: f.At, Status: f.Status, Written: f.Written, Found: f.Found, Statement: a.Statement, Given: a.Parameters}
	if again != nil && again.err != nil {
		change.Why = reason(again.err)
	} else if again != nil {
		if now, differs := again.now[[2]int{f.Row, f.Column}]; differs {
			change.Now = now
		}
		if _, differs := again.now[[2]int{f.Row, f.Column}]; differs && f.Status == Unchanged {
			change.Status = Drifted
		}
	}
	if f.Status == Unchanged && change.Why != "" {
		change.Status = NotRun
	}
	switch change.Status {
	case Unchanged:
		c.Unchanged++
		return
	case Drifted:
		c.Drifted++
	case TypedOver:
		c.TypedOver++
	case Missing:
		c.Missing++
	case NotRun:
		c.NotRun++
	}
	c.Changed = append(c.Changed, change)
}

func reason(err error) string {
	var e *api.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// rerun is what a statement gives now.
type rerun struct {
	rows [][]any
	err  error
	now  map[[2]int]*string // by row and column; nil: there is no such row any more
	more int                // rows that were not there

	tolerance float64
	ignore    []string
}

// looked are rows without the values of ignored columns.
func (r *rerun) looked(rows [][]any, columns []string) [][]any {
	if len(r.ignore) == 0 {
		return rows
	}
	out := make([][]any, len(rows))
	for i, row := range rows {
		out[i] = slices.Clone(row)
		for c := range row {
			if c < len(columns) && slices.Contains(r.ignore, columns[c]) {
				out[i][c] = nil
			}
		}
	}
	return out
}

// compare finds which values of an answer are others now. The order of rows does not
// count; a row that has changed is known by its first value, or else by its place.
func (r *rerun) compare(a *Answer) {
	if r.err != nil {
		return
	}
	r.now = map[[2]int]*string{}
	same := map[string][]int{}
	was, is := r.looked(a.Values, a.Columns), r.looked(r.rows, a.Columns)
	for i, row := range is {
		if len(row) != len(a.Columns) {
			r.err = fmt.Errorf("the statement gives %d columns now, and gave %d", len(row), len(a.Columns))
			return
		}
		same[rounded(row)] = append(same[rounded(row)], i)
	}
	used := make([]bool, len(r.rows))
	var changed []int
	for i, row := range was {
		if list := same[rounded(row)]; len(list) > 0 {
			same[rounded(row)] = list[1:]
			used[list[0]] = true
		} else {
			changed = append(changed, i)
		}
	}
	first := map[string][]int{}
	for i, row := range is {
		if !used[i] && len(row) > 1 {
			first[plain(row[0])] = append(first[plain(row[0])], i)
		}
	}
	var left []int
	for _, i := range changed {
		key := plain(was[i][0])
		if list := first[key]; len(list) > 0 {
			first[key] = list[1:]
			used[list[0]] = true
			r.differ(i, was[i], is[list[0]])
		} else {
			left = append(left, i)
		}
	}
	rest := 0
	for _, i := range left {
		for rest < len(used) && used[rest] {
			rest++
		}
		if rest == len(used) {
			r.differ(i, was[i], nil)
			continue
		}
		used[rest] = true
		r.differ(i, was[i], is[rest])
	}
	r.more = max(len(r.rows)-len(a.Values), 0)
}

func (r *rerun) differ(i int, was, is []any) {
	for c, v := range was {
		if is == nil {
			r.now[[2]int{i, c}] = nil
		} else if digits(v) != digits(is[c]) && !r.near(v, is[c]) {
			text := Written(is[c])
			r.now[[2]int{i, c}] = &text
		}
	}
}

// near reports whether two values are numbers within the tolerance.
func (r *rerun) near(a, b any) bool {
	x, err := strconv.ParseFloat(plain(a), 64)
	y, err2 := strconv.ParseFloat(plain(b), 64)
	return err == nil && err2 == nil && math.Abs(x-y) <= r.tolerance
}

// digits is a value with as many digits as sums of the same numbers in another order
// have in common.
func digits(v any) string {
	if n, ok := v.(json.Number); ok {
		if f, err := strconv.ParseFloat(string(n), 64); err == nil && f != float64(int64(f)) {
			return strconv.FormatFloat(f, 'g', 12, 64)
		}
		return string(n)
	}
	return plain(v)
}

func rounded(row []any) string {
	out := ""
	for _, v := range row {
		out += strconv.Quote(digits(v)) + ","
	}
	return out
}
