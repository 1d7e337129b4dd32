package query

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// standingCaveat says whether a question is approved, and what has changed since.
func standingCaveat(q *api.SavedQuestion) api.Caveat {
	switch {
	case q.Approved == nil:
		return api.NewCaveat(api.CaveatOther, "question '%s' is not approved", q.Name)
	case len(q.Changed) == 0:
		c := api.NewCaveat(api.CaveatOther, "question '%s' was approved by %s on %s", q.Name, q.Approved.By, q.Approved.At.Format(time.DateOnly))
		c.Reason = api.ReasonApproved
		return c
	}
	var what []string
	for _, change := range q.Changed {
		kind, table, _ := strings.Cut(change, ":")
		switch kind {
		case "definition":
			what = append(what, "its own text")
		case "schema":
			what = append(what, "the columns of "+table)
		case "result":
			what = append(what, "its rows")
		default:
			what = append(what, "perhaps the columns of "+table+", which cannot be looked at")
		}
	}
	return api.NewCaveat(api.CaveatChanged, "question '%s' has changed since %s approved it on %s: %s", q.Name, q.Approved.By,
		q.Approved.At.Format(time.DateOnly), strings.Join(what, "; "))
}

func newSavedRunCmd(a *app.App) *cobra.Command {
	o := Options{expect: &expectations{}}
	cmd := &cobra.Command{
		Use:   "run <name>",
		Short: "Answer a saved question",
		Long: `Run answers with the statement of the question, as 'da query --fetch' does; a
--param takes the place of the question's own value.`,
		Example:           "  da saved run late_from --param from=JFK",
		Args:              usage.Exactly("name"),
		ValidArgsFunction: completeSaved(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			remote, err := a.Connect()
			if err != nil {
				return err
			}
			q, err := remote.SavedQuestion(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := o.Params.startFrom(q.Params); err != nil {
				return err
			}
			o.LimitGiven = cmd.Flags().Changed("limit")
			return o.runSaved(cmd.Context(), a, q, !o.Params.given())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.fresh, "fresh", false, "read it at the source even if it is here")
	o.registerResult(f)
	o.Params.Register(cmd)
	o.expect.register(cmd)
	return cmd
}

// AnswerSaved answers a question as 'da saved run' does, with these values of its parameters.
func AnswerSaved(ctx context.Context, a *app.App, q *api.SavedQuestion, values map[string]json.RawMessage) error {
	o := Options{expect: &expectations{}}
	if err := o.Params.startFrom(values); err != nil {
		return err
	}
	return o.runSaved(ctx, a, q, maps.EqualFunc(values, q.Params, slices.Equal))
}

// runSaved answers a question; own says that its parameters have its own values.
func (o Options) runSaved(ctx context.Context, a *app.App, q *api.SavedQuestion, own bool) error {
	o.remote, o.fetch = q.Remote, !q.Remote
	o.Started, o.recorded = time.Now(), &[]api.Caveat{}
	o.marked = func(rows api.Rows) api.Rows { return marked(rows, q, own) }
	return Run(ctx, a, o, q.SQL)
}

// markedAsker marks the results of a question with its standing.
type markedAsker struct {
	asker
	marked func(api.Rows) api.Rows
}

func (m markedAsker) Ask(ctx context.Context, sql string, portable bool) (*Queried, error) {
	q, err := m.asker.Ask(ctx, sql, portable)
	if err == nil {
		q.Rows = m.marked(q.Rows)
	}
	return q, err
}

// markedRows say whether the question that they answer is approved, and at their end
// whether they are those that were approved.
type markedRows struct {
	api.Rows
	question api.SavedQuestion
	compare  bool // the rows with those that were approved
	other    bool // its parameters have other values than those that were approved
	sum      rowsSum
	began    bool
	ended    bool
}

// Next implements array.RecordReader.
func (m *markedRows) Next() bool {
	m.began = true
	if m.Rows.Next() {
		if m.compare {
			m.sum.add(m.Rows)
		}
		return true
	}
	if m.compare && !m.ended && m.Err() == nil && m.sum.text() != m.question.Approved.Result {
		m.question.Changed = append(m.question.Changed, "result")
	}
	m.ended = true
	return false
}

// Caveats implements api.Rows.
func (m *markedRows) Caveats() []api.Caveat {
	own := standingCaveat(&m.question)
	switch {
	case m.compare && !m.began:
		return m.Rows.Caveats() // it is not known yet
	case m.compare && !m.ended: // whoever reads wants no more of them
		own.Text += "; not all rows were read, so they were not compared with those"
	case m.question.Approved == nil:
	case m.other:
		own.Text += "; these rows are of other parameters, and nobody has looked at them"
	case m.question.Approved.Result == "":
		own.Text += "; its rows were not compared"
	}
	return append(slices.Clip(m.Rows.Caveats()), own)
}

// rowsSum is a hash of rows in whatever order, with floats to twelve digits, because
// engines add up in several threads.
type rowsSum struct {
	rows uint64
	sum  [4]uint64
}

func (s *rowsSum) add(rows api.Rows) {
	for _, row := range arrowjson.Rows(rows.RecordBatch()) {
		for i, v := range row.Values {
			if f, ok := v.(float64); ok {
				row.Values[i] = fmt.Sprintf("%.12g", f)
			}
		}
		text, err := json.Marshal(row)
		if err != nil {
			text = fmt.Append(nil, row.Values...)
		}
		hash := sha256.Sum256(text)
		for i := range s.sum {
			s.sum[i] += binary.BigEndian.Uint64(hash[8*i:])
		}
		s.rows++
	}
}

func (s *rowsSum) text() string {
	out := binary.BigEndian.AppendUint64(nil, s.rows)
	for _, n := range s.sum {
		out = binary.BigEndian.AppendUint64(out, n)
	}
	return hex.EncodeToString(out)
}

func newSavedApproveCmd(a *app.App) *cobra.Command {
	var noRun bool
	cmd := &cobra.Command{
		Use:   "approve <name>",
		Short: "Approve a saved question as it is now",
		Long: `Approve runs the question with its own parameters and keeps a hash of the
rows, so that later answers say if they differ. From then on everybody sees it
who may read all columns of its tables. It is for admins and members of the
group 'curators'.`,
		Example:           "  da saved approve late_from",
		Args:              usage.Exactly("name"),
		ValidArgsFunction: completeSaved(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSavedApprove(cmd.Context(), a, args[0], !noRun)
		},
	}
	cmd.Flags().BoolVar(&noRun, "no-run", false, "approve it without its rows")
	return cmd
}

func runSavedApprove(ctx context.Context, a *app.App, name string, run bool) error {
	k, err := knower(a)
	if err != nil {
		return err
	}
	q, err := k.SavedQuestion(ctx, name)
	if err != nil {
		return err
	}
	if err := onlyOfTheCatalog(ctx, a, q); err != nil {
		return err
	}
	approved := api.NewApproval{Definition: q.Definition}
	if run {
		if approved.Result, err = resultOf(ctx, a, q); err != nil {
			return err
		}
	}
	if q, err = k.ApproveQuestion(ctx, name, approved); err != nil {
		return err
	}
	return showQuestion(a, q)
}

// onlyOfTheCatalog refuses what nobody else can read: a snapshot, or what others have under
// that name.
func onlyOfTheCatalog(ctx context.Context, a *app.App, q *api.SavedQuestion) error {
	if q.Remote {
		return nil // it has only the source's
	}
	var flags ParamFlags
	if err := flags.startFrom(q.Params); err != nil {
		return err
	}
	b, err := filledQuestion(ctx, &q.NewQuestion, flags.base, localAsker{})
	if err != nil {
		return err
	}
	names, err := tablesRead(ctx, a, b)
	if err != nil {
		return err
	}
	for _, name := range names {
		if table, _ := api.AsOf(name); !slices.Contains(q.Tables, table) {
			return &api.Error{Code: api.CodeBadRequest, Kind: api.KindBadQuestion,
				Message: fmt.Sprintf("the statement reads '%s', which the catalog does not have", name),
				Hint:    "Only what others can read can be approved: a statement over tables of the catalog.",
				Next:    []api.Step{api.Do(api.ActionCatalog, "see the tables")}}
		}
	}
	return nil
}

// resultOf runs a question with its own parameters, and returns the hash of its rows.
func resultOf(ctx context.Context, a *app.App, q *api.SavedQuestion) (string, error) {
	var sum rowsSum
	err := SavedRows(ctx, a, q, q.Params, func(_ string, rows api.Rows) error {
		for rows.Next() {
			sum.add(rows)
		}
		return rows.Err()
	})
	return sum.text(), err
}

// SavedRows runs a question with these values of its parameters, and hands its statement
// and rows to read, with what is known of the question among their caveats.
func SavedRows(ctx context.Context, a *app.App, q *api.SavedQuestion, values map[string]json.RawMessage,
	read func(sql string, rows api.Rows) error) error {
	var flags ParamFlags
	if err := flags.startFrom(values); err != nil {
		return err
	}
	ask, err := NewAsker(ctx, a, Options{remote: q.Remote, fetch: !q.Remote, expect: &expectations{}}, 1)
	if err != nil {
		return err
	}
	defer ask.Close()
	b, err := filledQuestion(ctx, &q.NewQuestion, flags.base, ask)
	if err != nil {
		return err
	}
	result, err := ask.Ask(ctx, b.SQL(0), false)
	if err != nil {
		return b.failed(0, err)
	}
	defer result.Close()
	return b.failed(0, read(b.SQL(0), marked(result.Rows, q, maps.EqualFunc(values, q.Params, slices.Equal))))
}

// marked are the rows of a question with its standing; own says that its parameters have
// its own values.
func marked(rows api.Rows, q *api.SavedQuestion, own bool) *markedRows {
	return &markedRows{Rows: rows, question: *q, other: !own, compare: own && q.IsApproved() && q.Approved.Result != ""}
}
