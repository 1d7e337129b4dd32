// Package complete suggests tables, columns, snapshots and logins to shells. It
// prints nothing: after any error it has no suggestions.
package complete

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/source/registry"
)

// Completer suggests completions. It prints nothing: after any error it has no
// suggestions.
type Completer = func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective)

// Table suggests table ids for the first argument.
func Table(a *app.App) Completer {
	return func(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return TableWords(a, word), cobra.ShellCompDirectiveNoFileComp
	}
}

// TableWords asks the server for the tables that begin with word. In embedded mode it
// reads the instance file and opens no source.
func TableWords(a *app.App, word string) []cobra.Completion {
	url, err := a.ServerToUse()
	if err != nil {
		return nil
	}
	var words []cobra.Completion
	add := func(id, about string) {
		if strings.HasPrefix(id, word) {
			words = append(words, worded(id, about))
		}
	}
	if url == "" {
		path, err := a.Places().Instance(a.InstancePath)
		if err != nil {
			return nil
		}
		inst, err := config.LoadInstance(path, registry.Types())
		if err != nil {
			return nil
		}
		for _, t := range inst.Tables {
			add(t.ID, t.Description)
		}
		return words
	}
	ctx, cancel := context.WithTimeout(a.Ctx, a.CompletionWait)
	defer cancel()
	if _, err := a.Connect(); err != nil || a.Served == nil {
		return nil
	}
	_, err = a.Served.EachTable(ctx, func() error {
		words = nil
		return nil
	}, func(t *api.Table) error {
		add(t.ID, t.Description)
		return nil
	})
	if err != nil {
		return nil
	}
	return words
}

// Columns suggests columns of the table in the first argument, again
// after each comma.
func Columns(a *app.App) Completer {
	return func(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		if len(args) == 0 {
			return nil, directive
		}
		return columnWords(a, args[0], word), directive
	}
}

func columnWords(a *app.App, table, word string) []cobra.Completion {
	ctx, cancel := context.WithTimeout(a.Ctx, a.CompletionWait)
	defer cancel()
	remote, err := a.Connect()
	if err != nil {
		return nil
	}
	schema, err := remote.Schema(ctx, table)
	if err != nil {
		return nil
	}
	return StartingColumns(word, schema.Columns)
}

// TableColumn suggests tables, and behind a point the columns of the table.
func TableColumn(a *app.App) Completer {
	return func(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		if len(args) == 1 {
			return columnWords(a, args[0], word), directive
		}
		table, begun, ok := strings.Cut(word, ".")
		if len(args) > 1 || !ok {
			return TableWords(a, word), directive
		}
		words := columnWords(a, table, begun)
		for i := range words {
			words[i] = table + "." + words[i]
		}
		return words, directive
	}
}

// StartingColumns returns the columns that can follow the last comma of a word.
func StartingColumns(word string, columns []api.Column) []cobra.Completion {
	done, begun := "", word
	if comma := strings.LastIndexByte(word, ','); comma >= 0 {
		done, begun = word[:comma+1], word[comma+1:]
	}
	var words []cobra.Completion
	for _, c := range columns {
		// Skip names that need quotes in a list.
		plain := !strings.ContainsAny(c.Name, ",\"` \t\n") && printable.Line(c.Name) == c.Name
		if plain && strings.HasPrefix(c.Name, begun) && !slices.Contains(strings.Split(done, ","), c.Name) {
			words = append(words, worded(done+c.Name, c.Type))
		}
	}
	return words
}

// Snapshot suggests names of snapshots for up to most arguments.
func Snapshot(a *app.App, most int) Completer {
	return func(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if most > 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		store, err := a.OpenStore()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, err := store.List()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var words []cobra.Completion
		for _, m := range all {
			if !slices.Contains(args, m.Name) {
				words = append(words, worded(m.Name, "of "+m.TableID))
			}
		}
		return usage.Starting(word, words), cobra.ShellCompDirectiveNoFileComp
	}
}

// Format suggests output formats.
func Format(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var words []cobra.Completion
	for _, f := range output.Formats {
		words = append(words, string(f))
	}
	return usage.Starting(word, words), cobra.ShellCompDirectiveNoFileComp
}

// Login suggests the names of logins.
func Login(a *app.App) Completer {
	return func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		logins, err := config.LoadLogins(a.Places())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var words []cobra.Completion
		for _, l := range logins.Servers {
			words = append(words, worded(l.Name, l.URL))
		}
		return usage.Starting(word, words), cobra.ShellCompDirectiveNoFileComp
	}
}

// ForShells adapts the command that is being completed to what shells do with it. args
// are the words so far. Descriptions of flags lose the quoting marks, which only help
// interprets. Names of files are offered only where the usage asks for a file:
// elsewhere they would never be right.
func ForShells(root *cobra.Command, args []string) {
	cmd, _, err := root.Find(args[:max(len(args)-1, 0)])
	if err != nil {
		return
	}
	cmd.CompletionOptions.SetDefaultShellCompDirective(fileNames(cmd.Use))
	adapt := func(f *pflag.Flag) {
		var value string
		value, f.Usage = pflag.UnquoteUsage(f)
		if _, offered := cmd.GetFlagCompletionFunc(f.Name); offered {
			return
		}
		Offer(cmd, f.Name, cobra.FixedCompletions(nil, fileNames(value)))
	}
	cmd.Flags().VisitAll(adapt)
	for c := cmd; c != nil; c = c.Parent() {
		c.PersistentFlags().VisitAll(adapt)
	}
}

// takesFiles matches the usage of an argument or flag that is a file or folder.
var takesFiles = lazyregexp.New(`\b(?:file|folder|path|template)\b`)

// fileNames lets shells complete names of files where a usage asks for one.
func fileNames(usage string) cobra.ShellCompDirective {
	if takesFiles().MatchString(usage) {
		return cobra.ShellCompDirectiveDefault
	}
	return cobra.ShellCompDirectiveNoFileComp
}

// worded returns a word with a description, which may be untrusted text.
func worded(word, about string) cobra.Completion {
	if about == "" {
		return word
	}
	return cobra.CompletionWithDesc(word, printable.Line(about))
}

// Offer registers completions for a flag's values.
func Offer(cmd *cobra.Command, flag string, words Completer) {
	if err := cmd.RegisterFlagCompletionFunc(flag, words); err != nil {
		panic(err) // the flag does not exist: a bug that shows at the first run
	}
}
