package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/agnes-data/da/api"
)

// adminPath returns a path below /api/admin.
func adminPath(parts ...string) []string { return append([]string{"api", "admin"}, parts...) }

// listOf requests a list.
func listOf[T any](ctx context.Context, c *Client, query url.Values, parts ...string) ([]T, error) {
	list := []T{}
	err := c.get(ctx, request{method: http.MethodGet, path: adminPath(parts...), query: query, again: true}, &list)
	if err == nil {
		err = c.ours(list != nil, "list")
	}
	return list, err
}

// made creates an object and returns it as the server answers.
func made[T any](ctx context.Context, c *Client, body any, parts ...string) (*T, error) {
	var out T
	if err := c.get(ctx, request{method: http.MethodPost, path: adminPath(parts...), body: body}, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// change sends a request without an answer. It is idempotent.
func (c *Client) change(ctx context.Context, method string, parts ...string) error {
	return c.get(ctx, request{method: method, path: adminPath(parts...)}, nil)
}

// optional returns a query parameter, or nil if value is empty.
func optional(name, value string) url.Values {
	if value == "" {
		return nil
	}
	return url.Values{name: {value}}
}

// Sources implements api.SourceAdmin.
func (c *Client) Sources(ctx context.Context) ([]api.SourceState, error) {
	return listOf[api.SourceState](ctx, c, nil, "sources")
}

// Health implements api.HealthAdmin.
func (c *Client) Health(ctx context.Context) ([]api.HealthCheck, error) {
	return listOf[api.HealthCheck](ctx, c, nil, "health")
}

// Users implements api.UserAdmin.
func (c *Client) Users(ctx context.Context) ([]api.User, error) {
	return listOf[api.User](ctx, c, nil, "users")
}

// CreateUser implements api.UserAdmin.
func (c *Client) CreateUser(ctx context.Context, u api.NewUser) (*api.User, error) {
	return made[api.User](ctx, c, u, "users")
}

// DeleteUser implements api.UserAdmin.
func (c *Client) DeleteUser(ctx context.Context, name string) error {
	return c.change(ctx, http.MethodDelete, "users", name)
}

// Groups implements api.GroupAdmin.
func (c *Client) Groups(ctx context.Context) ([]api.Group, error) {
	return listOf[api.Group](ctx, c, nil, "groups")
}

// CreateGroup implements api.GroupAdmin.
func (c *Client) CreateGroup(ctx context.Context, g api.NewGroup) (*api.Group, error) {
	return made[api.Group](ctx, c, g, "groups")
}

// DeleteGroup implements api.GroupAdmin.
func (c *Client) DeleteGroup(ctx context.Context, name string) error {
	return c.change(ctx, http.MethodDelete, "groups", name)
}

// AddMember implements api.GroupAdmin.
func (c *Client) AddMember(ctx context.Context, group, user string) error {
	return c.change(ctx, http.MethodPut, "groups", group, "members", user)
}

// RemoveMember implements api.GroupAdmin.
func (c *Client) RemoveMember(ctx context.Context, group, user string) error {
	return c.change(ctx, http.MethodDelete, "groups", group, "members", user)
}

// Tokens implements api.TokenAdmin.
func (c *Client) Tokens(ctx context.Context, user string) ([]api.Token, error) {
	return listOf[api.Token](ctx, c, optional("user", user), "tokens")
}

// CreateToken implements api.TokenAdmin.
func (c *Client) CreateToken(ctx context.Context, t api.NewToken) (*api.CreatedToken, error) {
	return made[api.CreatedToken](ctx, c, t, "tokens")
}

// RevokeToken implements api.TokenAdmin.
func (c *Client) RevokeToken(ctx context.Context, id string) error {
	return c.change(ctx, http.MethodDelete, "tokens", id)
}

// Grants implements api.GrantAdmin.
func (c *Client) Grants(ctx context.Context, tableID string) ([]api.Grant, error) {
	return listOf[api.Grant](ctx, c, optional("table", tableID), "grants")
}

// CreateGrant implements api.GrantAdmin.
func (c *Client) CreateGrant(ctx context.Context, g api.NewGrant) (*api.Grant, error) {
	return made[api.Grant](ctx, c, g, "grants")
}

// RevokeGrant implements api.GrantAdmin.
func (c *Client) RevokeGrant(ctx context.Context, id int64) error {
	return c.change(ctx, http.MethodDelete, "grants", strconv.FormatInt(id, 10))
}

// RegisteredTables implements api.TableAdmin.
func (c *Client) RegisteredTables(ctx context.Context) ([]api.RegisteredTable, error) {
	return listOf[api.RegisteredTable](ctx, c, nil, "tables")
}

// RegisterTable implements api.TableAdmin.
func (c *Client) RegisterTable(ctx context.Context, t api.RegisteredTable) (*api.RegisteredTable, error) {
	return made[api.RegisteredTable](ctx, c, t, "tables")
}

// UnregisterTable implements api.TableAdmin.
func (c *Client) UnregisterTable(ctx context.Context, id string) error {
	return c.change(ctx, http.MethodDelete, "tables", id)
}

// RefreshTable implements api.TableAdmin.
func (c *Client) RefreshTable(ctx context.Context, id string) (*api.RefreshedTable, error) {
	var done api.RefreshedTable
	if err := c.get(ctx, request{method: http.MethodPost, path: adminPath("tables", id, "refresh"), long: true}, &done); err != nil {
		return nil, err
	}
	return &done, nil
}

// Audit implements api.AuditAdmin.
func (c *Client) Audit(ctx context.Context, q api.AuditQuery) ([]api.AuditEvent, error) {
	query := url.Values{}
	if !q.Since.IsZero() {
		query.Set("since", q.Since.UTC().Format(time.RFC3339Nano))
	}
	for name, value := range map[string]string{"user": q.User, "table": q.TableID, "status": q.Status} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if q.Before > 0 {
		query.Set("before", strconv.FormatInt(q.Before, 10))
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	return listOf[api.AuditEvent](ctx, c, query, "audit")
}

// Quotas implements api.AuditAdmin.
func (c *Client) Quotas(ctx context.Context) ([]api.QuotaStatus, error) {
	return listOf[api.QuotaStatus](ctx, c, nil, "quota")
}

// QuotaRules implements api.AuditAdmin.
func (c *Client) QuotaRules(ctx context.Context) ([]api.QuotaRule, error) {
	return listOf[api.QuotaRule](ctx, c, nil, "quota", "rules")
}

// SetQuota implements api.AuditAdmin.
func (c *Client) SetQuota(ctx context.Context, q api.QuotaRule) (*api.QuotaRule, error) {
	return made[api.QuotaRule](ctx, c, q, "quota", "rules")
}

// PublishDashboard implements api.DashboardAdmin.
func (c *Client) PublishDashboard(ctx context.Context, d api.NewDashboard) (*api.Dashboard, error) {
	return made[api.Dashboard](ctx, c, d, "dashboards")
}

// UnpublishDashboard implements api.DashboardAdmin.
func (c *Client) UnpublishDashboard(ctx context.Context, id string) error {
	return c.change(ctx, http.MethodDelete, "dashboards", id)
}

// Running implements api.RunAdmin.
func (c *Client) Running(ctx context.Context) ([]api.RunningRequest, error) {
	return listOf[api.RunningRequest](ctx, c, nil, "requests")
}

// StopRequest implements api.RunAdmin.
func (c *Client) StopRequest(ctx context.Context, id string) error {
	return c.change(ctx, http.MethodDelete, "requests", id)
}

// VisibleTables implements api.ViewAdmin.
func (c *Client) VisibleTables(ctx context.Context, user string) ([]api.VisibleTable, error) {
	return listOf[api.VisibleTable](ctx, c, nil, "users", user, "tables")
}

// VisibleSample implements api.ViewAdmin.
func (c *Client) VisibleSample(ctx context.Context, user, tableID string) (*api.Sample, error) {
	var sample api.Sample
	if err := c.get(ctx, request{method: http.MethodGet, path: adminPath("users", user, "tables", tableID)}, &sample); err != nil {
		return nil, err
	}
	return &sample, nil
}
