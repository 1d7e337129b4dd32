package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/agnes-data/da/api"
)

// access says who may call a route at all. What they may have is the core's to
// decide.
type access byte

const (
	public access = iota // no token
	user                 // any token
	admin                // a token of an admin
)

// route is one row of the table below. To add an endpoint: a row here, its
// method in the client, its types in api.
type route struct {
	method string
	path   string
	access access
	serve  func(*call) error
}

// routes is the one list of what the server answers: the users' routes, the
// doors, then the admins' routes.
func routes(doors ...Door) []route {
	all := []route{
		{http.MethodGet, "/healthz", public, (*call).health},
		{http.MethodGet, "/readyz", public, (*call).health},

		{http.MethodGet, "/api/v2/whoami", user, (*call).whoami},
		{http.MethodGet, "/api/v2/catalog", user, (*call).catalog},
		{http.MethodGet, "/api/v2/catalog/search", user, (*call).search},
		{http.MethodGet, "/api/v2/schema/{id}", user, (*call).schema},
		{http.MethodGet, "/api/v2/sample/{id}", user, (*call).sample},
		{http.MethodPost, "/api/v2/scan", user, (*call).scan},
		{http.MethodPost, "/api/v2/scan/estimate", user, (*call).estimate},
		{http.MethodPost, "/api/query", user, (*call).query},
		{http.MethodGet, "/api/sync/manifest", user, (*call).syncManifest},
		{http.MethodGet, "/api/sync/tables/{id}", user, (*call).syncTable},
		{http.MethodGet, "/api/v2/quota", user, (*call).quota},
	}
	for _, d := range doors {
		all = append(all, d.route())
	}
	return append(all, adminRoutes()...)
}

// health says that the server answers. It is ready as soon as it listens.
func (c *call) health() error {
	return c.w.json(http.StatusOK, map[string]string{"status": "ok"})
}

// answer sends what get returns as JSON.
func answer[T any](c *call, get func(context.Context) (T, error)) error {
	var v T
	err := c.await(func() (err error) {
		v, err = get(c.r.Context())
		return err
	})
	if err != nil {
		return err
	}
	return c.w.json(http.StatusOK, v)
}

// tableID returns the table that the path names.
func (c *call) tableID() (string, error) {
	id := c.r.PathValue("id")
	return id, api.CheckName("table id", id)
}

// params refuses parameters in the URL other than those known.
func (c *call) params(known ...string) error {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return badBody("parameter", "the parameters of the URL cannot be read")
	}
	for name, v := range values {
		if !slices.Contains(known, name) {
			return badBody("parameter", "there is no parameter '%s'", api.Clip(name, 80))
		}
		if len(v) > 1 {
			return badBody("parameter", "parameter '%s' is there %d times", name, len(v))
		}
	}
	return nil
}
