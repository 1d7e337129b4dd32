package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/web"
)

// pageRoutes are the routes of the page, its files, and its own requests.
func pageRoutes() []route {
	return append([]route{
		{http.MethodGet, "/{$}", public, (*call).page},
		{http.MethodGet, "/page/{version}/{file}", public, (*call).pageFile},
		{http.MethodGet, "/api/page", public, (*call).about},
		{http.MethodPost, "/api/page/sign-ins", public, (*call).signIn},
		{http.MethodGet, openIDPath, public, (*call).beginOpenID},
		{http.MethodGet, callbackPath, public, (*call).finishOpenID},
		{http.MethodPost, "/api/page/sign-ins/claim", public, (*call).claimSignIn},
		{http.MethodGet, "/api/page/sign-ins", user, (*call).listSignIns},
		{http.MethodDelete, "/api/page/sign-ins/{id}", user, (*call).endSignIn},
		{http.MethodPost, "/api/page/query", user, (*call).pageQuery},
		{http.MethodPost, "/api/page/price", user, (*call).pagePrice},
		{http.MethodPost, "/api/page/rows", user, (*call).pageScan},
		{http.MethodGet, "/api/page/tables", user, (*call).pageTables},
		{http.MethodGet, "/api/page/tables/{id}/joins", user, (*call).tableJoins},
		{http.MethodGet, "/api/page/dashboards", user, (*call).dashboards},
		{http.MethodGet, "/api/dashboards/{id}/report", user, (*call).dashboardReport},
		{http.MethodPost, "/api/page/report", user, (*call).pageReport},
		{http.MethodPost, "/api/page/profile", user, (*call).pageProfile},
		{http.MethodPost, "/api/page/file", user, (*call).pageFileOfRows},
		{http.MethodGet, "/api/page/file/{id}", user, (*call).fileProgress},
		{http.MethodPost, "/api/page/desk/plan", user, (*call).deskPlan},
		{http.MethodPost, "/api/page/desk/query", user, (*call).deskQuery},
	}, slices.Concat(deviceRoutes(), resultRoutes(), snapshotRoutes())...)
}

// policy limits what the page can do: run our scripts, use our styles, call this
// server. It forbids inline and evaluated code, and framing.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// secureHeaders sets the security headers for everything that a browser can
// display.
func secureHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}

// page answers with the page. Links in it are fragments, so that their contents
// are never sent to a server.
func (c *call) page() error { return c.asset(web.Index, "no-cache") }

// pageFile answers with a file of the page; the content behind a path never
// changes. A page that was loaded from another version finds nothing.
func (c *call) pageFile() error {
	if c.r.PathValue("version") != web.Version() {
		return errNoRoute
	}
	return c.asset(c.r.PathValue("file"), "public, max-age=31536000, immutable")
}

func (c *call) asset(name, caching string) error {
	a := web.File(name)
	if a == nil {
		return errNoRoute
	}
	h, data := c.w.Header(), a.Data
	secureHeaders(h)
	h.Set("Content-Type", a.Type)
	h.Set("Cache-Control", caching)
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(c.r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		data = a.Gzipped
	}
	h.Set("Content-Length", strconv.Itoa(len(data)))
	c.w.WriteHeader(http.StatusOK)
	_, _ = c.w.Write(data) // ignore a client that has gone away
	return nil
}

// about returns what the page needs before anybody has signed in.
func (c *call) about() error {
	if err := c.params(); err != nil {
		return err
	}
	info := api.PageInfo{SignIn: c.router.backend.Entry(), Version: build.Current().Version, Page: web.Version()}
	info.Desk = c.router.desk != nil
	if p := c.router.provider; p != nil {
		info.Provider = p.Name()
	}
	return c.w.json(http.StatusOK, info)
}
