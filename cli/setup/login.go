package setup

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/words/shellwords"
)

type loginOptions struct {
	name      string
	withToken bool
	noOpen    bool
	inFile    bool
}

// NewLoginCmd returns 'da login'.
func NewLoginCmd(a *app.App) *cobra.Command {
	var o loginOptions
	cmd := &cobra.Command{
		Use:   "login <URL>",
		Short: "Sign in to a server, in a browser or with a token",
		Long: `Login opens the server's page in a browser, where you sign in and type the code
that login prints. It waits for that up to 15 minutes, and gets a token of its
own for 90 days. Without a browser on this machine, open the address on another
one.

The token is kept in the system's keyring, or without one in a file that you
alone can read; --in-file keeps it there in any case, for programs that run
while nobody is there, as from cron.

Login asks nothing on the terminal. A token that you have comes from stdin with
--with-token, or from DA_TOKEN.

The server that you logged in to last is the one that commands ask. With more
than one, choose by --server NAME or DA_SERVER. In CI no login is needed: set
DA_SERVER and DA_TOKEN.`,
		Example: `  da login https://data.example.com
  da login https://data.example.com --with-token < token.txt
  DA_TOKEN=da_… da login https://data.example.com --name prod
  da catalog --server prod`,
		Args: usage.Exactly("URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.ServerURL != "" || a.InstancePath != "" {
				return usage.Error("da login takes its server as an argument; --server and --instance make no sense here")
			}
			return runLogin(cmd.Context(), a, o, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "`name` of the server for --server (default its host)")
	f.BoolVar(&o.withToken, "with-token", false, "read the token from stdin")
	f.BoolVar(&o.inFile, "in-file", false, "keep the token in a file, not in the system's keyring")
	f.BoolVar(&o.noOpen, "no-open", false, "only print the address of the page")
	return cmd
}

// loggedIn is what da login and da whoami print as JSON.
type loggedIn struct {
	User  string `json:"user"`
	Admin bool   `json:"admin"`
	// Server is a URL, or file:// and the path of an instance file.
	Server string `json:"server"`
	// Name is the name of the login; null if it has none.
	Name *string `json:"name"`
	// TokenIn is where da login has put the token: "keyring" or "file".
	TokenIn string `json:"token_in,omitempty"`
}

func runLogin(ctx context.Context, a *app.App, o loginOptions, server string) error {
	format := a.OutputFormat()
	if !strings.Contains(server, "://") {
		e := usage.Error(fmt.Sprintf("'%s' is not a URL: it does not begin with https:// or http://", api.Clip(server, 80)))
		e.Hint = "Run da login " + shellwords.Quote(app.WithScheme(server))
		e.Details = map[string]any{"url": app.WithScheme(server)}
		return e
	}
	token, err := o.token(a)
	if err != nil {
		return err
	}
	c, err := a.Client(server, token)
	if err != nil {
		return err
	}
	name := o.name
	if name == "" {
		name = hostOf(c.URL())
	}
	if err := config.CheckServerName(name); err != nil {
		return err
	}
	if token == "" {
		if token, err = o.approve(ctx, a, c, format); err != nil {
			return err
		}
		if c, err = a.Client(server, token); err != nil {
			return err
		}
	}
	who, err := c.Whoami(ctx)
	if err != nil {
		return err
	}
	where, err := o.keep(a, config.Login{Name: name, URL: c.URL(), User: who.User, Token: token})
	if err != nil {
		return err
	}
	if result := (loggedIn{User: who.User, Admin: who.Admin, Server: c.URL(), Name: &name, TokenIn: where}); format != output.Table {
		err = a.ShowRecord(format, result)
	} else {
		_, err = fmt.Fprintf(a.IO.Out, "Logged in to %s as %s (%s); the token is in %s\n", name, who.User, c.URL(), placeOf(where))
	}
	if err != nil {
		return err
	}
	if asked, err := a.ServerToUse(); err == nil && asked != c.URL() {
		a.Note(fmt.Sprintf("commands ask %s, as %s or 'server' in the config says; give --server %s for this one",
			either(asked, "an instance file"), config.EnvServer+", "+config.EnvInstance, name))
	}
	return nil
}

// keep adds a login, and returns where its token lies.
func (o loginOptions) keep(a *app.App, login config.Login) (where string, err error) {
	p, where := a.Places(), config.InFile
	err = config.ChangeLogins(p, func(l *config.Logins) error {
		if old := l.Find(login.Name); old != nil {
			_ = p.Forget(*old) // its token would only lie there
		}
		if !o.inFile {
			var why error
			if where, why = p.Keep(&login); why != nil {
				a.Note(fmt.Sprintf("the system's keyring does not keep the token: %v", why))
			}
		}
		l.Add(login)
		return nil
	})
	return where, err
}

// placeOf says where a token is.
func placeOf(where string) string {
	if where == config.InKeyring {
		return "the system's keyring"
	}
	return "a file that you alone can read"
}

// token reads the token from the place that the user named; "" if they named none.
func (o loginOptions) token(a *app.App) (string, error) {
	token := a.Getenv(config.EnvToken)
	if o.withToken {
		const most = 64 << 10 // a longer token is rejected by the client
		data, err := io.ReadAll(io.LimitReader(a.IO.In, most))
		if err != nil {
			return "", &api.Error{Code: api.CodeReadFailed, Message: "cannot read the token: " + err.Error(), Err: err}
		}
		token = string(data)
	}
	token = strings.TrimSpace(token)
	switch {
	case token != "":
		return config.CheckToken(token)
	case o.withToken:
		e := usage.Error("there is no token to log in with")
		e.Hint = "Give it on stdin, or leave out --with-token to sign in with a browser."
		return "", e
	}
	return "", nil
}

// hostOf returns the host of a server's URL.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	return strings.Trim(u.Host, "[]")
}

// either returns text, or empty if text is "".
func either(text, empty string) string {
	if text == "" {
		return empty
	}
	return text
}
