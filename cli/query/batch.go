package query

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/statement"
	"github.com/agnes-data/da/statement/params"
	"github.com/agnes-data/da/table/xlsx"
)

// batch is the statements of one call.
type batch struct {
	*query.Script
	expect *expectations
}

// newBatch reads the statements of a text.
func newBatch(text string, atSource bool) (*batch, error) {
	script, err := query.NewScript(text, atSource)
	return &batch{Script: script}, exit.About(text, err)
}

// fill fills in the parameters of all statements before any is run.
func (b *batch) fill(ctx context.Context, ask asker, values *params.Filler) error {
	return exit.About(b.Text, b.Fill(values, func(text string) (string, error) { return ask.flavor(ctx, text) }))
}

// failed adds to an error of statement i where the statement is in the text.
func (b *batch) failed(i int, err error) error {
	if err == nil {
		return nil
	}
	if len(b.Pieces) > 1 {
		if e := exit.Failure(err, false); e.Code != api.CodeInterrupted {
			err = e
		}
	}
	return exit.About(b.Text, b.Explain(i, err))
}

// shower shows the results of several statements.
type shower interface {
	// portable says whether values must be portable; see Analyst.Query.
	portable() bool
	// show prints one result; n is the statement's number, from 1. It returns an
	// error of the statement without printing it.
	show(ctx context.Context, n int, p statement.Piece, q *Queried) error
	// failed is called when a statement has failed; shown says whether it has
	// printed the error.
	failed(n int, p statement.Piece, e *api.Error) (shown bool, err error)
	// end is called once, after the last result.
	end() error
}

// run runs all statements and shows their results. It stops at the first error;
// with keepGoing it continues, and returns an error at the end.
func (b *batch) run(ctx context.Context, a *app.App, ask asker, to shower, keepGoing bool) error {
	var failures []*api.Error
	for i, p := range b.Pieces {
		err := b.runStatement(ctx, a, i, ask, to)
		if err == nil {
			continue
		}
		if ctx.Err() != nil || a.OutputFailed() != nil {
			return cmp.Or(a.OutputFailed(), err)
		}
		e := a.Explained(exit.Failure(err, false))
		failures = append(failures, e)
		shown, showErr := to.failed(i+1, p, exit.WithNext(e))
		if showErr != nil {
			return showErr
		}
		if !keepGoing {
			if endErr := to.end(); endErr != nil {
				return endErr
			}
			return err
		}
		if !shown {
			exit.Write(a.IO.Err, a.IO.ErrWidth, e, b.Text, a.ErrorsAsJSON())
		}
	}
	if err := to.end(); err != nil || len(failures) == 0 {
		return err
	}
	first := *failures[0]
	first.Hint, first.Next = "", nil
	first.Message = fmt.Sprintf("%d of %d statements failed; the first: %s", len(failures), len(b.Pieces), first.Message)
	return &first
}

// runStatement runs statement i.
func (b *batch) runStatement(ctx context.Context, a *app.App, i int, ask asker, to shower) error {
	progress := a.Progress(ask.doing())
	defer progress.Stop()
	if d, ok := b.Step(i); ok {
		caveats, err := ask.define(ctx, d)
		a.Tell(caveats...)
		return b.failed(i, err)
	}
	q, err := ask.Ask(ctx, b.SQL(i), to.portable())
	if err != nil {
		return b.failed(i, err)
	}
	defer q.Close()
	q.Progress = progress
	err = to.show(ctx, i+1, b.Pieces[i], q)
	if err == nil && q.checked != nil {
		err = q.checked(ctx)
	}
	if b.Answers() > 1 {
		b.expect.of(i + 1)
	}
	return b.failed(i, err)
}

// single runs the steps, and then the one statement with a result.
func (b *batch) single(ctx context.Context, a *app.App, ask asker, o Options, portable bool, show func(*Queried) error) error {
	return b.run(ctx, a, ask, &only{portable, show}, o.keepGoing)
}

// several shows the results of more than one statement.
func (b *batch) several(ctx context.Context, a *app.App, o Options, ask asker, format output.Format, tokens int) error {
	run := func(to shower) error { return b.run(ctx, a, ask, to, o.keepGoing) }
	plain := only{carried: Carried(format)}
	switch {
	case tokens > 0 && format == output.JSON && o.Out == "":
		to, err := newAnswers(a, o, tokens, b.Answers())
		if err != nil {
			return err
		}
		return run(to)
	case strings.Contains(o.Out, numbered):
		return run(&files{only: plain, a: a, o: o, as: format, written: []WrittenFile{}})
	case o.Out != "":
		return b.oneFile(a, o, format, run)
	case format == output.JSON:
		return a.Page(func(w io.Writer) error { return run(&list{a: a, o: o, w: w, summed: &summed{}}) })
	}
	return run(&tablesBelow{only: plain, a: a, o: o, as: format})
}

// oneFile writes all results into the file of --out: a workbook, or a JSON list.
// With keepGoing, failed statements are missing from it.
func (b *batch) oneFile(a *app.App, o Options, format output.Format, run func(shower) error) error {
	all := &summed{}
	var failed error
	err := output.CreateFile(a.Absolute(o.Out), o.Force, func(w io.Writer) error {
		if format == output.JSON {
			failed = run(&list{a: a, o: o, w: w, summed: all})
		} else {
			book := xlsx.NewBook(w)
			defer book.Abort()
			note := reports.NewReceipt(a.Now())
			if failed = run(&sheets{a: a, o: o, book: book, note: note, summed: all}); failed == nil || o.keepGoing && all.complete() {
				if o.Limit == 0 && !o.noReceipt {
					if err := note.Into(book); err != nil {
						return err
					}
				}
				return book.Close()
			}
		}
		if o.keepGoing && all.complete() {
			return nil
		}
		return failed
	})
	if err != nil {
		return err
	}
	file, err := FileOf(a, o.Out, all.rows, all.cut, all.caveats)
	if err != nil {
		return err
	}
	return cmp.Or(ReportFile(a, file), failed)
}

// summed counts what was written for several results.
type summed struct {
	results int
	rows    int64
	cut     bool // by --limit
	broken  bool // a result is incomplete, and the file does not show it
	caveats []api.Caveat
}

func (s *summed) add(part output.Summary) {
	s.results, s.rows, s.cut = s.results+1, s.rows+part.Rows, s.cut || part.Truncated
	s.caveats = append(s.caveats, part.Caveats...)
}

// complete reports whether the file can be kept.
func (s *summed) complete() bool { return s.results > 0 && !s.broken }

// checkTargets rejects outputs that several statements cannot share, and files
// that cannot be written.
func (b *batch) checkTargets(a *app.App, o *Options, format output.Format) error {
	many := b.Answers() > 1
	if many && o.Plot.Wanted() {
		return &api.Error{Code: api.CodeUsage, Message: "a plot shows the result of one statement, and there are " + strconv.Itoa(b.Answers()),
			Hint: "Name steps with CREATE TEMP VIEW, or draw them one by one."}
	}
	if many && !strings.Contains(o.Out, numbered) {
		alone := format != output.Table && format != output.Markdown && format != output.JSON
		if o.Out == "" && alone || o.Out != "" && format != output.XLSX && format != output.JSON {
			return &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("there are %d results, and %s holds one", b.Answers(), format),
				Hint: "Write each to a file of its own, --out 'r{n}." + string(format) +
					"', all to the sheets of one workbook, --out results.xlsx, or take --json or -o table, which show all."}
		}
	}
	if o.Out == "" {
		return nil
	}
	if !many && !strings.Contains(o.Out, numbered) {
		return output.CheckTarget(a.Absolute(o.Out), o.Force)
	}
	for i := range b.Pieces {
		if _, step := b.Step(i); step {
			continue
		}
		name := numberedFile(o.Out, i+1)
		if err := output.CheckTarget(a.Absolute(name), o.Force); err != nil {
			return err
		}
		if !many {
			o.Out = name
		}
	}
	return nil
}

// only shows the single result of a call.
type only struct {
	carried bool
	to      func(*Queried) error
}

func (o *only) portable() bool { return o.carried }

func (o *only) show(_ context.Context, _ int, _ statement.Piece, q *Queried) error { return o.to(q) }

func (o *only) failed(int, statement.Piece, *api.Error) (shown bool, err error) { return false, nil }

func (o *only) end() error { return nil }
