package app

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Opener returns the system's command to open an address or a file in its
// program; nil without a desktop.
func (a *App) Opener(ctx context.Context, what string) *exec.Cmd {
	switch runtime.GOOS {
	case "darwin":
		return exec.CommandContext(ctx, "open", what)
	case "windows":
		return exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", what)
	}
	if a.Getenv("DISPLAY") == "" && a.Getenv("WAYLAND_DISPLAY") == "" {
		return nil
	}
	return exec.CommandContext(ctx, "xdg-open", what)
}

// OpenBrowser opens an address in the user's browser, if there is one where they are. It
// ignores errors, because the address is on the screen.
func (a *App) OpenBrowser(ctx context.Context, address string) {
	cmd := a.Opener(ctx, address)
	if address == "" || cmd == nil || a.Getenv("SSH_CONNECTION") != "" {
		return
	}
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // its result does not matter
	}
}

// Tilde shortens a path below the home folder, for people.
func (a *App) Tilde(path string) string {
	if rest, ok := strings.CutPrefix(path, a.Home+string(filepath.Separator)); ok && a.Home != "" {
		return filepath.Join("~", rest)
	}
	return path
}
