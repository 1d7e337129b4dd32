package core

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// onlyAdmins rejects all other callers.
func (s *Session) onlyAdmins() error {
	if s.who.Admin {
		return nil
	}
	return &api.Error{Code: api.CodeForbidden, Kind: api.KindAdminOnly, Message: "this is for admins only",
		Hint: "Ask an admin of the server."}
}

// administer makes a change for an admin and audits it, even if it was refused.
func (s *Session) administer(ctx context.Context, action, subject string, change func(context.Context) error) error {
	r := s.begin(api.EventAdmin, "")
	r.event.Data.Action, r.event.Data.Subject = action, api.Clip(subject, 200)
	err := s.onlyAdmins()
	if err != nil {
		r.event.Data.Subject = "" // callers who are not admins could write anything there
	} else {
		err = change(ctx)
	}
	return r.end(ctx, stateError(err))
}

// stateError keeps internal errors of the state from looking like the caller's
// mistake.
func stateError(err error) error {
	if err == nil {
		return nil
	}
	if status, kind, _ := outcome(err); status == api.StatusError && kind != nil && *kind == "internal" {
		return internalError("change the state", err)
	}
	return err
}

// adminRead reads something for an admin.
func adminRead[T any](s *Session, read func() (T, error)) (v T, err error) {
	if err := s.onlyAdmins(); err != nil {
		return v, err
	}
	v, err = read()
	return v, stateError(err)
}

// Users implements api.UserAdmin.
func (s *Session) Users(ctx context.Context) ([]api.User, error) {
	return adminRead(s, func() ([]api.User, error) { return s.core.state.Users(ctx) })
}

// CreateUser implements api.UserAdmin.
func (s *Session) CreateUser(ctx context.Context, u api.NewUser) (out *api.User, err error) {
	err = s.administer(ctx, "user_create", u.Name, func(ctx context.Context) error {
		out, err = s.core.state.CreateUser(ctx, u)
		return err
	})
	return out, err
}

// DeleteUser implements api.UserAdmin.
func (s *Session) DeleteUser(ctx context.Context, name string) error {
	return s.administer(ctx, "user_delete", name, func(ctx context.Context) error { return s.core.state.DeleteUser(ctx, name) })
}

// Groups implements api.GroupAdmin.
func (s *Session) Groups(ctx context.Context) ([]api.Group, error) {
	return adminRead(s, func() ([]api.Group, error) { return s.core.state.Groups(ctx) })
}

// CreateGroup implements api.GroupAdmin.
func (s *Session) CreateGroup(ctx context.Context, g api.NewGroup) (out *api.Group, err error) {
	err = s.administer(ctx, "group_create", g.Name, func(ctx context.Context) error {
		out, err = s.core.state.CreateGroup(ctx, g)
		return err
	})
	return out, err
}

// DeleteGroup implements api.GroupAdmin.
func (s *Session) DeleteGroup(ctx context.Context, name string) error {
	return s.administer(ctx, "group_delete", name, func(ctx context.Context) error { return s.core.state.DeleteGroup(ctx, name) })
}

// AddMember implements api.GroupAdmin.
func (s *Session) AddMember(ctx context.Context, group, user string) error {
	return s.administer(ctx, "group_add", group+" "+user, func(ctx context.Context) error { return s.core.state.AddMember(ctx, group, user) })
}

// RemoveMember implements api.GroupAdmin.
func (s *Session) RemoveMember(ctx context.Context, group, user string) error {
	return s.administer(ctx, "group_remove", group+" "+user,
		func(ctx context.Context) error { return s.core.state.RemoveMember(ctx, group, user) })
}

// Tokens implements api.TokenAdmin.
func (s *Session) Tokens(ctx context.Context, user string) ([]api.Token, error) {
	return adminRead(s, func() ([]api.Token, error) { return s.core.state.Tokens(ctx, strings.ToLower(user)) })
}

// CreateToken implements api.TokenAdmin.
func (s *Session) CreateToken(ctx context.Context, t api.NewToken) (out *api.CreatedToken, err error) {
	err = s.administer(ctx, "token_create", t.User, func(ctx context.Context) error {
		out, err = s.core.state.CreateToken(ctx, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// RevokeToken implements api.TokenAdmin.
func (s *Session) RevokeToken(ctx context.Context, id string) error {
	return s.administer(ctx, "token_revoke", id, func(ctx context.Context) error { return s.core.state.RevokeToken(ctx, id) })
}

// Grants implements api.GrantAdmin.
func (s *Session) Grants(ctx context.Context, tableID string) ([]api.Grant, error) {
	return adminRead(s, func() ([]api.Grant, error) { return s.core.state.Grants(ctx, tableID) })
}

// CreateGrant implements api.GrantAdmin.
func (s *Session) CreateGrant(ctx context.Context, g api.NewGrant) (out *api.Grant, err error) {
	subject := fmt.Sprintf("%s: %s%s", g.TableID, g.User, g.Group)
	for _, column := range slices.Sorted(maps.Keys(g.Masks)) {
		subject += fmt.Sprintf(", %s=%s", column, g.Masks[column])
	}
	err = s.administer(ctx, "grant_create", subject, func(ctx context.Context) error {
		if err := s.checkGrant(ctx, &g); err != nil {
			return err
		}
		out, err = s.core.state.CreateGrant(ctx, g, s.who.User)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// checkGrant checks a grant against the table's current schema, and normalises
// the names of its columns.
func (s *Session) checkGrant(ctx context.Context, g *api.NewGrant) error {
	v, err := s.readRights(ctx)
	if err != nil {
		return err
	}
	p, err := v.authorise(ctx, g.TableID)
	if err != nil {
		return err
	}
	sc, err := s.core.schema(ctx, p.table, p.unrestricted())
	if err != nil {
		return err
	}
	typed, err := p.typed(sc)
	if err != nil {
		return err
	}
	for i, item := range g.Columns {
		if g.Columns[i], err = predicate.ParseColumn(p.source.Dialect(), item, typed); err != nil {
			return err
		}
	}
	if len(g.Columns) == 0 {
		g.Columns = nil
	}
	slices.Sort(g.Columns)
	g.Columns = slices.Compact(g.Columns)
	if err := checkMasks(p.table, sc, typed, g); err != nil {
		return err
	}
	if g.Rows == "" {
		return nil
	}
	_, err = predicate.Parse(p.source.Dialect(), g.Rows, typed)
	return err
}

// checkMasks checks the masks of a grant, and normalises the names of their columns.
func checkMasks(t *table, sc *source.Schema, typed *predicate.Schema, g *api.NewGrant) error {
	masks := api.Masks{}
	for _, item := range slices.Sorted(maps.Keys(g.Masks)) {
		column, err := predicate.ParseColumn(t.source.Dialect(), item, typed)
		if err != nil {
			return err
		}
		if masks[column] != "" || g.Columns != nil && !slices.Contains(g.Columns, column) {
			return &api.Error{Code: api.CodeBadRequest, Kind: api.KindBadMask,
				Message: fmt.Sprintf("column '%s' is masked twice, or is none of the columns of the grant", column),
				Hint:    "Mask each column once, and only those that the grant shows.", Details: map[string]any{"column": column}}
		}
		masks[column] = g.Masks[item]
	}
	g.Masks = masks
	_, err := t.masksOf(sc, masks)
	return err
}

// RevokeGrant implements api.GrantAdmin.
func (s *Session) RevokeGrant(ctx context.Context, id int64) error {
	return s.administer(ctx, "grant_revoke", strconv.FormatInt(id, 10),
		func(ctx context.Context) error { return s.core.state.RevokeGrant(ctx, id) })
}

// RegisteredTables implements api.TableAdmin.
func (s *Session) RegisteredTables(ctx context.Context) ([]api.RegisteredTable, error) {
	return adminRead(s, func() ([]api.RegisteredTable, error) { return s.core.state.RegisteredTables(ctx) })
}

// RegisterTable implements api.TableAdmin.
func (s *Session) RegisterTable(ctx context.Context, t api.RegisteredTable) (out *api.RegisteredTable, err error) {
	err = s.administer(ctx, "table_register", t.ID, func(ctx context.Context) error {
		if err := s.core.checkTable(ctx, &t); err != nil {
			return err
		}
		defer s.core.forget()
		out, err = s.core.state.RegisterTable(ctx, t, s.who.User)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// checkTable checks that the table exists at its source now.
func (c *Core) checkTable(ctx context.Context, t *api.RegisteredTable) error {
	if err := api.CheckName("table id", t.ID); err != nil {
		return err
	}
	refuse := func(kind, format string, args ...any) error {
		return &api.Error{Code: api.CodeBadRequest, Kind: kind, Message: fmt.Sprintf(format, args...)}
	}
	if c.byID[t.ID] != nil {
		return refuse(api.KindTableExists, "the instance file declares a table '%s'", t.ID)
	}
	if t.QueryMode == "" {
		t.QueryMode = api.ModeRemote
	}
	if t.QueryMode != api.ModeRemote && t.QueryMode != api.ModeLocal {
		return refuse(api.KindBadMode, "the query mode must be remote or local")
	}
	if c.sources[t.Source] == nil {
		return refuse(api.KindUnknownSource, "there is no source '%s'; there are %s", api.Clip(t.Source, 80),
			strings.Join(slices.Sorted(maps.Keys(c.sources)), ", "))
	}
	if c.types[t.Source] == api.SourceLake {
		if fault := config.CheckPath(t.Relation); fault != "" {
			return refuse(api.KindBadPath, "%s", fault)
		}
	}
	if t.Relation == "" || len(t.Relation) > 512 || len(t.Description) > 4096 {
		return refuse(api.KindBadTable, "a table has a relation of up to 512 bytes and a description of up to 4096")
	}
	entry := c.declared(config.Table{ID: t.ID, Source: t.Source, Relation: t.Relation})
	_, err := c.schema(ctx, entry, entry.unrestricted())
	return err
}

// UnregisterTable implements api.TableAdmin.
func (s *Session) UnregisterTable(ctx context.Context, id string) error {
	return s.administer(ctx, "table_unregister", id, func(ctx context.Context) error {
		defer s.core.forget()
		return s.core.state.UnregisterTable(ctx, id)
	})
}

// Audit implements api.AuditAdmin.
func (s *Session) Audit(ctx context.Context, q api.AuditQuery) ([]api.AuditEvent, error) {
	return adminRead(s, func() ([]api.AuditEvent, error) { return s.core.state.Audit(ctx, q) })
}

// Quotas implements api.AuditAdmin.
func (s *Session) Quotas(ctx context.Context) ([]api.QuotaStatus, error) {
	return adminRead(s, func() ([]api.QuotaStatus, error) {
		list, err := s.core.state.Quotas(ctx, s.core.userLimits())
		if err != nil {
			return nil, err
		}
		return s.core.withModels(ctx, list)
	})
}

// QuotaRules implements api.AuditAdmin.
func (s *Session) QuotaRules(ctx context.Context) ([]api.QuotaRule, error) {
	return adminRead(s, func() ([]api.QuotaRule, error) { return s.core.state.QuotaRules(ctx) })
}

// SetQuota implements api.AuditAdmin.
func (s *Session) SetQuota(ctx context.Context, q api.QuotaRule) (*api.QuotaRule, error) {
	err := s.administer(ctx, "quota_set", cmp.Or(q.User, "group "+q.Group), func(ctx context.Context) error {
		return s.core.state.SetQuota(ctx, q)
	})
	return &q, err
}
