package workfiles

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/snapshots"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/workspace"
)

func newOpenCmd(s *workspaceApp) *cobra.Command {
	return &cobra.Command{
		Use:   "open <file>",
		Short: "Open a file in the program that the desktop has for it",
		Long: `Open writes a copy of the file below the home of da and hands it to the program
that the desktop opens such files with. What the program changes in the copy
does not reach the workspace: 'da files put' stores it as the next version. The
copy is removed by a later 'da files open' after a day.`,
		Example: "  da files open reports/may.xlsx",
		Args:    usage.Exactly("file"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withWorkspace(func(w *workspace.Workspace) error { return openCopy(cmd.Context(), s.App, w, args[0]) })
		},
	}
}

func openCopy(ctx context.Context, a *app.App, w *workspace.Workspace, ref string) error {
	c, err := w.Open(ctx, ref)
	if err != nil {
		return err
	}
	defer c.Close()
	home, err := a.Places().Data()
	if err != nil {
		return err
	}
	file := filepath.Join(home, "open", filepath.Base(c.Of.Name))
	if err := checkOpened(c.Of.Name); err != nil {
		return err
	}
	opener := a.Opener(ctx, file)
	if opener == nil {
		e := usage.Error("there is no desktop here that could open a file")
		e.Hint = "'da files get' writes it to this machine."
		return e
	}
	if err := snapshots.ClearOpened(a, filepath.Dir(file)); err != nil {
		return err
	}
	err = atomicfile.Write(file, 0o600, func(to io.Writer) error {
		_, err := io.Copy(to, c)
		return err
	})
	if err != nil {
		return atomicfile.Explain("write "+file, err)
	}
	if err := opener.Run(); err != nil {
		return snapshots.NotOpened(file, err)
	}
	written, err := query.FileOf(a, file, 0, false, nil)
	if err != nil {
		return err
	}
	return reportOpened(a, openedFile{written.Path, written.Bytes})
}

// openedFile is what da files open --json prints.
type openedFile struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

func reportOpened(a *app.App, o openedFile) error {
	if a.ErrorsAsJSON() {
		return a.PrintWhole(o)
	}
	if a.Quiet {
		return nil
	}
	_, err := fmt.Fprintf(a.IO.Out, "%s: %s\n", printable.Line(o.Path), humanize.Bytes(o.Bytes))
	return err
}

// harmless lists the extensions of files that desktops display and do not
// execute.
const harmless = " .xlsx .xlsm .docx .docm .pptx .pptm .pdf .png .jpg .jpeg .gif .webp .bmp .tif .tiff .csv .tsv .txt .md .json .log "

// checkOpened rejects files that a desktop might execute, since they can come
// from anybody.
func checkOpened(name string) error {
	if ext := strings.ToLower(filepath.Ext(name)); ext != "" && strings.Contains(harmless, " "+ext+" ") {
		return nil
	}
	return &api.Error{Code: api.CodeValidation, Kind: api.KindWrongKind,
		Message: fmt.Sprintf("'%s' is not opened: a desktop might run a file of such a name", name),
		Hint:    "Opened are" + strings.ReplaceAll(strings.TrimRight(harmless, " "), " .", ", .")[1:] + "."}
}
