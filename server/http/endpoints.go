package httpapi

import (
	"maps"
	"strings"
)

// Endpoint describes a route for the documentation.
type Endpoint struct {
	Method, Path string
	// Access is "public", "user" or "admin".
	Access string
	// Takes and Gives name types of package api, or describe other content; About
	// says what the route does. They can be empty.
	Takes, Gives, About string
}

// Endpoints lists every route, including those to doors, in the order of the
// routing table.
func Endpoints(doors ...Door) []Endpoint {
	names := map[access]string{public: "public", user: "user", admin: "admin"}
	about := maps.Clone(described)
	for _, d := range doors {
		about[d.method()+" "+d.Path] = Endpoint{Takes: d.Takes, Gives: d.Gives, About: d.About}
	}
	var all []Endpoint
	for _, r := range routes(doors...) {
		e := about[r.method+" "+r.path]
		e.Method, e.Path, e.Access = r.method, strings.TrimSuffix(r.path, "{$}"), names[r.access]
		all = append(all, e)
	}
	return all
}

// described says what each route takes, gives and does.
var described = map[string]Endpoint{
	"GET /healthz": {Gives: `{"status": "ok"}`, About: "The process answers."},
	"GET /readyz":  {Gives: `{"status": "ok"}`, About: "The server can take requests: it reaches its state, and has a tenth of its connections left."},

	"GET /api/v2/catalog": {Gives: "TableList", About: "The tables that the caller may read."},
	"GET /api/v2/catalog/search": {Takes: "`?q=` words, `?limit=` 1 to 1000, default 50, `?any=true` finds tables with some of them, too", Gives: "SearchResult",
		About: "The tables in which every word or a form of it occurs, the best first; without one, those with most of the words."},
	"GET /api/v2/model": {Gives: "SemanticModel",
		About: "Metrics and their dimensions, as far as the caller may read the columns that they use."},
	"GET /api/v2/model/metrics/{name}": {Gives: `{"sql": …, "columns": […], "tables": […]}`, About: "The statement that a metric becomes."},
	"GET /api/v2/known": {Gives: "Known",
		About: "Notes on what the caller may read, terms, and saved questions: the caller's own, and those approved over tables that they may read."},
	"GET /api/v2/questions/{name}": {Gives: "SavedQuestion",
		About: "A saved question, and what has changed since it was approved."},
	"POST /api/v2/questions": {Takes: "NewQuestion", Gives: "SavedQuestion", About: "Saves a question of the caller's own."},
	"POST /api/v2/questions/{name}/approval": {Takes: "NewApproval", Gives: "SavedQuestion",
		About: "Approves a question, for admins and members of the group `curators`: whoever may read its tables sees it from then on."},
	"POST /api/v2/notes": {Takes: "Note", Gives: "Note",
		About: "Adds a note to a table or column, or says what a term means, for admins and members of the group `curators`."},
	"DELETE /api/v2/notes/{id}":       {Gives: "no content", About: "Removes a note."},
	"DELETE /api/v2/questions/{name}": {Gives: "no content", About: "Removes a question."},
	"GET /api/v2/schema/{id}":         {Gives: "TableSchema", About: "A table's columns, types, partitions and dialect."},
	"GET /api/v2/sample/{id}":         {Takes: "`?n=` rows, 1 to 100, default 5", Gives: "Sample", About: "A few rows, which cost no scan."},
	"POST /api/v2/scan": {Takes: "ScanRequest", Gives: "Arrow stream",
		About: "The rows of one table for which the predicate holds."},
	"POST /api/v2/scan/estimate": {Takes: "ScanRequest", Gives: "Estimate",
		About: "What that scan would read, return and cost; nothing is read."},
	"DELETE /api/v2/scan/files/{tag}": {Gives: "no content", About: "Ends and removes a file that is kept for the caller."},
	"POST /api/query":                 {Takes: "QueryRequest", Gives: "Arrow stream", About: "One SELECT, run at the source."},
	"GET /api/sync/manifest": {Gives: "SyncManifest",
		About: "The tables that clients keep whole, with the hash of each file; makes the files that are out of date."},
	"GET /api/sync/tables/{id}": {Takes: "`Range`, `If-Match`, `If-None-Match`", Gives: "parquet",
		About: "A table's file, or a part of it; its hash is the ETag. 412 if there is another file now, 416 if the part lies outside of it."},
	"GET /api/v2/quota":  {Gives: "QuotaStatus", About: "What the caller has used and may still use."},
	"GET /api/v2/whoami": {Gives: "Identity", About: "Who the token belongs to."},

	"GET /{$}":                   {Gives: "HTML", About: "The page ([page](page.md))."},
	"GET /page/{version}/{file}": {Gives: "a file", About: "What the page loads. The content behind a path never changes."},
	"GET /api/page":              {Gives: "PageInfo", About: "What a browser signs in with."},
	"POST /api/page/sign-ins": {Takes: "NewSignIn", Gives: "CreatedSignIn",
		About: "Signs a browser in: the answer sets a cookie, and holds the key that goes along with it in the header `X-Agnes-Page`."},
	"GET /api/page/oidc": {Gives: "a redirect", About: "Sends the browser to the OpenID provider; 404 if the server has none."},
	"GET /api/page/oidc/callback": {Takes: "`?code=` and `?state=`", Gives: "a redirect",
		About: "Where the provider sends the browser back to: sets the cookie of a new sign-in, whose key the page claims."},
	"POST /api/page/sign-ins/claim": {Gives: "CreatedSignIn",
		About: "The key of a sign-in that a provider has made, once and within a minute, for the browser that has its cookie."},
	"GET /api/page/sign-ins": {Takes: "`?all=true` for admins", Gives: "list of SignIn",
		About: "The browsers that the caller, or everybody, is signed in with."},
	"DELETE /api/page/sign-ins/{id}": {Gives: "no content", About: "Ends a sign-in at once; `current` is the caller's."},
	"POST /api/device": {Takes: "NewDevice", Gives: "DeviceCodes",
		About: "Begins to sign in a machine: a person types its `user_code` on the page within 15 minutes. The flow is that of RFC 8628, with JSON in place of forms."},
	"POST /api/device/token": {Takes: "DevicePoll", Gives: "CreatedToken",
		About: "The machine's token, once, after a person has approved it. Until then an error of a kind of RFC 8628: `authorization_pending`, `slow_down`, `access_denied`, `expired_token`."},
	"POST /api/page/device": {Takes: "DeviceCode", Gives: "Device",
		About: "Which machine waits with a code, for people at the page: not with a token. Twenty wrong codes of an address slow it down."},
	"POST /api/page/device/answer": {Takes: "DeviceAnswer", Gives: "no content", About: "Approves or refuses that machine, once; at the page alone."},
	"GET /api/page/tokens":         {Gives: "list of Token", About: "The caller's tokens that are valid, without their secrets."},
	"DELETE /api/page/tokens/{id}": {Gives: "no content",
		About: "Revokes a token of the caller's, and those of machines that were approved with it; at the page alone."},
	"POST /api/page/query": {Takes: "QueryRequest", Gives: "PageRows",
		About: "The first 2,000 rows of a SELECT as JSON, run at the source."},
	"POST /api/page/price": {Takes: "QueryRequest", Gives: "QueryPrice",
		About: "What that SELECT would read at the source; nothing is read. With `?typing=true` a mistake in it is answered by 200 and `mistake`."},
	"POST /api/page/profile": {Takes: "ProfileTable", Gives: "the profile",
		About: "What the columns of a table hold: NULLs, different values, ranges, the commonest values. Statements with the caller's rights make it."},
	"POST /api/page/rows": {Takes: "ScanRequest", Gives: "PageRows", About: "The first 2,000 rows of a scan as JSON."},

	"GET /api/page/tables": {Takes: "`?q=` words, `?from=` how many to pass over, `?limit=` up to 2000, default 60, `?type=` of source, `?group=` the beginning of ids", Gives: "PageTables", About: "A window of the tables that the caller may read, or of those that a search finds, with how many there are of each type and group."},
	"GET /api/page/tables/{id}/joins": {Gives: "TableJoins",
		About: "By which columns a table can be joined with others that the caller may read."},
	"GET /api/page/dashboards": {Gives: "list of Dashboard", About: "The dashboards of the instance whose tables the caller may read."},
	"GET /api/dashboards/{id}/report": {Takes: "`?format=` html, pdf, pptx or docx, default html, `?values=` JSON with values of parameters by name", Gives: "a file",
		About: "A dashboard of the instance as one file, made with the caller's rights and quotas. It contains the caveats and the statements."},
	"POST /api/page/report": {Takes: "NewReport", Gives: "a file", About: "A dashboard that the caller sends, as one file."},
	"POST /api/page/file": {Takes: "PageFile", Gives: "a file",
		About: "All rows of a SELECT or a scan, with what is to be known of them in a header; refused if a limit cuts them."},
	"GET /api/page/file/{id}": {Gives: "FileProgress", About: "How many rows have been written of the caller's file that was asked for with `watch`."},

	"POST /api/page/results": {Takes: "KeepResult", Gives: "KeptResult",
		About: "Runs a SELECT or a scan to its end, and keeps all rows for an hour after they are looked at last; refused if a limit cuts them."},
	"POST /api/page/results/{id}/rows": {Takes: "ResultWindow", Gives: "ResultRows",
		About: "A window of a kept result, which conditions narrow and a column orders, over all of its rows."},
	"POST /api/page/results/{id}/summaries": {Takes: "SummarizeResult", Gives: "list of ColumnSummary",
		About: "What columns of a kept result hold: NULLs, different values, ranges or the commonest values."},
	"POST /api/page/results/{id}/groups": {Takes: "GroupResult", Gives: "ResultGroups",
		About: "One figure of the rows of a kept result that share a value, range or period, for charts."},
	"DELETE /api/page/results/{id}": {Gives: "no content", About: "Removes a kept result."},

	"GET /api/page/desk/snapshots": {Gives: "list of PageSnapshot",
		About: "The snapshots of this machine; 404 from a server, as for all of the desk."},
	"POST /api/page/desk/snapshots": {Takes: "KeepSnapshot", Gives: "the snapshot, its price and caveats",
		About: "Fetches a part of a table as a snapshot."},
	"POST /api/page/desk/snapshots/compare": {Takes: "CompareSnapshots", Gives: "the comparison",
		About: "The columns and rows in which two snapshots differ, with up to 50 rows of each kind."},
	"DELETE /api/page/desk/snapshots/{name}": {Gives: "no content", About: "Removes a snapshot."},
	"PUT /api/page/desk/snapshots/{name}/pin": {Takes: "PinSnapshot", Gives: "no content",
		About: "Keeps a snapshot as it is when all are refreshed, or lets it be refreshed again."},
	"GET /api/page/desk/snapshots/{name}/price": {Gives: "Estimate, and `unchanged`",
		About: "What a refresh would read at most; nothing if the table is unchanged."},
	"POST /api/page/desk/snapshots/{name}/refresh": {Gives: "the snapshot before and after",
		About: "Brings a snapshot up to date with its request."},
	"POST /api/page/desk/snapshots/{name}/restore": {Gives: "the snapshot, and what it replaced",
		About: "Undoes the last refresh; a second one undoes the first."},

	"POST /api/page/desk/plan": {Takes: "DeskQuery", Gives: "the plan",
		About: "Where the rows of a statement would come from, and what that costs; nothing is read. `?typing=true` is as for a price."},
	"POST /api/page/desk/query": {Takes: "DeskQuery", Gives: "PageRows",
		About: "The first 2,000 rows of a SELECT, run on this machine over its snapshots."},

	"POST /api/admin/catalog/invalidate": {Gives: "no content", About: "Forgets what the server has cached of its sources."},
	"GET /api/admin/sources": {Gives: "list of SourceState",
		About: "Tries the sources behind the tables, and lists those that cannot be reached."},
	"GET /api/admin/health":                           {Gives: "list of HealthCheck", About: "What is near a limit, what fails, and what to do."},
	"GET /api/admin/users":                            {Gives: "list of User", About: "The users."},
	"POST /api/admin/users":                           {Takes: "NewUser", Gives: "User", About: "Makes a user."},
	"DELETE /api/admin/users/{user}":                  {Gives: "no content", About: "Removes a user, with tokens, grants, files and conversations."},
	"GET /api/admin/groups":                           {Gives: "list of Group", About: "The groups and their members."},
	"POST /api/admin/groups":                          {Takes: "NewGroup", Gives: "Group", About: "Makes a group."},
	"DELETE /api/admin/groups/{group}":                {Gives: "no content", About: "Removes a group, with its grants."},
	"PUT /api/admin/groups/{group}/members/{user}":    {Gives: "no content", About: "Puts a user into a group."},
	"DELETE /api/admin/groups/{group}/members/{user}": {Gives: "no content", About: "Takes a user out of a group."},
	"GET /api/admin/tokens": {Takes: "`?user=` a name", Gives: "list of Token",
		About: "The tokens, without their secrets."},
	"POST /api/admin/tokens": {Takes: "NewToken", Gives: "CreatedToken",
		About: "Makes a token; the answer alone holds its secret."},
	"DELETE /api/admin/tokens/{token}": {Gives: "no content", About: "Revokes a token at once."},
	"GET /api/admin/grants":            {Takes: "`?table=` an id", Gives: "list of Grant", About: "The grants."},
	"POST /api/admin/grants": {Takes: "NewGrant", Gives: "Grant",
		About: "Grants columns and rows of a table to a user or group."},
	"DELETE /api/admin/grants/{grant}": {Gives: "no content", About: "Takes a grant back at once."},
	"GET /api/admin/tables": {Gives: "list of RegisteredTable",
		About: "The tables that were registered beside the instance file's."},
	"POST /api/admin/tables":        {Takes: "RegisteredTable", Gives: "RegisteredTable", About: "Registers a table."},
	"DELETE /api/admin/tables/{id}": {Gives: "no content", About: "Removes a registered table."},
	"POST /api/admin/tables/{id}/refresh": {Gives: "RefreshedTable",
		About: "Makes the file of a table that clients sync anew, unless its source has not changed."},
	"GET /api/admin/quota":       {Gives: "list of QuotaStatus", About: "What every user has used."},
	"GET /api/admin/quota/rules": {Gives: "list of QuotaRule", About: "The quotas that users and groups have of their own."},
	"POST /api/admin/quota/rules": {Takes: "QuotaRule", Gives: "QuotaRule",
		About: "Sets what a user or each member of a group may use in place of what the instance allows; without figures that ends."},
	"GET /api/admin/audit": {Takes: "`?since=` a time, `?user=`, `?table=`, `?status=` one or several between commas, `?before=` an id, `?limit=` up to 100000, default 1000",
		Gives: "list of AuditEvent", About: "The record of who asked for what: the latest, or those before an event."},
	"POST /api/admin/dashboards": {Takes: "NewDashboard", Gives: "Dashboard",
		About: "Publishes a sheet as a dashboard. Users who may read all columns of its tables see it."},
	"DELETE /api/admin/dashboards/{id}": {Gives: "no content", About: "Removes a dashboard of the instance."},
	"GET /api/admin/requests": {Gives: "list of RunningRequest",
		About: "The scans and statements that this server process works on now."},
	"DELETE /api/admin/requests/{request}": {Gives: "no content", About: "Ends one; its caller is told that an admin has."},
	"GET /api/admin/users/{user}/tables": {Gives: "list of VisibleTable",
		About: "The tables that a user sees, what of them, and by which grants."},
	"GET /api/admin/users/{user}/tables/{id}": {Gives: "Sample", About: "Some rows of a table under the rights of a user."},
	"GET /metrics": {Gives: "Prometheus text", About: "Figures for monitoring."},
}
