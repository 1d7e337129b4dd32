package core

import (
	"context"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// previewRows is how many rows an admin sees in a preview of a table as another
// user.
const previewRows = 20

// VisibleTables implements api.ViewAdmin.
func (s *Session) VisibleTables(ctx context.Context, user string) ([]api.VisibleTable, error) {
	return adminRead(s, func() ([]api.VisibleTable, error) {
		seen, err := s.seenBy(ctx, user)
		if err != nil {
			return nil, err
		}
		v, err := seen.readRights(ctx)
		if err != nil {
			return nil, err
		}
		list := []api.VisibleTable{}
		for _, t := range v.mine() {
			list = append(list, v.shown(t))
		}
		return list, nil
	})
}

// shown describes what the caller sees of a table, from the grants alone.
func (v *view) shown(t *table) api.VisibleTable {
	out := api.VisibleTable{TableID: t.ID, Public: t.Public, Whole: v.readsWhole(t), Parts: []api.VisiblePart{}}
	if out.Whole {
		return out
	}
	all := false
	for _, g := range v.grants[t.ID] {
		out.Parts = append(out.Parts, api.VisiblePart{Through: g.Group, Columns: g.Columns, Rows: g.Rows, Masks: g.Masks})
		out.Columns = append(out.Columns, g.Columns...)
		all = all || g.Columns == nil
	}
	slices.Sort(out.Columns)
	out.Columns = slices.Compact(out.Columns)
	if all {
		out.Columns = nil
	}
	return out
}

// VisibleSample implements api.ViewAdmin. The audit names the admin, not the
// user.
func (s *Session) VisibleSample(ctx context.Context, user, tableID string) (sample *api.Sample, err error) {
	err = s.administer(ctx, "preview", user+" "+tableID, func(ctx context.Context) error {
		seen, err := s.seenBy(ctx, user)
		if err == nil {
			sample, err = seen.sample(ctx, tableID, previewRows)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return sample, nil
}

// seenBy returns a session with the rights of a user.
func (s *Session) seenBy(ctx context.Context, name string) (*Session, error) {
	users, err := s.core.state.Users(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(users, func(u api.User) bool { return u.Name == strings.ToLower(name) })
	if i < 0 {
		return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindUnknownUser, Message: "there is no user '" + api.Clip(name, 80) + "'",
			Next: []api.Step{api.Do(api.ActionListAdmin, "see every user", "what", "user")}}
	}
	return s.core.As(Principal{User: users[i].Name, UserID: users[i].ID, Admin: users[i].Admin}), nil
}
