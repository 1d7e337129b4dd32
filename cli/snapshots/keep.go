package snapshots

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/snapshot"
)

func newSnapshotRenameCmd(a *app.App) *cobra.Command {
	return keepCmd(a, "renamed", keep.Rename, &cobra.Command{
		Use:     "rename <name> <new name>",
		Aliases: []string{"mv"},
		Short:   "Give a snapshot another name",
		Long: `Rename gives a snapshot another name. If the process is killed on the way, the
rows are there under the old name, or under both: give the command again.`,
		Example: "  da snapshot rename late late_march",
	})
}

func newSnapshotCopyCmd(a *app.App) *cobra.Command {
	return keepCmd(a, "copied", keep.Copy, &cobra.Command{
		Use:     "copy <name> <new name>",
		Aliases: []string{"cp"},
		Short:   "Keep a snapshot as it is under a second name",
		Long: `Copy gives a snapshot's rows a second name, which stays as it is when the first
one is refreshed. Both share one file on the disk until then.`,
		Example: "  da snapshot copy late late_before\n  da snapshot refresh late\n  da snapshot diff late_before late",
	})
}

// keepCmd completes a command that gives a snapshot's rows a new name.
func keepCmd(a *app.App, done string, change func(context.Context, *analyst.Analyst, string, string, bool) (*keep.Copied, error),
	cmd *cobra.Command) *cobra.Command {
	force := cmd.Flags().Bool("force", false, "replace a snapshot that has the new name")
	cmd.Args, cmd.ValidArgsFunction = usage.Exactly("name", "new name"), complete.Snapshot(a, 1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		work, format, err := a.Work()
		if err != nil {
			return err
		}
		kept, err := change(cmd.Context(), work, args[0], args[1], *force)
		if err != nil {
			return err
		}
		a.Tell(kept.Caveats...)
		if format == output.Table {
			_, err = fmt.Fprintf(a.IO.Out, "%s %s to %s\n", done, kept.From, kept.Snapshot.Name)
			return err
		}
		return a.ShowItems(format, kept, output.List{Columns: []string{"name", "from"}, Rows: [][]any{{kept.Snapshot.Name, kept.From}}}, kept)
	}
	return cmd
}

func newSnapshotNoteCmd(a *app.App) *cobra.Command {
	var clearIt bool
	cmd := &cobra.Command{
		Use:   "note <name> [text]",
		Short: "Write down what a snapshot is kept for",
		Long: `Note keeps a text with a snapshot, which 'da snapshot list' and 'show' print and
a refresh leaves as it is. Without a text it prints the note.`,
		Example:           "  da snapshot note late \"sent to finance on Monday\"\n  da snapshot note late --clear",
		ValidArgsFunction: complete.Snapshot(a, 1),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usage.Error("'da snapshot note' takes a <name> and a [text]; put the text in quotes")
			}
			if clearIt && len(args) == 2 {
				return usage.Error("--clear takes the note away, and a text is given")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && !clearIt {
				return showLabels(a, args[0], func(m snapshot.Meta) string { return m.Note })
			}
			text := strings.Join(args[1:], "")
			return label(cmd.Context(), a, args[0], func(l *snapshot.Labels) { l.Note = text }, func(m snapshot.Meta) string { return m.Note })
		},
	}
	cmd.Flags().BoolVar(&clearIt, "clear", false, "take the note away")
	return cmd
}

func newSnapshotTagCmd(a *app.App) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "tag <name> [tag]...",
		Short: "Put tags on a snapshot, or take them away",
		Long: `Tag adds words by which 'da snapshot list --tag' finds a snapshot again. They
consist of lower-case letters, digits and underscores. Without a tag it prints
those that the snapshot has.`,
		Example: "  da snapshot tag late audit q2_2026\n  da snapshot tag late q2_2026 --remove\n  da snapshot list --tag audit",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage.Error("'da snapshot tag' takes a <name> and tags")
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return complete.Snapshot(a, 1)(cmd, args, word)
			}
			return completeTag(a)(cmd, args, word)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			shown := func(m snapshot.Meta) string { return strings.Join(m.Tags, ", ") }
			if len(args) == 1 {
				if remove {
					return usage.Error("--remove: which tags?")
				}
				return showLabels(a, args[0], shown)
			}
			tags := args[1:]
			return label(cmd.Context(), a, args[0], func(l *snapshot.Labels) {
				if remove {
					l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), func(t string) bool { return slices.Contains(tags, t) })
				} else {
					l.Tags = append(slices.Clone(l.Tags), tags...)
				}
			}, shown)
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "take these tags away")
	return cmd
}

// label changes the note or tags of a snapshot.
func label(ctx context.Context, a *app.App, name string, change func(*snapshot.Labels), shown func(snapshot.Meta) string) error {
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	if _, err := work.Store.Label(ctx, name, change); err != nil {
		return err
	}
	return showLabels(a, name, shown)
}

// showLabels prints a snapshot's note or tags; to people nothing else.
func showLabels(a *app.App, name string, shown func(snapshot.Meta) string) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	meta, err := work.Store.Get(name)
	if err != nil {
		return err
	}
	if format != output.Table {
		return a.ShowItems(format, meta, output.List{Columns: []string{"name", "tags", "note"},
			Rows: [][]any{{meta.Name, strings.Join(meta.Tags, ", "), meta.Note}}}, meta)
	}
	if text := shown(meta); text != "" {
		_, err = fmt.Fprintln(a.IO.Out, printable.Text(text)) // it may be of another's folder
	}
	return err
}

// completeTag suggests existing tags.
func completeTag(a *app.App) complete.Completer {
	return func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		store, err := a.OpenStore()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, _ := store.List() // without it, there are no suggestions
		var tags []string
		for _, m := range all {
			tags = append(tags, m.Tags...)
		}
		slices.Sort(tags)
		return usage.Starting(word, slices.Compact(tags)), cobra.ShellCompDirectiveNoFileComp
	}
}

func newSnapshotPinCmd(a *app.App) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "pin <name>",
		Short: "Keep a snapshot as it is when all are refreshed",
		Long: `Pin lets 'da snapshot refresh --all' leave a snapshot out. Copies are pinned
from the start, so they stay what they were. 'da snapshot refresh NAME' still
renews a pinned snapshot.`,
		Example:           "  da snapshot pin late\n  da snapshot pin late --remove",
		Args:              usage.Exactly("name"),
		ValidArgsFunction: complete.Snapshot(a, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return label(cmd.Context(), a, args[0], func(l *snapshot.Labels) { l.Pinned = !remove }, func(m snapshot.Meta) string {
				if m.Pinned {
					return "pinned"
				}
				return "not pinned"
			})
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "let it be refreshed with all others again")
	return cmd
}
