package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// adminRoutes lists the routes below /api/admin.
func adminRoutes() []route {
	return []route{
		{http.MethodPost, "/api/admin/catalog/invalidate", admin, (*call).invalidate},

		{http.MethodGet, "/api/admin/sources", admin, listing(api.Administration.Sources)},
		{http.MethodGet, "/api/admin/health", admin, (*call).examine},

		{http.MethodGet, "/api/admin/users", admin, listing(api.Administration.Users)},
		{http.MethodPost, "/api/admin/users", admin, create(api.Administration.CreateUser)},
		{http.MethodDelete, "/api/admin/users/{user}", admin, named("user", api.Administration.DeleteUser)},

		{http.MethodGet, "/api/admin/groups", admin, listing(api.Administration.Groups)},
		{http.MethodPost, "/api/admin/groups", admin, create(api.Administration.CreateGroup)},
		{http.MethodDelete, "/api/admin/groups/{group}", admin, named("group", api.Administration.DeleteGroup)},
		{http.MethodPut, "/api/admin/groups/{group}/members/{user}", admin, member(api.Administration.AddMember)},
		{http.MethodDelete, "/api/admin/groups/{group}/members/{user}", admin, member(api.Administration.RemoveMember)},

		{http.MethodGet, "/api/admin/tokens", admin, (*call).tokens},
		{http.MethodPost, "/api/admin/tokens", admin, create(api.Administration.CreateToken)},
		{http.MethodDelete, "/api/admin/tokens/{token}", admin, named("token", api.Administration.RevokeToken)},

		{http.MethodGet, "/api/admin/grants", admin, (*call).grants},
		{http.MethodPost, "/api/admin/grants", admin, create(api.Administration.CreateGrant)},
		{http.MethodDelete, "/api/admin/grants/{grant}", admin, (*call).revokeGrant},

		{http.MethodGet, "/api/admin/tables", admin, listing(api.Administration.RegisteredTables)},
		{http.MethodPost, "/api/admin/tables", admin, create(api.Administration.RegisterTable)},
		{http.MethodDelete, "/api/admin/tables/{id}", admin, named("id", api.Administration.UnregisterTable)},
		{http.MethodPost, "/api/admin/tables/{id}/refresh", admin, (*call).refreshTable},

		{http.MethodGet, "/api/admin/quota", admin, listing(api.Administration.Quotas)},
		{http.MethodGet, "/api/admin/quota/rules", admin, listing(api.Administration.QuotaRules)},
		{http.MethodPost, "/api/admin/quota/rules", admin, create(api.Administration.SetQuota)},
		{http.MethodGet, "/api/admin/audit", admin, (*call).audit},

		{http.MethodPost, "/api/admin/dashboards", admin, create(api.Administration.PublishDashboard)},
		{http.MethodDelete, "/api/admin/dashboards/{id}", admin, named("id", api.Administration.UnpublishDashboard)},

		{http.MethodGet, "/api/admin/requests", admin, listing(api.Administration.Running)},
		{http.MethodDelete, "/api/admin/requests/{request}", admin, named("request", api.Administration.StopRequest)},

		{http.MethodGet, "/api/admin/users/{user}/tables", admin, (*call).visibleTables},
		{http.MethodGet, "/api/admin/users/{user}/tables/{id}", admin, (*call).visibleSample},

		{http.MethodGet, "/metrics", admin, (*call).figures},
	}
}

// listing answers with the result of get.
func listing[T any](get func(api.Administration, context.Context) (T, error)) func(*call) error {
	return func(c *call) error {
		if err := c.params(); err != nil {
			return err
		}
		return answer(c, func(ctx context.Context) (T, error) { return get(c.admin, ctx) })
	}
}

// create reads a body and answers with the object created from it.
func create[Req, Res any](do func(api.Administration, context.Context, Req) (*Res, error)) func(*call) error {
	return func(c *call) error {
		var req Req
		if err := c.params(); err != nil {
			return err
		}
		if err := c.body(&req); err != nil {
			return err
		}
		out, err := do(c.admin, c.r.Context(), req)
		if err != nil {
			return err
		}
		return c.w.json(http.StatusCreated, out)
	}
}

// named performs an action on the object in the path.
func named(part string, do func(api.Administration, context.Context, string) error) func(*call) error {
	return func(c *call) error {
		if err := c.params(); err != nil {
			return err
		}
		return c.done(do(c.admin, c.r.Context(), c.r.PathValue(part)))
	}
}

func (c *call) refreshTable() error {
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, func(ctx context.Context) (*api.RefreshedTable, error) {
		return c.admin.RefreshTable(ctx, c.r.PathValue("id"))
	})
}

func member(do func(s api.Administration, ctx context.Context, group, user string) error) func(*call) error {
	return func(c *call) error {
		if err := c.params(); err != nil {
			return err
		}
		return c.done(do(c.admin, c.r.Context(), c.r.PathValue("group"), c.r.PathValue("user")))
	}
}

func (c *call) tokens() error {
	if err := c.params("user"); err != nil {
		return err
	}
	user := c.r.URL.Query().Get("user")
	return answer(c, func(ctx context.Context) ([]api.Token, error) { return c.admin.Tokens(ctx, user) })
}

func (c *call) grants() error {
	if err := c.params("table"); err != nil {
		return err
	}
	table := c.r.URL.Query().Get("table")
	return answer(c, func(ctx context.Context) ([]api.Grant, error) { return c.admin.Grants(ctx, table) })
}

func (c *call) revokeGrant() error {
	if err := c.params(); err != nil {
		return err
	}
	id, err := strconv.ParseInt(c.r.PathValue("grant"), 10, 64)
	if err != nil {
		return badBody(api.KindParameter, "a grant is named by its number")
	}
	return c.done(c.admin.RevokeGrant(c.r.Context(), id))
}

func (c *call) audit() error {
	if err := c.params("since", "user", "table", "status", "before", "limit"); err != nil {
		return err
	}
	values := c.r.URL.Query()
	q := api.AuditQuery{User: values.Get("user"), TableID: values.Get("table"), Status: values.Get("status")}
	var err error
	if text := values.Get("since"); text != "" {
		if q.Since, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return badBody(api.KindParameter, "parameter 'since' must be a time as in 2026-01-31T00:00:00Z")
		}
	}
	if text := values.Get("before"); text != "" {
		if q.Before, err = strconv.ParseInt(text, 10, 64); err != nil || q.Before < 1 {
			return badBody(api.KindParameter, "parameter 'before' must be the id of an event")
		}
	}
	if text := values.Get("limit"); text != "" {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > api.MaxAuditRows {
			return badBody(api.KindParameter, "parameter 'limit' must be a whole number from 1 to %d", api.MaxAuditRows)
		}
	}
	return answer(c, func(ctx context.Context) ([]api.AuditEvent, error) { return c.admin.Audit(ctx, q) })
}

func (c *call) visibleTables() error {
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, func(ctx context.Context) ([]api.VisibleTable, error) {
		return c.admin.VisibleTables(ctx, c.r.PathValue("user"))
	})
}

func (c *call) visibleSample() error {
	id, err := c.tableID()
	if err != nil {
		return err
	}
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, func(ctx context.Context) (*api.Sample, error) {
		return c.admin.VisibleSample(ctx, c.r.PathValue("user"), id)
	})
}

func (c *call) figures() error {
	if err := c.params(); err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, err := c.w.Write(c.router.backend.Metrics())
	return err
}

// examine adds to what the service sees how its own listening goes.
func (c *call) examine() error {
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, func(ctx context.Context) ([]api.HealthCheck, error) {
		checks, err := c.admin.Health(ctx)
		if err != nil {
			return nil, err
		}
		checks = append(checks, c.router.room.check())
		if c.router.certEnds.IsZero() {
			return checks, nil
		}
		return append(checks, certificateCheck(time.Until(c.router.certEnds))), nil
	})
}

// certificateWarning is how long before its end a certificate is told.
const certificateWarning = 21 * 24 * time.Hour

func certificateCheck(left time.Duration) api.HealthCheck {
	check := api.HealthCheck{Name: "certificate", Status: api.CheckOK, Says: "valid for " + humanize.Duration(left)}
	if left < certificateWarning {
		check.Status, check.Fix = api.CheckWarning, "Renew it, then restart the server: it is read at start."
	}
	if left < 0 {
		check.Status, check.Says = api.CheckFailed, "it ended "+humanize.Age(-left)
	}
	return check
}

func (c *call) invalidate() error {
	if err := c.admin.RefreshCaches(c.r.Context()); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
