package app

import (
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cache"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/source/registry"
)

// Connect opens the service for remote data. After the first success it returns
// the same service.
func (a *App) Connect() (analyst.Remote, error) { return a.connectTo(false) }

// Administer opens the service for admins. For an instance, it uses the state of
// 'da serve' and creates it if necessary.
func (a *App) Administer() (api.Administration, error) {
	_, err := a.connectTo(true)
	return a.Administration, err
}

// connectTo opens the service. served requires the state that 'da serve' uses, if
// the service is an instance.
func (a *App) connectTo(served bool) (analyst.Remote, error) {
	a.connecting.Lock()
	defer a.connecting.Unlock()
	if a.Remote.Name != "" {
		return a.Remote, nil
	}
	remote, err := a.open(served)
	if err == nil {
		a.Remote = remote
		a.Detail("asking " + remote.Name)
	}
	return remote, err
}

// open opens the service: a server, or an instance in this process.
func (a *App) open(served bool) (analyst.Remote, error) {
	url, err := a.ServerToUse()
	if err != nil {
		return analyst.Remote{}, err
	}
	if url != "" {
		token, err := a.token(url)
		if err != nil {
			return analyst.Remote{}, err
		}
		c, err := a.Client(url, token)
		if err != nil {
			return analyst.Remote{}, err
		}
		a.Served, a.Administration = c, c.Administration()
		return analyst.Remote{Data: c.Data(), Name: c.URL()}, nil
	}
	path, err := a.Places().Instance(a.InstancePath)
	if err != nil {
		return analyst.Remote{}, err
	}
	inst, err := config.LoadInstance(path, registry.Types())
	if err != nil {
		return analyst.Remote{}, err
	}
	if cfg, err := a.ClientConfig(); err == nil && inst.Vectors == "" {
		inst.Vectors = cfg.SearchVectors
	}
	store, err := a.OpenStore()
	if err != nil {
		return analyst.Remote{}, err
	}
	origin, err := a.origin()
	if err != nil {
		return analyst.Remote{}, err
	}
	scratch := store.Scratch()
	if a.core, err = a.openCore(inst, scratch.Path, served, origin.Session != ""); err != nil {
		scratch.Close()
		return analyst.Remote{}, err
	}
	a.scratch = scratch
	a.Administration = a.core.Administration(origin.local())
	return analyst.Remote{Data: a.core.Data(origin.local()), Name: analyst.EmbeddedPrefix + path}, nil
}

// OpenEmbedded opens the instance in this process, and returns the principal to
// use it as.
func (a *App) OpenEmbedded() (*core.Core, core.Principal, error) {
	if _, err := a.Connect(); err != nil {
		return nil, core.Principal{}, err
	}
	origin, err := a.origin()
	return a.core, origin.local(), err
}

// ScratchFolder is a folder that is removed when this run ends. It exists only
// once an instance is open; empty otherwise.
func (a *App) ScratchFolder() string {
	if a.scratch == nil {
		return ""
	}
	return a.scratch.Path
}

// ServerToUse returns the URL of the server to ask; empty means embedded. A flag
// overrides the environment, and the environment overrides the configuration.
func (a *App) ServerToUse() (string, error) {
	switch {
	case a.ServerURL != "":
		return a.resolve(a.ServerURL)
	case a.InstancePath != "":
		return "", nil
	case a.Getenv(config.EnvServer) != "":
		return a.resolve(a.Getenv(config.EnvServer))
	case a.Getenv(config.EnvInstance) != "":
		return "", nil
	}
	cfg, err := a.ClientConfig()
	if err != nil || cfg.Server != "" {
		return cfg.Server, err
	}
	logins, err := config.LoadLogins(a.Places())
	if err != nil {
		return "", err
	}
	if login := logins.Find(logins.Default); login != nil {
		return login.URL, nil
	}
	return "", nil
}

// resolve returns the URL for a URL or the name of a login.
func (a *App) resolve(server string) (string, error) {
	if strings.Contains(server, "://") {
		return server, nil
	}
	logins, err := config.LoadLogins(a.Places())
	if err != nil {
		return "", err
	}
	if login := logins.Find(server); login != nil {
		return login.URL, nil
	}
	if strings.ContainsAny(server, ".:/") || server == "localhost" {
		return "", &api.Error{Code: api.CodeConfig, Kind: api.KindUnknownServer,
			Message: fmt.Sprintf("the server '%s' is neither a URL nor the name of a login", api.Clip(server, 80)),
			Hint:    fmt.Sprintf("A URL begins with its scheme: %s", api.Clip(WithScheme(server), 80)), Details: map[string]any{"server": server}}
	}
	return "", logins.Unknown(server)
}

// WithScheme adds a scheme to a host: http for this machine, https for all
// others.
func WithScheme(server string) string {
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

// token returns the token for a server: from the environment, otherwise from the
// login there, otherwise from the token file; empty if there is no token. It looks once.
func (a *App) token(url string) (token string, err error) {
	if known, ok := a.secrets.Load(url); ok {
		return known.(string), nil
	}
	login, err := a.LoginAt(url)
	switch {
	case err != nil:
		return "", err
	case login != nil:
		token, err = a.Places().TokenOf(*login)
	default:
		token, err = a.Places().Token()
	}
	if err == nil {
		a.secrets.Store(url, token)
	}
	return token, err
}

// LoginAt returns the login whose token is for a server; nil if another token is.
func (a *App) LoginAt(url string) (*config.Login, error) {
	if a.Getenv(config.EnvToken) != "" {
		return nil, nil
	}
	logins, err := config.LoadLogins(a.Places())
	if err != nil {
		return nil, err
	}
	return logins.At(url), nil
}

func (a *App) Client(url, token string) (*client.Client, error) {
	origin, err := a.origin()
	if err != nil {
		return nil, err
	}
	return client.New(client.Options{
		URL: url, Token: token, AllowInsecureHTTP: a.Getenv(config.EnvAllowHTTP) == "1",
		UserAgent: "da/" + build.Current().Version, Origin: client.Origin(origin), Trace: a.trace(),
	})
}

// trace returns a function that logs each request; nil unless --verbose is given.
func (a *App) trace() func(*http.Request, int, time.Duration) {
	if !a.Verbose {
		return nil
	}
	return func(r *http.Request, status int, took time.Duration) {
		said := "no answer"
		if status > 0 {
			said = strconv.Itoa(status)
		}
		a.Detail(fmt.Sprintf("%s %s: %s after %s", r.Method, r.URL.Path, said, humanize.Elapsed(took)))
	}
}

// Catalog opens the catalog: a server's answers behind a cache, or the core in
// this process, which needs no cache.
func (a *App) Catalog() (api.Catalog, error) {
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	if a.Served == nil {
		return remote.Catalog, nil
	}
	return a.Cached()
}

// Cached returns the cache of the connected server's answers.
func (a *App) Cached() (*cache.Catalog, error) {
	token, err := a.token(a.Served.URL())
	if err != nil {
		return nil, err
	}
	return a.CacheOf(a.Served, token)
}

// CacheOf returns the cache of a server's answers to the bearer of a token.
func (a *App) CacheOf(c *client.Client, token string) (*cache.Catalog, error) {
	home, err := a.Places().Data()
	if err != nil {
		return nil, err
	}
	said := ""
	return cache.New(c, cache.Options{
		Dir: filepath.Join(home, "cache"), Server: c.URL(), User: token, Now: a.Now,
		OnStale: func(age time.Duration) {
			if text := StaleText(c, age); text != said {
				a.Warn([]string{text})
				said = text
			}
		},
	}), nil
}

// StaleText says that an answer is an old one from the cache.
func StaleText(c *client.Client, age time.Duration) string {
	return fmt.Sprintf("%s cannot be reached; this is what it said %s", c.URL(), humanize.Age(age))
}
