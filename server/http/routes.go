package httpapi

import (
	"net/http"
)

// routes lists everything that the server answers: the users' routes, the page,
// the doors, then the admin routes.
func routes(doors ...Door) []route {
	all := []route{
		{http.MethodGet, "/healthz", public, (*call).health},
		{http.MethodGet, "/readyz", public, (*call).ready},

		{http.MethodGet, "/api/v2/whoami", user, (*call).whoami},
		{http.MethodGet, "/api/v2/catalog", user, (*call).catalog},
		{http.MethodGet, "/api/v2/catalog/search", user, (*call).search},
		{http.MethodGet, "/api/v2/model", user, (*call).model},
		{http.MethodGet, "/api/v2/model/metrics/{name}", user, (*call).metric},
		{http.MethodGet, "/api/v2/known", user, (*call).known},
		{http.MethodGet, "/api/v2/questions/{name}", user, (*call).savedQuestion},
		{http.MethodPost, "/api/v2/questions", user, (*call).saveQuestion},
		{http.MethodPost, "/api/v2/questions/{name}/approval", user, (*call).approveQuestion},
		{http.MethodDelete, "/api/v2/questions/{name}", user, (*call).dropQuestion},
		{http.MethodPost, "/api/v2/notes", user, (*call).putNote},
		{http.MethodDelete, "/api/v2/notes/{id}", user, (*call).dropNote},
		{http.MethodGet, "/api/v2/schema/{id}", user, (*call).schema},
		{http.MethodGet, "/api/v2/sample/{id}", user, (*call).sample},
		{http.MethodPost, "/api/v2/scan", user, (*call).scan},
		{http.MethodDelete, "/api/v2/scan/files/{tag}", user, (*call).forgetFile},
		{http.MethodPost, "/api/v2/scan/estimate", user, (*call).estimate},
		{http.MethodPost, "/api/query", user, (*call).query},
		{http.MethodGet, "/api/sync/manifest", user, (*call).syncManifest},
		{http.MethodGet, "/api/sync/tables/{id}", user, (*call).syncTable},
		{http.MethodGet, "/api/v2/quota", user, (*call).quota},
	}
	all = append(all, pageRoutes()...)
	for _, d := range doors {
		all = append(all, d.route())
	}
	return append(all, adminRoutes()...)
}

// ready says that the server can take requests: that it reaches its state, and has room
// for connections.
func (c *call) ready() error {
	if err := c.router.room.full(); err != nil {
		return err
	}
	if err := c.router.backend.Ready(c.r.Context()); err != nil {
		return err
	}
	return c.health()
}

// health says that the server answers.
func (c *call) health() error {
	return c.w.json(http.StatusOK, map[string]string{"status": "ok"})
}
