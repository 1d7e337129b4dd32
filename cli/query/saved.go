package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/statement"
	"github.com/agnes-data/da/statement/params"
)

// NewSavedCmd returns 'da saved'.
func NewSavedCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "saved <command>",
		Short: "Keep questions with the statements that answer them",
		Long: `A saved question is a question in words, with the statement that answers it
and the values of its parameters. It is kept with the instance, on a server
under your name. Others see it once an admin or a member of the group
'curators' has approved it, if they may read all columns of its tables.

Its answers say whether it is approved, and what has changed since: its own
text, the columns of its tables, or the rows that it gave.`,
		Args: cobra.ArbitraryArgs,
		RunE: usage.Group,
	}
	cmd.AddCommand(newSavedAddCmd(a), newSavedListCmd(a), newSavedShowCmd(a), newSavedRunCmd(a), newSavedApproveCmd(a), newSavedRemoveCmd(a))
	return cmd
}

// knower returns what keeps questions. For an instance it is the state of 'da serve',
// because what is kept must not depend on who reads it.
func knower(a *app.App) (api.Knower, error) {
	if _, err := a.Administer(); err != nil {
		return nil, err
	}
	remote, err := a.Connect()
	return remote, err
}

func newSavedAddCmd(a *app.App) *cobra.Command {
	var o Options
	q := api.NewQuestion{}
	cmd := &cobra.Command{
		Use:   "add <name> [SQL | -]",
		Short: "Save a question with the statement that answers it",
		Long: `Add keeps one SELECT under a name. It runs as 'da query --fetch' does, over
tables of the catalog; with --remote in the dialect of its source. --param gives
each $name the value that the question means; 'da saved run' can give another.`,
		Example: "  da saved add late_from 'SELECT count(*) FROM flights WHERE origin = $from' --question 'How many flights left SEA?' --param from=SEA\n" +
			"  da saved add flown 'SELECT count(*) FROM flights' --question 'How many flights were there?'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return usage.Exactly("name")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			sql, err := o.Statement(a, args[1:])
			if err != nil {
				return err
			}
			q.Name, q.SQL = args[0], strings.TrimSpace(sql)
			return runSavedAdd(cmd.Context(), a, q, o.Params)
		},
	}
	f := cmd.Flags()
	f.StringVar(&q.Question, "question", "", "the question in `words`")
	f.StringArrayVar(&q.Also, "also", nil, "other `words` for the same question; may be given again")
	f.StringVar(&o.File, "file", "", "read the statement from this `file`; - is standard input")
	f.BoolVar(&q.Remote, "remote", false, "the statement runs at its source")
	f.BoolVar(&q.Replace, "replace", false, "replace the question of this name; an approval of it no longer holds")
	o.Params.Register(cmd)
	return cmd
}

func runSavedAdd(ctx context.Context, a *app.App, q api.NewQuestion, flags ParamFlags) error {
	if strings.TrimSpace(q.Question) == "" {
		return usage.Error("a saved question needs its words: --question \"…\"")
	}
	values, err := flags.values(a)
	if err != nil {
		return err
	}
	if len(values) > 0 {
		q.Params = map[string]json.RawMessage{}
		for name, value := range values {
			if q.Params[name], err = json.Marshal(value); err != nil {
				return err
			}
		}
	}
	k, err := knower(a)
	if err != nil {
		return err
	}
	if !q.Remote { // the dialect of a source is known once it runs
		b, err := filledQuestion(ctx, &q, values, localAsker{})
		if err != nil {
			return err
		}
		if _, err := tablesRead(ctx, a, b); err != nil {
			return err
		}
	}
	saved, err := k.SaveQuestion(ctx, q)
	if err != nil {
		return err
	}
	return showQuestion(a, saved)
}

// filledQuestion returns the one statement of a question with the values of its parameters.
func filledQuestion(ctx context.Context, q *api.NewQuestion, values params.Values, ask asker) (*batch, error) {
	b, err := newBatch(q.SQL, q.Remote)
	if err != nil {
		return nil, err
	}
	if len(b.Pieces) != 1 {
		return nil, usage.Error("a saved question has one statement")
	}
	filler := params.NewFiller(values)
	if err := b.fill(ctx, ask, filler); err != nil {
		return nil, err
	}
	return b, exit.About(q.SQL, filler.Done())
}

// tablesRead lists the names that the statement of a question reads, which is proven to
// only read.
func tablesRead(ctx context.Context, a *app.App, b *batch) ([]string, error) {
	work, err := a.Analyst()
	if err != nil {
		return nil, err
	}
	eng, err := work.OpenEngine(false)
	if err != nil {
		return nil, err
	}
	defer eng.Close()
	sel, err := statement.CheckWithResults(ctx, eng.Conn, b.SQL(0))
	if err != nil {
		return nil, b.failed(0, err)
	}
	return sel.Tables, nil
}

// savedList is what da saved list prints with --json.
type savedList struct {
	Questions []api.SavedQuestion `json:"questions"`
}

func newSavedListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the saved questions",
		Example: "  da saved list\n  da saved list --json",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			remote, err := a.Connect()
			if err != nil {
				return err
			}
			known, err := remote.Known(cmd.Context())
			if err != nil {
				return err
			}
			list := output.List{Columns: []string{"name", "approved", "owner", "question"}}
			for i := range known.Questions {
				q := &known.Questions[i]
				list.Rows = append(list.Rows, []any{q.Name, standing(q), q.Owner, q.Question})
			}
			if err := a.ShowItems(a.OutputFormat(), savedList{known.Questions}, list, known.Questions); err != nil {
				return err
			}
			if len(known.Questions) == 0 {
				a.Note("no questions are saved; 'da saved add' saves one")
			}
			return nil
		},
	}
}

// standing says in a word or two whether a question is approved.
func standing(q *api.SavedQuestion) string {
	switch {
	case q.Approved == nil:
		return "no"
	case len(q.Changed) > 0:
		return "changed since"
	}
	return "yes"
}

func newSavedShowCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:               "show <name>",
		Short:             "Show a saved question and its statement",
		Example:           "  da saved show late_from",
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
			return showQuestion(a, q)
		},
	}
}

func showQuestion(a *app.App, q *api.SavedQuestion) error {
	if format := a.OutputFormat(); format != output.Table {
		return a.ShowRecord(format, q)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", q.Name, printable.Line(q.Question))
	for _, also := range q.Also {
		fmt.Fprintf(&b, "  or: %s\n", printable.Line(also))
	}
	fmt.Fprintf(&b, "\n%s\n\n", printable.Text(q.SQL))
	for _, name := range sortedNames(q.Params) {
		fmt.Fprintf(&b, "$%s is %s\n", printable.Line(name), printable.Line(string(q.Params[name])))
	}
	if _, err := fmt.Fprint(a.IO.Out, b.String()); err != nil {
		return err
	}
	a.Note(standingCaveat(q).Text)
	return nil
}

func sortedNames(values map[string]json.RawMessage) []string {
	names := []string{}
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func newSavedRemoveCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:               "remove <name>",
		Short:             "Remove a saved question",
		Example:           "  da saved remove flown",
		Args:              usage.Exactly("name"),
		ValidArgsFunction: completeSaved(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := knower(a)
			if err != nil {
				return err
			}
			if err := k.DropQuestion(cmd.Context(), args[0]); err != nil {
				return err
			}
			return a.ReportDone("question '" + args[0] + "' is removed")
		},
	}
}

// completeSaved suggests names of questions.
func completeSaved(a *app.App) func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(a.Ctx, a.CompletionWait)
		defer cancel()
		remote, err := a.Connect()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		known, err := remote.Known(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var words []cobra.Completion
		for _, q := range known.Questions {
			words = append(words, q.Name)
		}
		return usage.Starting(word, words), cobra.ShellCompDirectiveNoFileComp
	}
}
