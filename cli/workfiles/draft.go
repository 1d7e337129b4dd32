package workfiles

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/internal/printable"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

// draftList is what da files draft list --json prints.
type draftList struct {
	Drafts []workspace.Draft `json:"drafts"`
}

// changeList is what the commands on one draft print.
type changeList struct {
	Draft   string                  `json:"draft"`
	Changes []workspace.DraftChange `json:"changes"`
}

func newDraftCmd(s *space) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "draft <command>",
		Short: "List, apply or discard sets of changes",
		Long: `A draft is a set of changes beside the workspace, made with 'da files … --draft
NAME' or by an agent. Apply makes all of them at once, or none if a file was
changed meanwhile.`,
		Args: cobra.ArbitraryArgs,
		RunE: usage.Group,
	}
	one := func(use, example, short string, do func(w *workspace.Workspace, ctx context.Context) ([]workspace.DraftChange, error)) *cobra.Command {
		return &cobra.Command{
			Use: use + " <name>", Short: short, Example: "  da files draft " + use + " " + example, Args: usage.Exactly("name"), ValidArgsFunction: s.completeDraft,
			RunE: func(cmd *cobra.Command, args []string) error {
				s.draft = args[0]
				return s.with(func(w *workspace.Workspace) error { return s.draftChanges(cmd.Context(), w, do) })
			},
		}
	}
	cmd.AddCommand(newDraftListCmd(s), newDraftDiffCmd(s),
		one("apply", "monday", "Make a draft's changes in the workspace, all or none", (*workspace.Workspace).Apply),
		one("discard", "plan", "Throw a draft's changes away", (*workspace.Workspace).Discard))
	return cmd
}

// diffList is what da files draft diff prints.
type diffList struct {
	Draft   string            `json:"draft"`
	Changes []content.Changed `json:"changes"`
}

func newDraftDiffCmd(s *space) *cobra.Command {
	return &cobra.Command{
		Use: "diff <name>", Short: "Show the files, cells, lines and paragraphs that a draft changes", Args: usage.Exactly("name"), ValidArgsFunction: s.completeDraft,
		Example: "  da files draft diff plan",
		RunE: func(cmd *cobra.Command, args []string) error {
			s.draft = args[0]
			return s.with(func(w *workspace.Workspace) error {
				all, err := content.Changes(cmd.Context(), w)
				if err != nil {
					return err
				}
				format, err := s.OutputFormat()
				if err != nil {
					return err
				}
				var plain []workspace.DraftChange
				for _, c := range all {
					plain = append(plain, c.DraftChange)
				}
				if err := s.ShowItems(format, diffList{s.draft, all}, changeRows(plain), all); err != nil || format != output.Table {
					return err
				}
				_, err = io.WriteString(s.IO.Out, printable.Text(contentsText(all)))
				return err
			})
		},
	}
}

// contentsText formats the changes of contents for people.
func contentsText(all []content.Changed) string {
	var b strings.Builder
	for _, c := range all {
		if len(c.Content.Changes) == 0 && c.Content.Problem == "" {
			continue
		}
		b.WriteString("\n" + c.File.Name + "\n")
		for _, d := range c.Content.Changes {
			b.WriteString("  " + d.Place + "\n")
			for _, side := range []struct{ sign, text string }{{"  - ", d.Before}, {"  + ", d.After}} {
				if side.text != "" {
					b.WriteString(side.sign + strings.Join(strings.Fields(side.text), " ") + "\n")
				}
			}
		}
		if c.Content.More {
			b.WriteString("  … and more\n")
		}
		if c.Content.Problem != "" {
			b.WriteString("  " + c.Content.Problem + "\n")
		}
	}
	return b.String()
}

func newDraftListCmd(s *space) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the drafts", Example: "  da files draft list", Args: usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(func(w *workspace.Workspace) error {
				drafts, err := w.Drafts(cmd.Context())
				if err != nil {
					return err
				}
				format, err := s.OutputFormat()
				if err != nil {
					return err
				}
				list := output.List{Columns: []string{"name", "changes", "age"}}
				for _, d := range drafts {
					list.Rows = append(list.Rows, []any{d.Name, d.Changes, humanize.Age(s.Now().Sub(d.CreatedOn))})
				}
				return s.ShowItems(format, draftList{drafts}, list, drafts)
			})
		},
	}
}

func (s *space) draftChanges(ctx context.Context, w *workspace.Workspace, do func(*workspace.Workspace, context.Context) ([]workspace.DraftChange, error)) error {
	changes, err := do(w, ctx)
	if err != nil {
		return err
	}
	format, err := s.OutputFormat()
	if err != nil {
		return err
	}
	return s.ShowItems(format, changeList{s.draft, changes}, changeRows(changes), changes)
}

// changeRows formats changes as a table.
func changeRows(changes []workspace.DraftChange) output.List {
	list := output.List{Columns: []string{"action", "name", "size", "before", "conflict"}}
	for _, c := range changes {
		before := any("")
		if c.Before != nil {
			before = output.Figure(humanize.Bytes(c.Before.Size))
		}
		list.Rows = append(list.Rows, []any{c.Action, c.File.Name, output.Figure(humanize.Bytes(c.File.Size)), before, c.Conflict})
	}
	return list
}
