package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/plan"
	statements "github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/shell"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/iostreams"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/plot"
	"github.com/agnes-data/da/statement"
	"github.com/agnes-data/da/statement/params"
)

func newShellCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "shell",
		Short: "Query at a prompt, one statement after the other",
		Long: `Shell reads statements that end with a semicolon and shows their results, as
da query does. On a terminal it has line editing, a history, completion with Tab
and colours. Ctrl-C ends the statement that runs, and Ctrl-D leaves.

A line that begins with a backslash is a command: \? lists them, \d lists what
can be queried here, \d NAME shows the columns of one table. Commands of da work
too, as in \fetch flights --where "delay > 60" --as late.

CREATE TEMP VIEW name AS SELECT … names a step for the statements after it, and
CREATE TEMP TABLE also keeps its rows; both end with the shell. \set from SEA
gives $from a value in the statements that follow.

Where no terminal is typed into, the shell reads its input without a prompt and
ends at the first error with that error's exit code.`,
		Example: `  da shell
  echo "SELECT 1; SELECT 2;" | da shell -o csv`,
		Args: usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runShell(cmd, a) },
	}
}

func runShell(cmd *cobra.Command, a *app.App) error {
	home, err := a.Places().Data()
	if err != nil {
		return err
	}
	a.Ctx = context.WithoutCancel(cmd.Context()) // Ctrl-C ends only a statement
	h := &shellHost{a: a, globals: globalsOf(cmd), values: params.Values{}}
	defer h.close()
	a.AtPrompt = true
	err = shell.Run(cmd.Context(), shell.Host{
		IO: a.IO, Getenv: a.Getenv, Now: a.Now, HistoryFile: filepath.Join(home, "shell_history"),
		Query: h.query, Run: h.run, List: h.list, Relations: h.relations,
		Commands: append(promptCommands(cmd.Root()), aliasNames(a, cmd.Root())...),
		Tables:   sync.OnceValue(func() []shell.Word { return shellWords(complete.TableWords(a, "")) }), Complete: h.complete, Edit: a.Edit,
		Show: func(err error) { report(a, atPrompt(a, err)) }, Note: a.Note,
		Settings: &shell.Settings{
			SetFormat: h.setFormat, Format: h.format, Formats: app.FormatNames(), Plots: strings.Fields(plot.KindNames(" ")),
			SetParam: h.set, UnsetParam: h.unset, Params: h.params,
			SetRecords: func(on bool) { a.Records = on }, SetPaged: func(on bool) { a.Unpaged = !on },
		},
	})
	return atPrompt(a, err)
}

// commandInHint matches a command of da in a hint.
var commandInHint = lazyregexp.New(`\bda ([a-z][a-z-]+)`)

// flagInHint matches the advice to give a flag of da query.
var flagInHint = lazyregexp.New(`Pass (--(?:fetch|explain|fresh|limit|max-scan-bytes)) to`)

// atPrompt words an error's next steps as they are typed at the prompt.
func atPrompt(a *app.App, err error) error {
	var known *api.Error
	if a.ErrorsAsJSON() || !errors.As(err, &known) {
		return err
	}
	e := *exit.WithNext(known)
	e.Next = nil
	e.Hint = strings.ReplaceAll(e.Hint, "Pass --out to", `Type \o FILE before it to`)
	e.Hint = flagInHint().ReplaceAllString(e.Hint, `Run it as in \query $1 "SELECT …" to`)
	e.Hint = commandInHint().ReplaceAllStringFunc(e.Hint, func(command string) string {
		if name := strings.TrimPrefix(command, "da "); !slices.Contains(notInShell, name) {
			return `\` + name
		}
		return command
	})
	return exit.About(exit.TextOf(err), &e)
}

// notInShell lists commands that need standard input for themselves, or concern
// the system's shell.
var notInShell = []string{"shell", "serve", "mcp", "completion", "help", "login"}

// promptCommands lists the da commands that work at the prompt.
func promptCommands(root *cobra.Command) []string {
	return slices.DeleteFunc(usage.CommandNames(root), func(name string) bool { return slices.Contains(notInShell, name) })
}

// globalsOf returns the flags that select the server, for commands run by the
// shell.
func globalsOf(cmd *cobra.Command) (args []string) {
	for _, name := range []string{"server", "instance", "max-scan-bytes", "max-tokens"} {
		if f := cmd.Flag(name); f != nil && f.Changed {
			args = append(args, "--"+name+"="+f.Value.String())
		}
	}
	return args
}

// shellHost executes what is typed into the shell.
type shellHost struct {
	a       *app.App
	globals []string
	session *statements.Session // opened by the first statement
	values  params.Values       // set by \set; text or JSON as given
}

// open returns the engine for all statements.
func (h *shellHost) open(ctx context.Context) (*statements.Session, error) {
	if h.session != nil {
		return h.session, nil
	}
	work, err := h.a.Analyst()
	if err == nil {
		h.session, err = statements.Open(ctx, work, plan.Brief)
	}
	return h.session, err
}

func (h *shellHost) close() {
	if h.session != nil {
		h.session.Close()
	}
}

// query runs one statement as da query does.
func (h *shellHost) query(ctx context.Context, sql string, flags ...string) error {
	var o query.Options
	cmd := &cobra.Command{Use: "query"}
	o.Register(cmd)
	if err := cmd.ParseFlags(flags); err != nil {
		return usage.FlagError(cmd, err)
	}
	filled, err := params.Fill(sql, "duckdb", h.values)
	if err != nil {
		return exit.About(sql, settable(err))
	}
	d, defines, err := statement.Defines(filled.Text)
	if err == nil {
		o.Session, err = h.open(ctx)
	}
	if format := h.a.Format; o.Out != "" { // its extension decides, not the format for the screen
		if _, named := output.FormatOf(o.Out); named {
			h.a.Format = ""
			defer func() { h.a.Format = format }()
		}
	}
	o.LimitGiven, o.Started = cmd.Flags().Changed("limit"), h.a.Now()
	switch {
	case err != nil:
	case defines:
		var notes []api.Caveat
		notes, err = o.Session.Define(ctx, d)
		h.a.Tell(notes...)
	default:
		err = query.Run(ctx, h.a, o, filled.Text)
	}
	return exit.About(sql, filled.Explain(err))
}

// run runs another command in a run of its own, so that its flags have no lasting
// effect.
func (h *shellHost) run(ctx context.Context, args ...string) error {
	env, streams := h.a.Env, *h.a.IO
	streams.Out = h.a.BareOut() // a pager needs the terminal itself
	env.IO = &streams
	sub := app.New(ctx, env, append(slices.Clone(h.globals), args...))
	sub.Defaults = h.globals
	defer sub.Close()
	return run(ctx, sub)
}

// list shows what can be queried locally.
func (h *shellHost) list(context.Context) error {
	work, err := h.a.Analyst()
	if err != nil {
		return err
	}
	all, err := statements.Relations(work)
	if err != nil {
		return err
	}
	people := output.List{Columns: []string{"name", "kind", "rows", "size", "of"}}
	for _, r := range all {
		people.Rows = append(people.Rows, []any{r.Name, r.Kind, output.Figure(humanize.Grouped(r.Rows)), output.Figure(humanize.Bytes(r.Bytes)),
			r.Of})
	}
	if err := h.a.ShowItems(h.a.OutputFormat(), all, people, all); err != nil {
		return err
	}
	if len(all) == 0 {
		h.a.Note(`nothing is here yet; \catalog lists the tables, \fetch gets a part of one`)
	}
	return nil
}

// relations lists what a statement can name; nil after any error.
func (h *shellHost) relations() []shell.Relation {
	work, err := h.a.Analyst()
	if err != nil {
		return nil
	}
	all, err := statements.Relations(work)
	if err != nil {
		return nil
	}
	list := make([]shell.Relation, len(all))
	for i, r := range all {
		list[i] = shell.Relation{Name: r.Name, About: r.Kind + ", " + humanize.PluralCount(r.Rows, "row", "rows"), Columns: r.Columns}
	}
	return list
}

// complete asks da's own completion for the words that can follow.
func (h *shellHost) complete(words ...string) []shell.Word {
	var out bytes.Buffer
	env := h.a.Env
	env.IO = &iostreams.Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard}
	sub := app.New(h.a.Ctx, env, slices.Concat([]string{cobra.ShellCompRequestCmd}, h.globals, words))
	defer sub.Close()
	if run(h.a.Ctx, sub) != nil {
		return nil
	}
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	return shellWords(lines[:len(lines)-1]) // the last line is a directive for shells
}

// shellWords converts completions with their descriptions.
func shellWords(lines []string) []shell.Word {
	words := make([]shell.Word, len(lines))
	for i, line := range lines {
		words[i].Text, words[i].About, _ = strings.Cut(line, "\t")
	}
	return words
}

// setFormat sets the format of results.
func (h *shellHost) setFormat(name string) error {
	before := h.a.Format
	h.a.Format = name
	err := h.a.CheckFormat()
	if err != nil {
		h.a.Format = before
	}
	return err
}

// format returns the current format of results.
func (h *shellHost) format() string {
	return string(h.a.OutputFormat())
}
