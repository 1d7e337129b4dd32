package workfiles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/workspace"
)

type putOptions struct {
	as, into  string
	isNew     bool
	ifVersion int64
}

func newPutCmd(s *workspaceApp) *cobra.Command {
	var o putOptions
	cmd := &cobra.Command{
		Use:   "put <path>...",
		Short: "Put files of this machine into the workspace",
		Long: `Put stores files under their base names, or under the name of --as. A name that
is taken gets a new version, unless --new refuses that. - is standard input,
which needs --as.`,
		Example: "  da files put budget.xlsx notes.md\n  da files put may.csv --into reports\n  date | da files put - --as now.txt",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage.Error(fmt.Sprintf("'%s' takes at least one <path>", cmd.CommandPath()))
			case len(args) > 1 && (o.as != "" || o.ifVersion != 0):
				return usage.Error("--as and --if-version are for one file")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withWorkspace(func(w *workspace.Workspace) error { return s.put(cmd.Context(), w, args, o) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.as, "as", "", "`name` in the workspace (default: the file's own)")
	f.StringVar(&o.into, "into", "", "`folder` of the workspace to put it in")
	f.BoolVar(&o.isNew, "new", false, "refuse a name that is taken")
	versionFlag(f, &o.ifVersion)
	return cmd
}

func (s *workspaceApp) put(ctx context.Context, w *workspace.Workspace, paths []string, o putOptions) error {
	stored := []workspace.File{}
	for _, from := range paths {
		f, err := s.putOne(ctx, w, from, o)
		if err != nil {
			return err
		}
		s.noteRemoved(f)
		stored = append(stored, f)
	}
	return s.showFiles(stored)
}

func (s *workspaceApp) putOne(ctx context.Context, w *workspace.Workspace, from string, o putOptions) (workspace.File, error) {
	req := workspace.PutRequest{Name: o.as, IfVersion: o.ifVersion, New: o.isNew}
	in := s.IO.In
	if from == "-" {
		if o.as == "" {
			return workspace.File{}, usage.Error("standard input has no name: pass --as NAME")
		}
	} else {
		file, err := openFile(s.Absolute(from), from)
		if err != nil {
			return workspace.File{}, err
		}
		defer file.Close()
		in = file
	}
	if req.Name == "" {
		req.Name = filepath.Base(from)
	}
	req.Name = path.Join(filepath.ToSlash(o.into), req.Name)
	if o.into == "" && o.as != "" {
		req.Name = o.as // unchanged, so that an invalid name is reported
	}
	return w.Put(ctx, req, in)
}

// openFile opens the user's regular file or pipe.
func openFile(full, shown string) (*os.File, error) {
	file, err := kernelfs.Open(full)
	if errors.Is(err, kernelfs.ErrFolder) {
		return nil, &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("'%s' is a folder", shown), Hint: "Name the files in it."}
	}
	if err != nil {
		reason := err.Error()
		if _, ofSystem := errors.AsType[*fs.PathError](err); ofSystem {
			reason = "it cannot be read"
		}
		if errors.Is(err, fs.ErrNotExist) {
			reason = "there is no such file"
		} else if errors.Is(err, fs.ErrPermission) {
			reason = "permission denied"
		}
		return nil, &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("cannot read '%s': %s", shown, reason),
			Hint: "Check the path, and who may read it; a path that is not absolute begins at the working folder.", Err: err}
	}
	return file, nil
}
