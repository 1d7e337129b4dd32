package workfiles

import (
	"context"
	"io"
	"path"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/workspace"
)

type getOptions struct {
	to      string
	version int64
	force   bool
}

// gotten is what da files get --json prints.
type gotten struct {
	Path string         `json:"path"`
	File workspace.File `json:"file"`
}

func newGetCmd(s *workspaceApp) *cobra.Command {
	var o getOptions
	cmd := &cobra.Command{
		Use:   "get <file>",
		Short: "Write a file of the workspace to this machine",
		Long: `Get writes a file into the working folder under the last part of its name, or to
--out. - is standard output. What is there is not replaced without --force.`,
		Example: "  da files get reports/may.xlsx\n  da files get reports/may.xlsx --out may.xlsx --force\n  da files get notes.md --version 2 --out -",
		Args:    usage.Exactly("file"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withWorkspace(func(w *workspace.Workspace) error { return s.get(cmd.Context(), w, args[0], o) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.to, "out", "", "`path` to write; - is standard output")
	usage.AlsoCalled(cmd, "out", "to")
	usage.AlsoCalled(cmd, "out", "target")
	f.Int64Var(&o.version, "version", 0, "an older `version` of it")
	f.BoolVar(&o.force, "force", false, "replace the target if it exists")
	return cmd
}

func (s *workspaceApp) get(ctx context.Context, w *workspace.Workspace, ref string, o getOptions) error {
	var c *workspace.Content
	var err error
	if o.version != 0 {
		c, err = w.OpenVersion(ctx, ref, o.version)
	} else {
		c, err = w.Open(ctx, ref)
	}
	if err != nil {
		return err
	}
	defer c.Close()
	if o.to == "-" {
		_, err := io.Copy(s.BareOut(), c)
		return err
	}
	if o.to == "" {
		o.to = path.Base(c.Of.Name)
	}
	target := s.Absolute(o.to)
	err = output.CreateFile(target, o.force, func(out io.Writer) error {
		_, err := io.Copy(out, c)
		return err
	})
	if err != nil {
		return err
	}
	list := output.List{Columns: []string{"path", "size", "name", "version"},
		Rows: [][]any{{target, output.Figure(humanize.Bytes(c.Of.Size)), c.Of.Name, c.Of.Version}}}
	return s.ShowItems(s.OutputFormat(), gotten{target, c.Of}, list, gotten{target, c.Of})
}
