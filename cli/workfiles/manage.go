package workfiles

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/workspace"
)

func newCopyCmd(s *workspaceApp) *cobra.Command {
	return &cobra.Command{
		Use:     "copy <file> <name>",
		Aliases: []string{"cp"},
		Short:   "Copy a file within the workspace",
		Example: "  da files copy budget.xlsx budget-2027.xlsx",
		Args:    usage.Exactly("file", "name"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withWorkspace(func(w *workspace.Workspace) error {
				f, err := w.Copy(cmd.Context(), args[0], args[1])
				if err != nil {
					return err
				}
				return s.showFile("copied", f)
			})
		},
	}
}

func newRenameCmd(s *workspaceApp) *cobra.Command {
	var ifVersion int64
	cmd := &cobra.Command{
		Use:     "rename <file> <name>",
		Aliases: []string{"mv"},
		Short:   "Rename a file, or move it to another folder of the workspace",
		Example: "  da files rename may.csv archive/may.csv",
		Args:    usage.Exactly("file", "name"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withWorkspace(func(w *workspace.Workspace) error {
				f, err := w.Rename(cmd.Context(), args[0], args[1], ifVersion)
				if err != nil {
					return err
				}
				return s.showFile("renamed", f)
			})
		},
	}
	versionFlag(cmd.Flags(), &ifVersion)
	return cmd
}

func newDeleteCmd(s *workspaceApp) *cobra.Command {
	var forever bool
	var ifVersion int64
	cmd := &cobra.Command{
		Use:     "delete <file>...",
		Aliases: []string{"rm"},
		Short:   "Delete files, which can be restored for 30 days",
		Long: `Delete removes files from the workspace. They can be restored for 30 days, or
until the workspace is full. --forever removes them with all of their versions.`,
		Example: "  da files delete old.csv\n  da files delete secret.csv --forever",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage.Error(fmt.Sprintf("'%s' takes at least one <file>", cmd.CommandPath()))
			case len(args) > 1 && ifVersion != 0:
				return usage.Error("--if-version is for one file")
			}
			return nil
		},
		ValidArgsFunction: s.completeFile(0, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withWorkspace(func(w *workspace.Workspace) error {
				remove := w.Delete
				if forever {
					remove = w.Purge
				}
				return s.deleteAll(cmd.Context(), args, func(ref string) (workspace.File, error) { return remove(cmd.Context(), ref, ifVersion) })
			})
		},
	}
	cmd.Flags().BoolVar(&forever, "forever", false, "remove them with all of their versions; nothing can be restored")
	versionFlag(cmd.Flags(), &ifVersion)
	return cmd
}

func (s *workspaceApp) deleteAll(_ context.Context, refs []string, remove func(ref string) (workspace.File, error)) error {
	deleted := []workspace.File{}
	for _, ref := range refs {
		f, err := remove(ref)
		if err != nil {
			return err
		}
		deleted = append(deleted, f)
	}
	return s.ShowItems(s.OutputFormat(), fileList{deleted}, filesTable(s.App, deleted, "deleted"), deleted)
}

func newRestoreCmd(s *workspaceApp) *cobra.Command {
	var version int64
	var as string
	cmd := &cobra.Command{
		Use:   "restore <file>",
		Short: "Bring back a deleted file, or an older version",
		Long: `Restore brings back a deleted file, or makes the content of an older version the
newest one. Nothing is lost: what it replaces stays as a version.`,
		Example: "  da files restore gone.csv\n  da files restore budget.xlsx --version 2\n  da files restore plan.md --as plan-old.md",
		Args:    usage.Exactly("file"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).Deleted),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withWorkspace(func(w *workspace.Workspace) error {
				f, err := w.Restore(cmd.Context(), args[0], version, as)
				if err != nil {
					return err
				}
				return s.showFile("restored", f)
			})
		},
	}
	cmd.Flags().Int64Var(&version, "version", 0, "the `version` to go back to")
	cmd.Flags().StringVar(&as, "as", "", "another `name` for it")
	return cmd
}

// versionList is what da files versions --json prints.
type versionList struct {
	Versions []workspace.Version `json:"versions"`
}

func newVersionsCmd(s *workspaceApp) *cobra.Command {
	return &cobra.Command{
		Use:   "versions <file>",
		Short: "List the versions of a file",
		Long: `Versions lists what is kept of a file, the newest first: the last 20 versions,
and all of the last 30 days, as far as the workspace has room.`,
		Example: "  da files versions budget.xlsx",
		Args:    usage.Exactly("file"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withWorkspace(func(w *workspace.Workspace) error { return s.versions(cmd.Context(), w, args[0]) })
		},
	}
}

func (s *workspaceApp) versions(ctx context.Context, w *workspace.Workspace, ref string) error {
	versions, err := w.Versions(ctx, ref)
	if err != nil {
		return err
	}
	list := output.List{Columns: []string{"version", "action", "name", "size", "age"}}
	for _, v := range versions {
		list.Rows = append(list.Rows, []any{v.Version, v.Action, v.Name, output.Figure(humanize.Bytes(v.Size)),
			humanize.Age(s.Now().Sub(v.ModifiedOn))})
	}
	return s.ShowItems(s.OutputFormat(), versionList{versions}, list, versions)
}
