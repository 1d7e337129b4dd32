package catalog

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
)

// NewNoteCmd returns 'da note'.
func NewNoteCmd(a *app.App) *cobra.Command {
	var term bool
	cmd := &cobra.Command{
		Use:   "note <table[.column]> <text>",
		Short: "Write down what you know of a table, a column or a term",
		Long: `Note adds a text to a table or a column, which 'da schema', 'da describe' and
the tools of models show; with --term it says what a word means. It is kept with
the instance, on a server under your name: there, admins and members of the
group 'curators' write notes, and all read those of what they may read.`,
		Example: "  da note flights.delay 'Minutes; early flights are below 0.'\n" +
			"  da note --term 'late' 'A flight with a delay of more than 15 minutes.'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usage.Exactly("table", "text")(cmd, args)
		},
		ValidArgsFunction: complete.Table(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			n := api.Note{Text: args[1], Term: args[0]}
			if !term {
				n.Term = ""
				var ofColumn bool
				if n.TableID, n.Column, ofColumn = strings.Cut(args[0], "."); ofColumn && n.Column == "" {
					return usage.Error("'" + args[0] + "' names no column behind the dot")
				}
			}
			return changeNotes(a, func(k api.Knower) error {
				put, err := k.PutNote(cmd.Context(), n)
				if err != nil {
					return err
				}
				return showNotes(a, put, *put)
			})
		},
	}
	cmd.Flags().BoolVar(&term, "term", false, "the first argument is a word of the glossary, not a table")
	cmd.AddCommand(newNoteListCmd(a), newNoteRemoveCmd(a))
	return cmd
}

// changeNotes changes what is kept, and forgets what a server had said of its tables.
func changeNotes(a *app.App, change func(api.Knower) error) error {
	if _, err := a.Administer(); err != nil { // the state of 'da serve', whoever reads it
		return err
	}
	remote, err := a.Connect()
	if err != nil {
		return err
	}
	if err := change(remote); err != nil || a.Served == nil {
		return err
	}
	cached, err := a.Cached()
	if err != nil {
		return err
	}
	return cached.Clear()
}

// noteList is what da note list prints with --json.
type noteList struct {
	Notes []api.Note `json:"notes"`
}

// showNotes prints notes; v is what is printed with --json.
func showNotes(a *app.App, v any, notes ...api.Note) error {
	list := output.List{Columns: []string{"id", "about", "text", "author", "day"}}
	for _, n := range notes {
		list.Rows = append(list.Rows, []any{n.ID, n.About(), n.Text, n.Author, n.At.Format(time.DateOnly)})
	}
	return a.ShowItems(a.OutputFormat(), v, list, notes)
}

func newNoteListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:               "list [table]",
		Short:             "List the notes, and what terms mean",
		Example:           "  da note list\n  da note list flights",
		Args:              usage.AtMostOne("table", ""),
		ValidArgsFunction: complete.Table(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			notes, err := notesOf(cmd.Context(), a, args)
			if err != nil {
				return err
			}
			if err := showNotes(a, noteList{notes}, notes...); err != nil {
				return err
			}
			if len(notes) == 0 {
				a.Note("there are no notes")
			}
			return nil
		},
	}
}

func notesOf(ctx context.Context, a *app.App, tables []string) ([]api.Note, error) {
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	known, err := remote.Known(ctx)
	if err != nil {
		return nil, err
	}
	notes := []api.Note{}
	for _, n := range known.Notes {
		if len(tables) == 0 || n.TableID == tables[0] {
			notes = append(notes, n)
		}
	}
	if len(tables) > 0 && len(notes) == 0 { // the table has no notes, or does not exist: then this fails
		_, err = remote.Schema(ctx, tables[0])
	}
	return notes, err
}

func newNoteRemoveCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "remove <id>",
		Short:   "Remove a note",
		Example: "  da note remove 02921de0ba55",
		Args:    usage.Exactly("id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := changeNotes(a, func(k api.Knower) error { return k.DropNote(cmd.Context(), args[0]) }); err != nil {
				return err
			}
			return a.ReportDone("note " + args[0] + " is removed")
		},
	}
}
