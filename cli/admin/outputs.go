package admin

import (
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/server/state"
)

// Outputs says for each command what it prints with --json.
func Outputs() output.Printed {
	return output.Printed{
		"da admin user create": {{Value: api.User{}}},
		"da admin user list":   {{Value: []api.User{}}},
		"da admin user delete": {{Value: app.ChangeResult{}}},

		"da admin group create": {{Value: api.Group{}}},
		"da admin group list":   {{Value: []api.Group{}}},
		"da admin group delete": {{Value: app.ChangeResult{}}},
		"da admin group add":    {{Value: app.ChangeResult{}}},
		"da admin group remove": {{Value: app.ChangeResult{}}},

		"da admin token create": {{Value: api.CreatedToken{}}},
		"da admin token list":   {{Value: []api.Token{}}},
		"da admin token revoke": {{Value: app.ChangeResult{}}},

		"da admin grant":        {{Value: api.Grant{}}},
		"da admin grant list":   {{Value: []api.Grant{}}},
		"da admin grant revoke": {{Value: app.ChangeResult{}}},

		"da admin table register":   {{Value: api.RegisteredTable{}}},
		"da admin table list":       {{Value: []api.RegisteredTable{}}},
		"da admin table refresh":    {{Value: api.RefreshedTable{}}},
		"da admin table unregister": {{Value: app.ChangeResult{}}},

		"da admin request list": {{Value: []api.RunningRequest{}}},
		"da admin request stop": {{Value: app.ChangeResult{}}},

		"da admin quota":           {{Value: []api.QuotaStatus{}}},
		"da admin audit":           {{Value: []api.AuditEvent{}}},
		"da admin audit prune":     {{Value: auditPruned{}}},
		"da admin backup":          {{Value: backedUp{}}},
		"da admin state move":      {{Value: state.Moved{}}},
		"da admin catalog-refresh": {{Value: app.ChangeResult{}}},
	}
}
