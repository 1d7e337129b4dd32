package query

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/statement"
	"github.com/agnes-data/da/table/xlsx"
	"github.com/agnes-data/da/toolbox/fit"
)

// tablesBelow prints results one below the other.
type tablesBelow struct {
	only
	a     *app.App
	o     Options
	as    output.Format
	shown bool
}

func (t *tablesBelow) show(ctx context.Context, _ int, _ statement.Piece, q *Queried) error {
	if t.shown {
		t.a.BlankLine()
	}
	t.shown, t.o.Started = true, time.Now()
	return ShowRows(ctx, t.a, t.o, q, t.as)
}

// numbered is the placeholder in --out for the statement's number.
const numbered = "{n}"

func numberedFile(path string, n int) string {
	return strings.ReplaceAll(path, numbered, strconv.Itoa(n))
}

// files writes each result into its own file.
type files struct {
	only
	a       *app.App
	o       Options
	as      output.Format
	written []WrittenFile
}

func (f *files) show(ctx context.Context, n int, _ statement.Piece, q *Queried) error {
	o := f.o
	o.Out = numberedFile(o.Out, n)
	file, err := IntoFile(ctx, f.a, o, q, f.as)
	if err != nil {
		return err
	}
	file.Statement = n
	f.written = append(f.written, file)
	return nil
}

func (f *files) end() error {
	if f.a.ErrorsAsJSON() {
		return f.a.PrintWhole(f.written)
	}
	if f.a.Quiet {
		return nil
	}
	for _, file := range f.written {
		if err := file.tell(f.a.IO.Out); err != nil {
			return err
		}
	}
	return nil
}

// sheets writes each result into a sheet of one workbook, named by the
// statement's number.
type sheets struct {
	only
	*summed
	a    *app.App
	o    Options
	book *xlsx.Book
	note *reports.Receipt
}

func (s *sheets) show(ctx context.Context, n int, _ statement.Piece, q *Queried) error {
	rows, err := q.watch(s.a, s.o)
	if err != nil {
		return err
	}
	summary, err := output.Into(ctx, rows, s.o.Limit, func(rows api.Rows) ([]api.Caveat, error) {
		return addSheet(ctx, s.note, s.book, rows, strconv.Itoa(n), q)
	})
	s.broken = err != nil && summary.Rows > 0
	if err != nil {
		return err
	}
	s.add(summary)
	return rows.printNotes(s.a, s.o, summary, output.XLSX)
}

// failed gives up the workbook if half a sheet would look complete.
func (s *sheets) failed(_ int, _ statement.Piece, e *api.Error) (shown bool, err error) {
	if s.broken {
		return false, e
	}
	return false, nil
}

// statementRows is the JSON of one statement's result, out of several.
type statementRows struct {
	Statement int          `json:"statement" jsonschema:"its number in the text, from 1; those that only name a step are counted too"`
	Line      int          `json:"line"`
	Rows      []api.Row    `json:"rows,omitempty"`
	Caveats   []api.Caveat `json:"caveats,omitempty" jsonschema:"of the rows, once they are whole"`
	Error     *exit.JSON   `json:"error,omitempty" jsonschema:"why it failed; rows are then missing or incomplete"`
}

// list streams results as one JSON list.
type list struct {
	only
	*summed
	a     *app.App
	o     Options
	w     io.Writer
	begun bool // the list has been started
	open  bool // the current statement's list of rows has been started
}

func (l *list) show(ctx context.Context, n int, p statement.Piece, q *Queried) error {
	l.open = false
	rows, err := q.watch(l.a, l.o)
	if err != nil {
		return err
	}
	summary, err := output.Write(ctx, writerFunc(func(text []byte) (int, error) {
		if !l.open {
			l.open = true
			if err := l.item(n, p, `,"rows":`); err != nil {
				return 0, err
			}
		}
		return l.w.Write(text)
	}), rows, output.JSON, output.Options{MaxRows: l.o.Limit})
	if err != nil {
		return err
	}
	l.open = false
	if err := rows.printNotes(l.a, l.o, summary, output.JSON); err != nil {
		return err
	}
	l.add(summary)
	text, err := output.EncodeJSON(exit.Word(summary.Caveats), "")
	if err != nil {
		return err
	}
	return l.write(`,"caveats":` + strings.TrimSpace(string(text)) + "}")
}

func (l *list) failed(n int, p statement.Piece, e *api.Error) (shown bool, err error) {
	text, err := output.EncodeJSON(exit.AsJSON(e), "")
	if err != nil {
		return false, err
	}
	if l.open { // some rows have been written
		l.open = false
		return true, l.write("\n],\"error\":" + strings.TrimSpace(string(text)) + "}")
	}
	if err := l.item(n, p, `,"error":`); err != nil {
		return false, err
	}
	return true, l.write(strings.TrimSpace(string(text)) + "}")
}

// item starts an item of the list.
func (l *list) item(n int, p statement.Piece, member string) error {
	before := "["
	if l.begun {
		before = ",\n"
	}
	l.begun = true
	return l.write(fmt.Sprintf(`%s{"statement":%d,"line":%d%s`, before, n, p.Line, member))
}

func (l *list) end() error {
	if !l.begun {
		return l.write("[]\n")
	}
	return l.write("]\n")
}

func (l *list) write(text string) error {
	_, err := io.WriteString(l.w, text)
	return err
}

type writerFunc func([]byte) (int, error)

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// statementAnswer is the part that fits of one statement's result, out of
// several.
type statementAnswer struct {
	Statement int `json:"statement" jsonschema:"its number in the text, from 1; those that only name a step are counted too"`
	Line      int `json:"line"`
	*fit.Answer
	Error *exit.JSON `json:"error,omitempty" jsonschema:"why it failed"`
}

// batchAnswer is what da query prints for several statements within a budget.
type batchAnswer struct {
	Results []statementAnswer `json:"results"`
}

// answered collects what fits of each result; all share one budget.
type answered struct {
	only
	a      *app.App
	o      Options
	shares *fit.Shares
	batch  batchAnswer
}

// newAnswers divides a budget among statements.
func newAnswers(a *app.App, o Options, tokens, statements int) (*answered, error) {
	if !a.TokensGiven() {
		tokens = fit.DefaultShares(statements)
	}
	shares, err := fit.NewShares(tokens, a.Fenced(), statements)
	return &answered{only: only{carried: true}, a: a, o: o, shares: shares, batch: batchAnswer{[]statementAnswer{}}}, err
}

func (t *answered) show(ctx context.Context, n int, p statement.Piece, q *Queried) error {
	work, err := t.a.Analyst()
	if err != nil {
		return err
	}
	answer, err := query.Answer(ctx, work, q.worded(t.o), q.about,
		fit.Options{MaxTokens: t.shares.Next(), MaxRows: t.o.Limit, Reserve: CommandBytes + itemBytes})
	if err != nil {
		return err
	}
	withCommand(answer)
	if err := t.o.record(t.a, answer.Caveats); err != nil {
		return err
	}
	return t.add(statementAnswer{Statement: n, Line: p.Line, Answer: answer})
}

// itemBytes is the overhead of one answer in the list, in bytes.
const itemBytes = 40

func (t *answered) failed(n int, p statement.Piece, e *api.Error) (shown bool, err error) {
	said := exit.AsJSON(e)
	return true, t.add(statementAnswer{Statement: n, Line: p.Line, Error: &said})
}

func (t *answered) add(item statementAnswer) error {
	text, err := json.Marshal(item)
	t.shares.Took(len(text) + 1)
	t.batch.Results = append(t.batch.Results, item)
	return err
}

func (t *answered) end() error { return t.a.PrintForReader(t.batch) }

// Carried reports whether a format has the types of Arrow.
func Carried(f output.Format) bool { return f == output.Parquet || f == output.Arrow }
