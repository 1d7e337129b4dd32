package cli

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cache"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/source/registry"
)

// connect opens what answers about remote data, at the first call that
// succeeds; the later ones return the same.
func (a *app) connect() (analyst.Remote, error) {
	a.connecting.Lock()
	defer a.connecting.Unlock()
	if a.remote.Name != "" {
		return a.remote, nil
	}
	remote, err := a.open()
	if err == nil {
		a.remote = remote
	}
	return remote, err
}

// open opens the service: a server's, or that of an instance in this process.
func (a *app) open() (analyst.Remote, error) {
	url, err := a.server()
	if err != nil {
		return analyst.Remote{}, err
	}
	if url != "" {
		token, err := a.token(url)
		if err != nil {
			return analyst.Remote{}, err
		}
		c, err := a.client(url, token)
		if err != nil {
			return analyst.Remote{}, err
		}
		a.served, a.administration = c, c.Administration()
		return analyst.Remote{Data: c.Data(), Name: c.URL()}, nil
	}
	path, err := a.places().Instance(a.instancePath)
	if err != nil {
		return analyst.Remote{}, err
	}
	inst, err := config.LoadInstance(path, registry.Types())
	if err != nil {
		return analyst.Remote{}, err
	}
	store, err := a.openStore()
	if err != nil {
		return analyst.Remote{}, err
	}
	origin, err := a.origin()
	if err != nil {
		return analyst.Remote{}, err
	}
	scratch := store.Scratch()
	if a.core, err = a.openCore(inst, scratch.Dir, origin.Session != ""); err != nil {
		scratch.Close()
		return analyst.Remote{}, err
	}
	a.scratch = scratch
	a.administration = a.core.Administration(origin.local())
	return analyst.Remote{Data: a.core.Data(origin.local()), Name: analyst.EmbeddedPrefix + path}, nil
}

// server returns the URL of the server to ask; empty means embedded. A flag
// beats the environment, and that beats what is on disk.
func (a *app) server() (string, error) {
	switch {
	case a.serverURL != "":
		return a.resolve(a.serverURL)
	case a.instancePath != "":
		return "", nil
	case a.Getenv(config.EnvServer) != "":
		return a.resolve(a.Getenv(config.EnvServer))
	case a.Getenv(config.EnvInstance) != "":
		return "", nil
	}
	cfg, err := a.clientConfig()
	if err != nil || cfg.Server != "" {
		return cfg.Server, err
	}
	logins, err := config.LoadLogins(a.places())
	if err != nil {
		return "", err
	}
	if login := logins.Find(logins.Default); login != nil {
		return login.URL, nil
	}
	return "", nil
}

// resolve returns the URL that is meant by a URL, or by the name of a login.
func (a *app) resolve(server string) (string, error) {
	if strings.Contains(server, "://") {
		return server, nil
	}
	logins, err := config.LoadLogins(a.places())
	if err != nil {
		return "", err
	}
	if login := logins.Find(server); login != nil {
		return login.URL, nil
	}
	if strings.ContainsAny(server, ".:/") || server == "localhost" {
		return "", &api.Error{Code: api.CodeConfig, Kind: "unknown_server", Message: fmt.Sprintf("the server '%s' is no URL, and no login has that name", api.Clip(server, 80)),
			Hint: fmt.Sprintf("A URL begins with its scheme: %s", api.Clip(withScheme(server), 80)), Details: map[string]any{"server": server}}
	}
	return "", logins.Unknown(server)
}

// withScheme is the URL that is most likely meant by a host: only this machine
// is asked without TLS.
func withScheme(server string) string {
	host := server
	if h, _, err := net.SplitHostPort(server); err == nil {
		host = h
	}
	host, _, _ = strings.Cut(host, "/")
	if ip := net.ParseIP(strings.Trim(host, "[]")); host == "localhost" || ip != nil && ip.IsLoopback() {
		return "http://" + server
	}
	return "https://" + server
}

// token returns the token to send to a server: that of the environment, else
// that of the login there, else that of the token file; empty if there is none.
func (a *app) token(url string) (string, error) {
	if a.Getenv(config.EnvToken) == "" {
		logins, err := config.LoadLogins(a.places())
		if err != nil {
			return "", err
		}
		if token := logins.TokenFor(url); token != "" {
			return token, nil
		}
	}
	return a.places().Token()
}

func (a *app) client(url, token string) (*client.Client, error) {
	origin, err := a.origin()
	if err != nil {
		return nil, err
	}
	return client.New(client.Options{
		URL: url, Token: token, AllowInsecureHTTP: a.Getenv(config.EnvAllowHTTP) == "1",
		UserAgent: "da/" + build.Current().Version, Origin: client.Origin(origin),
	})
}

// catalog opens what tells about tables: a server behind what it has said
// before, or the core in this process, of which nothing is kept.
func (a *app) catalog() (api.Catalog, error) {
	remote, err := a.connect()
	if err != nil {
		return nil, err
	}
	if a.served == nil {
		return remote.Catalog, nil
	}
	return a.cached()
}

// cached is what is kept of the connected server's answers.
func (a *app) cached() (*cache.Catalog, error) {
	token, err := a.token(a.served.URL())
	if err != nil {
		return nil, err
	}
	return a.cacheOf(a.served, token)
}

// cacheOf is what is kept of a server's answers to the bearer of a token.
func (a *app) cacheOf(c *client.Client, token string) (*cache.Catalog, error) {
	home, err := a.places().Data()
	if err != nil {
		return nil, err
	}
	said := ""
	return cache.New(c, cache.Options{
		Dir: filepath.Join(home, "cache"), Server: c.URL(), User: token, Now: a.Now,
		OnStale: func(age time.Duration) {
			if text := staleText(c, age); text != said {
				a.warn([]string{text})
				said = text
			}
		},
	}), nil
}

// staleText says that an answer is not the server's of now.
func staleText(c *client.Client, age time.Duration) string {
	return fmt.Sprintf("%s cannot be reached; this is what it said %s", c.URL(), humanize.Age(age))
}
