package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/printable"
	"github.com/agnes-data/da/source/registry"
)

// completionPatience is how long a server may take to help with a word. Nobody
// waits for a key longer, and typing goes on without it.
const completionPatience = 1500 * time.Millisecond

// completer offers words for what is being typed. It is silent: whatever fails
// offers nothing.
type completer = func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective)

// completeTable offers table ids for the first argument.
func (a *app) completeTable(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return starting(word, a.tableWords()), cobra.ShellCompDirectiveNoFileComp
}

// tableWords asks the server; in embedded mode the instance file tells, and no
// source is opened.
func (a *app) tableWords() []cobra.Completion {
	url, err := a.server()
	if err != nil {
		return nil
	}
	var words []cobra.Completion
	if url == "" {
		path, err := a.places().Instance(a.instancePath)
		if err != nil {
			return nil
		}
		inst, err := config.LoadInstance(path, registry.Types())
		if err != nil {
			return nil
		}
		for _, t := range inst.Tables {
			words = append(words, worded(t.ID, t.Description))
		}
		return words
	}
	ctx, cancel := context.WithTimeout(a.ctx, completionPatience)
	defer cancel()
	remote, err := a.connect()
	if err != nil {
		return nil
	}
	tables, err := remote.Tables(ctx)
	if err != nil {
		return nil
	}
	for _, t := range tables.Tables {
		words = append(words, worded(t.ID, t.Description))
	}
	return words
}

// completeColumns offers column names of the table that is the first argument,
// after each comma again.
func (a *app) completeColumns(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	if len(args) == 0 {
		return nil, directive
	}
	ctx, cancel := context.WithTimeout(a.ctx, completionPatience)
	defer cancel()
	remote, err := a.connect()
	if err != nil {
		return nil, directive
	}
	schema, err := remote.Schema(ctx, args[0])
	if err != nil {
		return nil, directive
	}
	done, begun := "", word
	if comma := strings.LastIndexByte(word, ','); comma >= 0 {
		done, begun = word[:comma+1], word[comma+1:]
	}
	var words []cobra.Completion
	for _, c := range schema.Columns {
		// What a list cannot hold without quotes is for those who write them.
		plain := !strings.ContainsAny(c.Name, ",\"` \t\n") && printable.Line(c.Name) == c.Name
		if plain && strings.HasPrefix(c.Name, begun) && !slices.Contains(strings.Split(done, ","), c.Name) {
			words = append(words, worded(done+c.Name, c.Type))
		}
	}
	return words, directive
}

// completeSnapshot offers names of snapshots, as many times as the command
// takes one.
func (a *app) completeSnapshot(most int) completer {
	return func(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if most > 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		store, err := a.openStore()
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
		return starting(word, words), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFormat offers the output formats.
func completeFormat(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var words []cobra.Completion
	for _, f := range output.Formats {
		words = append(words, string(f))
	}
	return starting(word, words), cobra.ShellCompDirectiveNoFileComp
}

// worded is a word with a few words about it, which may come from others.
func worded(word, about string) cobra.Completion {
	if about == "" {
		return word
	}
	return cobra.CompletionWithDesc(word, printable.Line(about))
}

func starting(word string, words []cobra.Completion) []cobra.Completion {
	return slices.DeleteFunc(words, func(w cobra.Completion) bool { return !strings.HasPrefix(w, word) })
}

// offer makes a flag's values known to completion.
func offer(cmd *cobra.Command, flag string, words completer) {
	if err := cmd.RegisterFlagCompletionFunc(flag, words); err != nil {
		panic(err) // the flag is not there: a fault of this program, seen at its first run
	}
}
