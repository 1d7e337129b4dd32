package httpapi

import (
	"context"

	"github.com/agnes-data/da/api"
)

// testAdmin answers an admin with nothing.
type testAdmin struct{}

func (testAdmin) Quota(context.Context) (*api.QuotaStatus, error)    { return &api.QuotaStatus{}, nil }
func (testAdmin) Sources(context.Context) ([]api.SourceState, error) { return nil, nil }
func (testAdmin) Users(context.Context) ([]api.User, error)          { return nil, nil }
func (testAdmin) Groups(context.Context) ([]api.Group, error)        { return nil, nil }
func (testAdmin) DeleteUser(context.Context, string) error           { return nil }
func (testAdmin) DeleteGroup(context.Context, string) error          { return nil }
func (testAdmin) AddMember(context.Context, string, string) error    { return nil }
func (testAdmin) RevokeToken(context.Context, string) error          { return nil }
func (testAdmin) RevokeGrant(context.Context, int64) error           { return nil }
func (testAdmin) UnregisterTable(context.Context, string) error      { return nil }
func (testAdmin) RefreshTable(context.Context, string) (*api.RefreshedTable, error) {
	return &api.RefreshedTable{}, nil
}
func (testAdmin) Quotas(context.Context) ([]api.QuotaStatus, error)   { return nil, nil }
func (testAdmin) QuotaRules(context.Context) ([]api.QuotaRule, error) { return nil, nil }
func (testAdmin) SetQuota(context.Context, api.QuotaRule) (*api.QuotaRule, error) {
	return &api.QuotaRule{}, nil
}
func (testAdmin) RemoveMember(context.Context, string, string) error {
	return nil
}
func (testAdmin) CreateUser(context.Context, api.NewUser) (*api.User, error) { return &api.User{}, nil }
func (testAdmin) CreateGroup(context.Context, api.NewGroup) (*api.Group, error) {
	return &api.Group{}, nil
}
func (testAdmin) Tokens(context.Context, string) ([]api.Token, error) { return nil, nil }
func (testAdmin) CreateToken(context.Context, api.NewToken) (*api.CreatedToken, error) {
	return &api.CreatedToken{}, nil
}
func (testAdmin) Grants(context.Context, string) ([]api.Grant, error) { return nil, nil }
func (testAdmin) CreateGrant(context.Context, api.NewGrant) (*api.Grant, error) {
	return &api.Grant{}, nil
}
func (testAdmin) RegisteredTables(context.Context) ([]api.RegisteredTable, error) { return nil, nil }
func (testAdmin) RegisterTable(context.Context, api.RegisteredTable) (*api.RegisteredTable, error) {
	return &api.RegisteredTable{}, nil
}
func (testAdmin) Audit(context.Context, api.AuditQuery) ([]api.AuditEvent, error) { return nil, nil }

func (testAdmin) PublishDashboard(context.Context, api.NewDashboard) (*api.Dashboard, error) {
	return &api.Dashboard{}, nil
}
func (testAdmin) UnpublishDashboard(context.Context, string) error { return nil }

func (testAdmin) Running(context.Context) ([]api.RunningRequest, error)             { return nil, nil }
func (testAdmin) StopRequest(context.Context, string) error                         { return nil }
func (testAdmin) VisibleTables(context.Context, string) ([]api.VisibleTable, error) { return nil, nil }
func (testAdmin) VisibleSample(context.Context, string, string) (*api.Sample, error) {
	return &api.Sample{}, nil
}
