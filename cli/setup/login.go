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
}

// NewLoginCmd returns 'da login'.
func NewLoginCmd(a *app.App) *cobra.Command {
	var o loginOptions
	cmd := &cobra.Command{
		Use:   "login <URL>",
		Short: "Sign in to a server, in a browser or with a token",
		Long: `Login opens the server's page in a browser, where you sign in and type the code
that login prints. It waits for that up to 15 minutes, and keeps a token of its
own, readable by you alone, for 90 days. Without a browser on this machine, open
the address on another one.

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
	err = config.ChangeLogins(a.Places(), func(l *config.Logins) error {
		l.Add(config.Login{Name: name, URL: c.URL(), User: who.User, Token: token})
		return nil
	})
	if err != nil {
		return err
	}
	if result := (loggedIn{User: who.User, Admin: who.Admin, Server: c.URL(), Name: &name}); format != output.Table {
		err = a.ShowRecord(format, result)
	} else {
		_, err = fmt.Fprintf(a.IO.Out, "Logged in to %s as %s (%s)\n", name, who.User, c.URL())
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
