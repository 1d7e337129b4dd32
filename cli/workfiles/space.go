package workfiles

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/workspace"
)

// workspaceApp is what the commands work on.
type workspaceApp struct {
	*app.App
	draft string
}

// withWorkspace opens the workspace, or the draft that the call names, and calls run.
func (s *workspaceApp) withWorkspace(run func(w *workspace.Workspace) error) error {
	w, err := s.Workspace()
	if err != nil {
		return err
	}
	if s.draft != "" {
		if w, err = w.Draft(s.draft); err != nil {
			return err
		}
	}
	return run(w)
}

// fileList is what commands print about several files.
type fileList struct {
	Files []workspace.File `json:"files"`
}

// versionFlag declares --if-version.
func versionFlag(f *pflag.FlagSet, version *int64) {
	f.Int64Var(version, "if-version", 0, "change it only if it is at this `version`")
}

// showFile prints one file and what was done to it.
func (s *workspaceApp) showFile(done string, f workspace.File) error {
	s.noteRemoved(f)
	return s.ShowItems(s.OutputFormat(), f, filesTable(s.App, []workspace.File{f}, done), f)
}

// showFiles prints several files.
func (s *workspaceApp) showFiles(files []workspace.File) error {
	return s.ShowItems(s.OutputFormat(), fileList{files}, filesTable(s.App, files, ""), files)
}

// noteRemoved warns that a change has removed older versions.
func (s *workspaceApp) noteRemoved(f workspace.File) {
	if n := f.VersionsRemoved; n > 0 {
		s.Warn([]string{"the workspace is full: " + humanize.Plural(int64(n), "old version was", "old versions were") + " removed to make room"})
	}
}

// filesTable lists files for people.
func filesTable(a *app.App, files []workspace.File, done string) output.List {
	list := output.List{Columns: []string{"name", "size", "type", "version", "age", "id"}}
	for _, f := range files {
		row := []any{f.Name, output.Figure(humanize.Bytes(f.Size)), f.MIMEType, f.Version, humanize.Age(a.Now().Sub(f.ModifiedOn)), f.ID}
		if done != "" {
			row = append([]any{done}, row...)
		}
		list.Rows = append(list.Rows, row)
	}
	if done != "" {
		list.Columns = append([]string{"done"}, list.Columns...)
	}
	return list
}

// completeFile suggests names of files for the first most arguments; 0 means all.
func (s *workspaceApp) completeFile(most int, list func(*workspace.Workspace, context.Context, string) ([]workspace.File,
	error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var words []cobra.Completion
		if most > 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		_ = s.withWorkspace(func(w *workspace.Workspace) error { // after an error, there are no suggestions
			files, err := list(w, cmd.Context(), "")
			for _, f := range files {
				words = append(words, cobra.CompletionWithDesc(f.Name, f.MIMEType))
			}
			return err
		})
		return usage.Starting(word, words), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeDraft suggests names of drafts.
func (s *workspaceApp) completeDraft(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var words []cobra.Completion
	_ = s.withWorkspace(func(w *workspace.Workspace) error { // after an error, there are no suggestions
		drafts, err := w.Drafts(cmd.Context())
		for _, d := range drafts {
			words = append(words, d.Name)
		}
		return err
	})
	return usage.Starting(word, words), cobra.ShellCompDirectiveNoFileComp
}
