package setup

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
)

// NewLogoutCmd returns 'da logout'.
func NewLogoutCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "logout [NAME]",
		Short: "Forget the token of a server",
		Long: `Logout forgets the token of a server that you logged in to, and what was cached
of its answers. Snapshots stay. The token itself stays valid: the server's
operator revokes it.`,
		Example: "  da logout\n  da logout prod",
		Args:    usage.AtMostOne("server", "Name one server, as in da logout NAME."),

		ValidArgsFunction: complete.Login(a),
		RunE: func(_ *cobra.Command, args []string) error {
			name := a.ServerURL
			if len(args) == 1 {
				if name != "" {
					return usage.Error("give the server either as an argument or with --server")
				}
				name = args[0]
			}
			return runLogout(a, name)
		},
	}
}

// loggedOut is what da logout --json prints.
type loggedOut struct {
	Name    string `json:"name"`
	Server  string `json:"server"`
	Default string `json:"default"` // the name of the new default server; may be empty
}

func runLogout(a *app.App, name string) error {
	format := a.OutputFormat()
	var gone config.Login
	var result loggedOut
	err := config.ChangeLogins(a.Places(), func(l *config.Logins) error {
		if name == "" {
			name = l.Default
		}
		if name == "" {
			return &api.Error{Code: api.CodeConfig, Kind: api.KindNotLoggedIn, Message: "you are not logged in",
				Hint: "Run 'da login URL' to log in; 'da logout NAME' names one of several."}
		}
		login := l.Find(name)
		if login == nil {
			err := l.Unknown(name)
			var unknown *api.Error
			if len(l.Servers) == 0 && errors.As(err, &unknown) {
				unknown.Hint = "You are logged in to no server."
			}
			return err
		}
		gone = *login
		gone.Token, _ = a.Places().TokenOf(gone) // names what was cached; it may be gone
		if err := a.Places().Forget(gone); err != nil {
			return err
		}
		l.Remove(name)
		result = loggedOut{Name: gone.Name, Server: gone.URL, Default: l.Default}
		return nil
	})
	if err != nil {
		return err
	}
	forgetAnswers(a, gone)
	if format != output.Table {
		return a.ShowRecord(format, result)
	}
	_, err = fmt.Fprintf(a.IO.Out, "Logged out of %s (%s)\n", result.Name, result.Server)
	return err
}

// forgetAnswers removes what was cached for a login. The token has been removed
// before, so any entries that remain cannot be read by da either.
func forgetAnswers(a *app.App, login config.Login) {
	c, err := a.Client(login.URL, "")
	if err != nil {
		return
	}
	if kept, err := a.CacheOf(c, login.Token); err == nil {
		_ = kept.Clear()
	}
}
