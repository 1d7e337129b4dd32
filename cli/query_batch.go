package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/params"
	"github.com/agnes-data/da/statement"
	"github.com/agnes-data/da/table/xlsx"
)

// batch is the statements of one call.
type batch struct {
	text   string
	pieces []statement.Piece
	steps  map[int]statement.Definition // those that name a step, by their index
	filled []*params.Filled             // the same with the values of parameters
}

// fill puts the values of parameters into all statements, before any is run.
func (b *batch) fill(ctx context.Context, ask asker, values *filler) error {
	for i, p := range b.pieces {
		flavor := ""
		if params.Mentions(p.Text) {
			var err error
			if flavor, err = ask.flavor(ctx, p.Text); err != nil {
				return b.about(i, err)
			}
		}
		filled, err := values.fill(p.Text, flavor)
		if err != nil {
			return b.about(i, err)
		}
		b.filled = append(b.filled, filled)
		if _, ok := b.steps[i]; !ok {
			continue
		}
		if b.steps[i], _, err = statement.Defines(filled.Text); err != nil {
			return b.about(i, filled.Explain(err))
		}
	}
	return values.done()
}

// newBatch reads the statements of a text.
func newBatch(text string, atSource bool) (*batch, error) {
	b := &batch{text: text, pieces: takeApart(text, atSource), steps: map[int]statement.Definition{}}
	for i, p := range b.pieces {
		d, ok, err := statement.Defines(p.Text)
		if err != nil {
			return nil, b.about(i, err)
		}
		if ok {
			b.steps[i] = d
		}
	}
	if b.answers() == 0 {
		return nil, b.about(len(b.pieces)-1, &api.Error{Code: api.CodeStatement, Kind: statement.NotSelect, Message: "no statement is answered: each one only names a step",
			Hint: "Add a SELECT that reads the steps; they are gone at the end of the call. To keep rows, fetch or import them as a snapshot, or write them to a file with --out."})
	}
	return b, nil
}

// answers is how many statements have a result.
func (b *batch) answers() int { return len(b.pieces) - len(b.steps) }

// about says of an error which statement it is about, and where in the text.
func (b *batch) about(i int, err error) error {
	p := b.pieces[i]
	err = statement.Behind(b.text[:p.At], err)
	if err == nil || len(b.pieces) == 1 {
		return exit.About(b.text, err)
	}
	e := exit.Failure(err, false)
	if e.Code == api.CodeInterrupted {
		return err
	}
	said := *e
	said.Message = fmt.Sprintf("statement %d (line %d): %s", i+1, p.Line, e.Message)
	said.Details = map[string]any{"line": p.Line, "column": p.Column}
	maps.Copy(said.Details, e.Details)
	said.Details["statement"] = i + 1
	said.Err = err
	return exit.About(b.text, &said)
}

// shower shows the results of several statements.
type shower interface {
	// portable says how the statements are run.
	portable() bool
	// show shows one result; n is the number of its statement, from 1. What went
	// wrong with the statement is returned, and not shown.
	show(ctx context.Context, n int, p statement.Piece, q *queried) error
	// failed is told that a statement has failed, and whether it has shown that.
	failed(n int, p statement.Piece, e *api.Error) (shown bool, err error)
	// end is called once, behind the last result.
	end() error
}

// run runs all statements and shows their results. The first error ends it, or
// is that of the whole call with keepGoing.
func (b *batch) run(ctx context.Context, a *app.App, ask asker, to shower, keepGoing bool) error {
	var failures []*api.Error
	for i, p := range b.pieces {
		err := b.one(ctx, a, i, ask, to)
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
			exit.Write(a.IO.Err, e, b.text, a.ErrorsAsJSON())
		}
	}
	if err := to.end(); err != nil || len(failures) == 0 {
		return err
	}
	first := *failures[0]
	first.Hint, first.Next = "", nil
	first.Message = fmt.Sprintf("%d of %d statements failed; the first: %s", len(failures), len(b.pieces), first.Message)
	return &first
}

// one runs statement i.
func (b *batch) one(ctx context.Context, a *app.App, i int, ask asker, to shower) error {
	progress := a.Progress(ask.doing())
	defer progress.Stop()
	if d, ok := b.steps[i]; ok {
		warnings, err := ask.define(ctx, d)
		app.WarnOn(progress, warnings)
		return b.about(i, b.filled[i].Explain(err))
	}
	q, err := ask.ask(ctx, b.filled[i].Text, to.portable())
	if err != nil {
		return b.about(i, b.filled[i].Explain(err))
	}
	defer q.close()
	q.progress = progress
	return b.about(i, b.filled[i].Explain(to.show(ctx, i+1, b.pieces[i], q)))
}

// single runs the steps and then the one statement that is answered.
func (b *batch) single(ctx context.Context, a *app.App, ask asker, o queryOptions, portable bool, show func(*queried) error) error {
	return b.run(ctx, a, ask, &only{portable, show}, o.keepGoing)
}

// several shows the results of more than one statement.
func (b *batch) several(ctx context.Context, a *app.App, o queryOptions, ask asker, format output.Format, tokens int) error {
	run := func(to shower) error { return b.run(ctx, a, ask, to, o.keepGoing) }
	plain := only{carried: carried(format)}
	switch {
	case tokens > 0 && format == output.JSON && o.out == "":
		to, err := newAnswers(a, o, tokens, b.answers())
		if err != nil {
			return err
		}
		return run(to)
	case strings.Contains(o.out, numbered):
		return run(&files{only: plain, a: a, o: o, as: format, written: []writtenFile{}})
	case o.out != "":
		return b.oneFile(a, o, format, run)
	case format == output.JSON:
		return a.Page(func(w io.Writer) error { return run(&list{a: a, o: o, w: w, summed: &summed{}}) })
	}
	return run(&tablesBelow{only: plain, a: a, o: o, as: format})
}

// oneFile writes all results into the file of --out: a workbook, or a list in
// JSON. With keepGoing it has those of the statements that did not fail.
func (b *batch) oneFile(a *app.App, o queryOptions, format output.Format, run func(shower) error) error {
	all := &summed{}
	var failed error
	err := output.CreateFile(a.Absolute(o.out), o.force, func(w io.Writer) error {
		if format == output.JSON {
			failed = run(&list{a: a, o: o, w: w, summed: all})
		} else {
			book := xlsx.NewBook(w)
			defer book.Abort()
			if failed = run(&sheets{a: a, o: o, book: book, summed: all}); failed == nil || o.keepGoing && all.whole() {
				return book.Close()
			}
		}
		if o.keepGoing && all.whole() {
			return nil
		}
		return failed
	})
	if err != nil {
		return err
	}
	file, err := fileOf(a, o.out, all.rows, all.cut)
	if err != nil {
		return err
	}
	return cmp.Or(reportFile(a, file), failed)
}

// summed counts what several results have written.
type summed struct {
	results int
	rows    int64
	cut     bool // by --limit
	broken  bool // a result ends in the middle, and nothing there says so
}

func (s *summed) add(part output.Summary) {
	s.results, s.rows, s.cut = s.results+1, s.rows+part.Rows, s.cut || part.Truncated
}

// whole reports whether what is written can be kept.
func (s *summed) whole() bool { return s.results > 0 && !s.broken }

// checkTargets refuses, for several statements, what only one can write to, and
// files that cannot be written.
func (b *batch) checkTargets(a *app.App, o *queryOptions, format output.Format) error {
	many := b.answers() > 1
	if many && o.plot.wanted() {
		return &api.Error{Code: api.CodeUsage, Message: "a plot shows the result of one statement, and there are " + strconv.Itoa(b.answers()), Hint: "Name steps with CREATE TEMP VIEW, or draw them one by one."}
	}
	if many && !strings.Contains(o.out, numbered) {
		alone := format != output.Table && format != output.Markdown && format != output.JSON
		if o.out == "" && alone || o.out != "" && format != output.XLSX && format != output.JSON {
			return &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("there are %d results, and %s holds one", b.answers(), format),
				Hint: "Write each to a file of its own, --out 'r{n}." + string(format) + "', all to the sheets of one workbook, --out results.xlsx, or take --json."}
		}
	}
	if o.out == "" {
		return nil
	}
	if !many && !strings.Contains(o.out, numbered) {
		return output.CheckTarget(a.Absolute(o.out), o.force)
	}
	for i := range b.pieces {
		if _, step := b.steps[i]; step {
			continue
		}
		name := numberedFile(o.out, i+1)
		if err := output.CheckTarget(a.Absolute(name), o.force); err != nil {
			return err
		}
		if !many {
			o.out = name
		}
	}
	return nil
}

// only shows the one result of a call.
type only struct {
	carried bool
	to      func(*queried) error
}

func (o *only) portable() bool { return o.carried }

func (o *only) show(_ context.Context, _ int, _ statement.Piece, q *queried) error { return o.to(q) }

func (o *only) failed(int, statement.Piece, *api.Error) (shown bool, err error) { return false, nil }

func (o *only) end() error { return nil }
