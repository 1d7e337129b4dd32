package cli

import (
	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/fit"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/table"
)

// printed is what a command prints with --json.
type printed struct {
	when string // empty: always
	// value is of the type whose JSON it is.
	value any
}

// fetched is what da fetch --json prints.
type fetched struct {
	*analyst.FetchResult
	Remaining *api.Remaining `json:"remaining"` // null: it could not be asked for
}

// estimated is what da fetch --estimate --json prints.
type estimated struct {
	*api.Estimate
	Remaining api.Remaining `json:"remaining"`
}

// doneReport is what a change prints that has nothing to show.
type doneReport struct {
	Done string `json:"done"`
}

// snapshotsDropped is what da snapshot drop --json prints.
type snapshotsDropped struct {
	Dropped []string `json:"dropped"`
}

// outputs says for each command what it prints with --json. Schemas are made of
// these types; a test runs the commands and holds what they print against them.
// A command that is not here prints no JSON.
var outputs = map[string][]printed{
	"da catalog":           {{"", api.TableList{}}, {"with --search", api.SearchResult{}}},
	"da schema":            {{"", api.TableSchema{}}},
	"da describe":          {{"", description{}}},
	"da where":             {{"", analyst.CheckedWhere{}}},
	"da quota":             {{"", api.QuotaStatus{}}},
	"da fetch":             {{"", fetched{}}, {"with --estimate", estimated{}}},
	"da snapshot list":     {{"", analyst.Snapshots{}}},
	"da snapshot show":     {{"", snapshot.Meta{}}},
	"da snapshot drop":     {{"", snapshotsDropped{}}},
	"da snapshot prune":    {{"", snapshot.PruneResult{}}},
	"da snapshot refresh":  {{"", analyst.RefreshResult{}}},
	"da snapshot import":   {{"", analyst.ImportResult{}}},
	"da sync":              {{"", analyst.SyncResult{}}},
	"da query":             {{"with --max-tokens, or without --json where an agent runs da", fit.Answer{}}, {"with --out", writtenFile{}}, {"else", []api.Row{}}},
	"da result list":       {{"", resultList{}}},
	"da result drop":       {{"", resultsDropped{}}},
	"da disk-info":         {{"", diskInfo{}}},
	"da table map":         {{"", table.Map{}}},
	"da table describe":    {{"", table.Description{}}},
	"da table stats":       {{"", table.Stats{}}},
	"da table rows":        {{"with --max-tokens, or without --json where an agent runs da", fittedRows{}}, {"else", table.Rows{}}},
	"da table query":       {{"with --max-tokens, or without --json where an agent runs da", fittedResult{}}, {"else", table.Result{}}},
	"da table export":      {{"", table.Export{}}},
	"da login":             {{"", loggedIn{}}},
	"da logout":            {{"", loggedOut{}}},
	"da whoami":            {{"", loggedIn{}}},
	"da init":              {{"", initResult{}}},
	"da version":           {{"", build.Info{}}},
	"da skills install":    {{"", skillsResult{}}},
	"da help":              {{"", helpDocument{}}},
	"da doctor":            {{"", diagnosis{}}},
	"da admin user create": {{"", api.User{}}},
	"da admin user list":   {{"", []api.User{}}},
	"da admin user delete": {{"", doneReport{}}},

	"da admin group create": {{"", api.Group{}}},
	"da admin group list":   {{"", []api.Group{}}},
	"da admin group delete": {{"", doneReport{}}},
	"da admin group add":    {{"", doneReport{}}},
	"da admin group remove": {{"", doneReport{}}},

	"da admin token create": {{"", api.CreatedToken{}}},
	"da admin token list":   {{"", []api.Token{}}},
	"da admin token revoke": {{"", doneReport{}}},

	"da admin grant":        {{"", api.Grant{}}},
	"da admin grant list":   {{"", []api.Grant{}}},
	"da admin grant revoke": {{"", doneReport{}}},

	"da admin table register":   {{"", api.RegisteredTable{}}},
	"da admin table list":       {{"", []api.RegisteredTable{}}},
	"da admin table refresh":    {{"", api.RefreshedTable{}}},
	"da admin table unregister": {{"", doneReport{}}},

	"da admin quota":           {{"", []api.QuotaStatus{}}},
	"da admin audit":           {{"", []api.AuditEvent{}}},
	"da admin audit prune":     {{"", auditPruned{}}},
	"da admin backup":          {{"", backedUp{}}},
	"da admin catalog-refresh": {{"", doneReport{}}},
}
