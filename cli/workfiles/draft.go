package workfiles

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

// draftList is what da files draft list --json prints.
type draftList struct {
	Drafts []workspace.Draft `json:"drafts"`
}

// changeList is what the commands on one draft print.
type changeList struct {
	Draft          string                  `json:"draft"`
	Changes        []workspace.DraftChange `json:"changes"`
	api.CaveatList                         // what to know of what was applied
}

func newDraftCmd(s *workspaceApp) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "draft <command>",
		Short: "List, apply or discard sets of changes",
		Long: `A draft is a set of changes beside the workspace, made with 'da files … --draft
NAME' or by an agent. Apply makes all of them at once, or none if a file was
changed meanwhile.`,
		Args: cobra.ArbitraryArgs,
		RunE: usage.Group,
	}
	one := func(use, example, short string, do draftDo) *cobra.Command {
		return &cobra.Command{
			Use: use + " <name>", Short: short, Example: "  da files draft " + use + " " + example, Args: usage.Exactly("name"),
			ValidArgsFunction: s.completeDraft,
			RunE: func(cmd *cobra.Command, args []string) error {
				s.draft = args[0]
				return s.withWorkspace(func(w *workspace.Workspace) error { return s.draftChanges(cmd.Context(), w, do) })
			},
		}
	}
	cmd.AddCommand(newDraftListCmd(s), newDraftDiffCmd(s),
		one("apply", "monday", "Make a draft's changes in the workspace, all or none", content.Apply),
		one("discard", "plan", "Throw a draft's changes away", discard))
	return cmd
}

// draftDo ends a draft, and returns what there is to know of its changes.
type draftDo func(context.Context, *workspace.Workspace) (changes []workspace.DraftChange, caveats []api.Caveat, err error)

func discard(ctx context.Context, w *workspace.Workspace) ([]workspace.DraftChange, []api.Caveat, error) {
	changes, err := w.Discard(ctx)
	return changes, nil, err
}

// diffList is what da files draft diff prints.
type diffList struct {
	Draft   string            `json:"draft"`
	Changes []content.Changed `json:"changes"`
}

func newDraftDiffCmd(s *workspaceApp) *cobra.Command {
	return &cobra.Command{
		Use: "diff [name]", Short: "Show the files, cells, lines and paragraphs that a draft changes",
		Args: usage.AtMostOne("name", "Compare one draft at a time."), ValidArgsFunction: s.completeDraft,
		Long:    "Without a name it shows the only draft.",
		Example: "  da files draft diff plan",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.nameDraft(cmd.Context(), args); err != nil {
				return err
			}
			return s.withWorkspace(func(w *workspace.Workspace) error {
				all, err := content.Changes(cmd.Context(), w)
				if err != nil {
					return err
				}
				format := s.OutputFormat()
				var plain []workspace.DraftChange
				for _, c := range all {
					plain = append(plain, c.DraftChange)
				}
				s.tell(format, false, content.Caveats(all))
				if err := s.ShowItems(format, diffList{s.draft, all}, changeRows(plain), all); err != nil || format != output.Table {
					return err
				}
				_, err = io.WriteString(s.IO.Out, printable.Text(contentsText(all)))
				return err
			})
		},
	}
}

// nameDraft sets the draft that args name, or the only one.
func (s *workspaceApp) nameDraft(ctx context.Context, args []string) error {
	if len(args) == 1 {
		s.draft = args[0]
		return nil
	}
	return s.withWorkspace(func(w *workspace.Workspace) error {
		drafts, err := w.Drafts(ctx)
		if err != nil {
			return err
		}
		if len(drafts) == 1 {
			s.draft = drafts[0].Name
			return nil
		}
		names := make([]string, len(drafts))
		for i, d := range drafts {
			names[i] = d.Name
		}
		e := usage.Error("there is no draft")
		if len(drafts) > 1 {
			e = usage.Error(fmt.Sprintf("there are %d drafts, and no name is given", len(drafts)))
			e.Hint = "Name one: " + api.Clip(strings.Join(names, ", "), 300) + "."
		}
		return e
	})
}

// contentsText formats the changes of contents for people.
func contentsText(all []content.Changed) string {
	var b strings.Builder
	for _, c := range all {
		if len(c.Content.Changes) == 0 && c.Content.Problem == "" {
			if c.Action == workspace.ActionModified {
				b.WriteString("\n" + c.File.Name + "\n  its content is what it was before\n")
			}
			continue
		}
		b.WriteString("\n" + c.File.Name + "\n" + differencesText(c.Content))
	}
	return b.String()
}

// differencesText formats the changes of one content for people.
func differencesText(all content.Differences) string {
	var b strings.Builder
	for _, d := range all.Changes {
		b.WriteString("  " + d.Place + "\n")
		for _, side := range []struct{ sign, text string }{{"  - ", d.Before}, {"  + ", d.After}} {
			if side.text != "" {
				b.WriteString(side.sign + strings.Join(strings.Fields(side.text), " ") + "\n")
			}
		}
	}
	if all.More {
		b.WriteString("  … and more\n")
	}
	if all.Problem != "" {
		b.WriteString("  " + all.Problem + "\n")
	}
	return b.String()
}

func newDraftListCmd(s *workspaceApp) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the drafts", Example: "  da files draft list", Args: usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withWorkspace(func(w *workspace.Workspace) error {
				drafts, err := w.Drafts(cmd.Context())
				if err != nil {
					return err
				}
				list := output.List{Columns: []string{"name", "changes", "age"}}
				for _, d := range drafts {
					list.Rows = append(list.Rows, []any{d.Name, d.Changes, humanize.Age(s.Now().Sub(d.CreatedOn))})
				}
				return s.ShowItems(s.OutputFormat(), draftList{drafts}, list, drafts)
			})
		},
	}
}

func (s *workspaceApp) draftChanges(ctx context.Context, w *workspace.Workspace, do draftDo) error {
	changes, caveats, err := do(ctx, w)
	if err != nil {
		return err
	}
	format := s.OutputFormat()
	s.tell(format, false, caveats)
	return s.ShowItems(format, changeList{s.draft, changes, api.CaveatList{Caveats: caveats}}, changeRows(changes), changes)
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
