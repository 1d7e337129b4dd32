package app

import (
	"cmp"
	"context"
	"os/exec"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/shellwords"
)

// Edit opens a file in the user's editor, from VISUAL or EDITOR.
func (a *App) Edit(ctx context.Context, file string) error {
	editor := cmp.Or(a.Getenv("VISUAL"), a.Getenv("EDITOR"), "vi")
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+" "+
		shellwords.Quote(file)) // the user's own command line, which every program runs by the shell
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.IO.In, a.BareOut(), a.IO.Err
	if err := cmd.Run(); err != nil {
		return &api.Error{Code: api.CodeUsage, Message: "the editor '" + api.Clip(editor, 60) + "' failed: " + err.Error(),
			Hint: "Set EDITOR to the editor of your choice.", Err: err}
	}
	return nil
}
