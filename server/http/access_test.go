package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/server/core"
)

// ask sends a request with a token and returns status, headers and body.
func (s *staffServer) ask(method, path, token, body string, header ...string) (int, http.Header, string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(data)
}

// tableRequests are the requests that name a table.
func tableRequests(id string) map[string][2]string {
	return map[string][2]string{
		"GET /api/v2/schema/" + id:   {"GET /api/v2/schema/" + id, ""},
		"GET /api/v2/sample/" + id:   {"GET /api/v2/sample/" + id, ""},
		"POST /api/v2/scan":          {"POST /api/v2/scan", `{"table_id":"` + id + `"}`},
		"POST /api/v2/scan/estimate": {"POST /api/v2/scan/estimate", `{"table_id":"` + id + `"}`},
		"POST /api/query":            {"POST /api/query", `{"sql":"SELECT count(*) FROM ` + id + `"}`},
		"GET /api/sync/tables/" + id: {"GET /api/sync/tables/" + id, ""},
	}
}

// TestNobodyGetsIn walks every route as someone without a token, with one that
// was revoked, and with one that has expired.
func TestNobodyGetsIn(t *testing.T) {
	s := newStaffServer(t, "{}")
	admin := s.core.As(core.LocalAdmin)
	revoked := s.user("rita")
	tokens, err := admin.Tokens(t.Context(), "rita")
	if err != nil || len(tokens) != 1 {
		t.Fatal(tokens, err)
	}
	made, err := admin.CreateToken(t.Context(), api.NewToken{User: "rita", ExpiresSeconds: 1})
	if err != nil {
		t.Fatal(err)
	}
	expired, deleted := made.Secret, s.user("dan")
	// All of them get in before.
	for _, token := range []string{revoked, expired, deleted} {
		if status, _, body := s.ask("GET", "/api/v2/catalog", token, ""); status != 200 {
			t.Fatalf("%d %s", status, body)
		}
	}
	if err := admin.RevokeToken(t.Context(), tokens[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := admin.DeleteUser(t.Context(), "dan"); err != nil {
		t.Fatal(err)
	}
	<-time.After(time.Until(*made.ExpiresAt) + time.Millisecond)
	for _, r := range routes(testDoor) {
		if r.access == public {
			continue
		}
		path := anyPath.ReplaceAllString(r.path, "staff")
		for who, token := range map[string]string{"anonymous": "", "revoked": revoked, "expired": expired, "deleted": deleted} {
			status, header, body := s.ask(r.method, path, token, sound[r.path])
			if status != http.StatusUnauthorized || header.Get(wire.HeaderQuotaRemaining) != "" {
				t.Errorf("%s %s as %s: %d %s", r.method, path, who, status, body)
			}
			if kind := errorOf(t, body).Kind; who == "revoked" && kind != "token_revoked" || who == "expired" && kind != "token_expired" {
				t.Errorf("%s: %s", who, body)
			}
		}
	}
}

// TestAForeignUserLearnsNothing walks every route and every call as a user
// without a grant: what is not theirs looks like what does not exist.
func TestAForeignUserLearnsNothing(t *testing.T) {
	s := newStaffServer(t, "{}")
	token := s.user("fritz")
	for name, hidden := range tableRequests("closed") {
		unknown := tableRequests("nothere")[strings.ReplaceAll(name, "closed", "nothere")]
		answer := func(r [2]string) (int, string) {
			method, path, _ := strings.Cut(r[0], " ")
			status, header, body := s.ask(method, path, token, r[1])
			body = strings.ReplaceAll(body, header.Get("X-Request-Id"), "ID")
			return status, strings.ReplaceAll(strings.ReplaceAll(body, "nothere", "T"), "closed", "T")
		}
		status, body := answer(hidden)
		otherStatus, otherBody := answer(unknown)
		if status != http.StatusForbidden || otherStatus != status || otherBody != body {
			t.Errorf("%s: %d %s\nand a table that does not exist: %d %s", name, status, body, otherStatus, otherBody)
		}
	}
	for _, r := range routes(testDoor) {
		if r.access != admin {
			continue
		}
		path := anyPath.ReplaceAllString(r.path, "staff")
		if status, _, body := s.ask(r.method, path, token, sound[r.path]); status != http.StatusForbidden {
			t.Errorf("%s %s: %d %s", r.method, path, status, body)
		}
	}
	// The same without HTTP, and for somebody who was never known.
	for _, who := range []string{"fritz", "nobody"} {
		for name, err := range adminCalls(t, s.core.Administration(core.Principal{User: who})) {
			if !api.CodeForbidden.Is(err) {
				t.Errorf("%s as %s: %v", name, who, err)
			}
		}
	}
	for name, err := range adminCalls(t, s.core.Administration(core.LocalAdmin)) {
		if api.CodeForbidden.Is(err) {
			t.Errorf("%s as an admin: %v", name, err)
		}
	}
}

func adminCalls(t *testing.T, as api.Administration) map[string]error {
	ctx := t.Context()
	only := func(_ any, err error) error { return err }
	return map[string]error{
		"RefreshCaches": as.RefreshCaches(ctx),
		"Sources":       only(as.Sources(ctx)),
		"Health":        only(as.Health(ctx)),
		"Users":         only(as.Users(ctx)), "CreateUser": only(as.CreateUser(ctx, api.NewUser{Name: "x"})), "DeleteUser": as.DeleteUser(ctx, "x"),
		"Groups": only(as.Groups(ctx)), "CreateGroup": only(as.CreateGroup(ctx, api.NewGroup{Name: "x"})), "AddMember": as.AddMember(ctx, "x", "fritz"),
		"RemoveMember": as.RemoveMember(ctx, "x", "fritz"), "DeleteGroup": as.DeleteGroup(ctx, "x"),
		"Tokens": only(as.Tokens(ctx, "")), "CreateToken": only(as.CreateToken(ctx, api.NewToken{User: "fritz"})), "RevokeToken": as.RevokeToken(ctx, "x"),
		"Grants": only(as.Grants(ctx, "")), "CreateGrant": only(as.CreateGrant(ctx, api.NewGrant{User: "fritz", TableID: "closed"})), "RevokeGrant": as.RevokeGrant(ctx, 99),
		"RegisteredTables": only(as.RegisteredTables(ctx)), "RegisterTable": only(as.RegisterTable(ctx, api.RegisteredTable{ID: "x"})), "UnregisterTable": as.UnregisterTable(ctx, "x"),
		"RefreshTable":     only(as.RefreshTable(ctx, "x")),
		"PublishDashboard": only(as.PublishDashboard(ctx, api.NewDashboard{ID: "x"})), "UnpublishDashboard": as.UnpublishDashboard(ctx, "x"),
		"Audit": only(as.Audit(ctx, api.AuditQuery{})), "Quotas": only(as.Quotas(ctx)),
		"QuotaRules": only(as.QuotaRules(ctx)), "SetQuota": only(as.SetQuota(ctx, api.QuotaRule{User: "fritz"})),
	}
}

// TestChangesActAtOnce grants and revokes while every cache is warm.
func TestChangesActAtOnce(t *testing.T) {
	s := newStaffServer(t, "{}")
	admin, ctx := s.core.As(core.LocalAdmin), t.Context()
	token := s.user("gina")
	svc := s.over(token)
	sees := func() bool {
		t.Helper()
		errs := []error{}
		_, err := svc.Schema(ctx, "closed")
		errs = append(errs, err)
		_, err = svc.Sample(ctx, "closed", 2)
		errs = append(errs, err)
		_, err = svc.Estimate(ctx, api.ScanRequest{TableID: "closed"})
		errs = append(errs, err)
		_, err = answerOf(svc.Scan(ctx, api.ScanRequest{TableID: "closed"}))
		errs = append(errs, err)
		_, err = answerOf(svc.Query(ctx, api.QueryRequest{SQL: "FROM closed"}))
		errs = append(errs, err)
		list, err := svc.Tables(ctx)
		listed := err == nil && slices.ContainsFunc(list.Tables, func(t api.Table) bool { return t.ID == "closed" })
		for _, err := range errs {
			if (err == nil) != listed || err != nil && !api.CodeForbidden.Is(err) {
				t.Fatalf("listed %v, %v", listed, errs)
			}
		}
		return listed
	}
	for range 2 {
		if sees() {
			t.Fatal("sees a table without a grant")
		}
		g := s.grant(api.NewGrant{User: "gina", TableID: "closed"})
		if !sees() {
			t.Fatal("does not see a table that was granted")
		}
		if err := admin.RevokeGrant(ctx, g.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := admin.CreateGroup(ctx, api.NewGroup{Name: "readers"}); err != nil {
		t.Fatal(err)
	}
	s.grant(api.NewGrant{Group: "readers", TableID: "closed"})
	if sees() {
		t.Fatal("sees what a group may see, without being in it")
	}
	for _, in := range []bool{true, false} {
		change := admin.AddMember
		if !in {
			change = admin.RemoveMember
		}
		if err := change(ctx, "readers", "Gina"); err != nil {
			t.Fatal(err)
		}
		if sees() != in {
			t.Fatalf("member %v, sees %v", in, !in)
		}
	}
	testRegistration(t, s, svc, admin)
}

// testRegistration adds and removes a table at run time.
func testRegistration(t *testing.T, s *staffServer, user *client.Client, admin *core.Session) {
	ctx := t.Context()
	for _, c := range []struct {
		t    api.RegisteredTable
		kind string
	}{
		{api.RegisteredTable{ID: "open", Source: "files", Relation: "other.csv"}, "table_exists"},
		{api.RegisteredTable{ID: "New", Source: "files", Relation: "other.csv"}, ""},
		{api.RegisteredTable{ID: "x", Source: "nothere", Relation: "other.csv"}, "unknown_source"},
		{api.RegisteredTable{ID: "x", Source: "files", Relation: "../other.csv"}, "bad_path"},
		{api.RegisteredTable{ID: "x", Source: "files", Relation: "nothere.csv"}, "no_files"},
		{api.RegisteredTable{ID: "x", Source: "files", Relation: "other.csv", QueryMode: "?"}, "bad_mode"},
	} {
		_, err := admin.RegisterTable(ctx, c.t)
		if e := new(*api.Error); !asError(err, e) || (*e).Kind != c.kind {
			t.Errorf("%+v: %v, want kind %q", c.t, err, c.kind)
		}
	}
	reg := api.RegisteredTable{ID: "late", Source: "files", Relation: "other.csv", Public: true, Description: "came later"}
	if _, err := admin.RegisterTable(ctx, reg); err != nil {
		t.Fatal(err)
	}
	if rows, err := answerOf(user.Query(ctx, api.QueryRequest{SQL: "FROM late"})); err != nil || len(rows) != 2 {
		t.Errorf("%v, %v", rows, err)
	}
	// Another file under the same name: nothing of the first may be left.
	if err := admin.UnregisterTable(ctx, "late"); err != nil {
		t.Fatal(err)
	}
	if _, err := user.Schema(ctx, "late"); !api.CodeForbidden.Is(err) {
		t.Errorf("after unregistering: %v", err)
	}
	reg.Relation = "staff.parquet"
	if _, err := admin.RegisterTable(ctx, reg); err != nil {
		t.Fatal(err)
	}
	if schema, err := user.Schema(ctx, "late"); err != nil || len(schema.Columns) != 4 {
		t.Errorf("%+v, %v", schema, err)
	}
	_ = s
}

// TestFailedLogInsAreLimited tries tokens until nobody looks at them any more.
func TestFailedLogInsAreLimited(t *testing.T) {
	s := newStaffServer(t, "{}")
	good, fresh := s.user("gus"), s.user("fay")
	if status, _, _ := s.ask("GET", "/api/v2/catalog", good, ""); status != 200 {
		t.Fatal(status)
	}
	last := 0
	for i := range maxFailures + 5 {
		status, header, body := s.ask("GET", "/api/v2/catalog", fmt.Sprintf("da_%d", i), "")
		if e := errorOf(t, body); e.Code != api.CodeUnauthorized || status == 429 && (e.Kind != api.KindTooManyFailures || header.Get("Retry-After") == "") {
			t.Errorf("%d %s", status, body)
		}
		last = status
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the last of them got %d", last)
	}
	if status, _, body := s.ask("GET", "/api/v2/catalog", good, ""); status != 200 {
		t.Errorf("a token that was valid before: %d %s", status, body)
	}
	if status, _, _ := s.ask("GET", "/api/v2/catalog", fresh, ""); status != 429 {
		t.Errorf("a token never seen: %d", status)
	}
}

// TestAuditHasEveryRequest asks for everything, also in vain, and reads what
// was written down.
func TestAuditHasEveryRequest(t *testing.T) {
	s := newStaffServer(t, "{ max_limit: 50 }")
	token := s.user("aude")
	s.grant(api.NewGrant{User: "aude", TableID: "staff", Columns: []string{"id", "team"}, Rows: "team = 'a'"})
	const text = "id < 7 AND team <> 'zebra-secret'"
	requests := []struct {
		method, path, body                 string
		event, table, status, kind, column string
	}{
		{"GET", "/api/v2/catalog", "", api.EventCatalog, "", "ok", "", ""},
		{"GET", "/api/v2/schema/staff", "", api.EventSchema, "staff", "ok", "", ""},
		{"GET", "/api/v2/schema/closed", "", api.EventSchema, "closed", "rejected", "rbac", ""},
		{"GET", "/api/v2/sample/staff", "", api.EventSample, "staff", "ok", "", ""},
		{"POST", "/api/v2/scan/estimate", `{"table_id":"staff","where":"` + text + `"}`, api.EventEstimate, "staff", "ok", "", ""},
		{"POST", "/api/v2/scan", `{"table_id":"staff","where":"` + text + `"}`, api.EventScan, "staff", "ok", "", ""},
		{"POST", "/api/v2/scan", `{"table_id":"staff","where":"pay = 'zebra-secret'"}`, api.EventScan, "staff", "rejected", "validator", ""},
		{"POST", "/api/v2/scan", `{"table_id":"open","limit":51}`, api.EventScan, "open", "rejected", "validator", ""},
		{"POST", "/api/query", `{"sql":"SELECT count(*) FROM staff WHERE ` + text + `"}`, api.EventQuery, "staff", "ok", "", ""},
		{"POST", "/api/query", `{"sql":"SELECT 'zebra-secret' FROM staff, open"}`, api.EventQuery, "", "truncated", "", ""},
		{"POST", "/api/query", `{"sql":"DROP TABLE 'zebra-secret'"}`, api.EventQuery, "", "rejected", "validator", ""},
		{"GET", "/api/sync/manifest", "", api.EventSync, "", "ok", "", ""},
		{"GET", "/api/sync/tables/staff", "", api.EventSync, "staff", "ok", "", ""},
		{"HEAD", "/api/sync/tables/staff", "", api.EventSync, "staff", "ok", "", ""},
		{"GET", "/api/sync/tables/closed", "", api.EventSync, "closed", "rejected", "rbac", ""},
		{"GET", "/api/sync/tables/open", "", api.EventSync, "open", "rejected", "validator", ""},
	}
	ids := []string{}
	for _, r := range requests {
		_, header, _ := s.ask(r.method, r.path, token, r.body, wire.HeaderClient, "some-agent")
		ids = append(ids, header.Get("X-Request-Id"))
	}
	events, err := s.core.As(core.LocalAdmin).Audit(t.Context(), api.AuditQuery{User: "aude"})
	if err != nil || len(events) != len(requests) {
		t.Fatalf("%d events, %v", len(events), err)
	}
	hash := ""
	var result, synced int64
	for i, r := range requests {
		e := events[i]
		kind := ""
		if e.Data.ErrorKind != nil {
			kind = *e.Data.ErrorKind
		}
		if e.EventType != r.event || e.TableID != r.table || e.Data.Status != r.status || kind != r.kind || e.RequestID != ids[i] || e.Data.ClientAgent != "some-agent" {
			t.Errorf("%+v\nbecame %+v", r, e)
		}
		if (e.EventType == api.EventScan || e.EventType == api.EventEstimate) && e.Data.Status == "ok" {
			if e.Data.WhereHash == nil || hash != "" && *e.Data.WhereHash != hash {
				t.Errorf("hash of the same predicate: %v", e.Data.WhereHash)
			} else {
				hash = *e.Data.WhereHash
			}
		}
		if e.Data.ResultBytes != nil {
			result += *e.Data.ResultBytes
			if e.EventType == api.EventSync {
				synced += *e.Data.ResultBytes
			}
		}
	}
	q, err := s.as("aude").Quota(t.Context())
	if err != nil || q.ResultBytes != result || result == synced || synced == 0 {
		t.Errorf("the audit sums to %d, the counter says %+v, %v", result, q, err)
	}
	all, err := json.Marshal(events)
	if err != nil || strings.Contains(string(all), "zebra") || strings.Contains(string(all), token) {
		t.Errorf("the audit tells too much: %s, %v", all, err)
	}
	// Changes of admins are there too, without what they were about.
	events, err = s.core.As(core.LocalAdmin).Audit(t.Context(), api.AuditQuery{User: "local"})
	all, _ = json.Marshal(events)
	if err != nil || len(events) != 3 || strings.Contains(string(all), "= 'a'") || strings.Contains(string(all), token) {
		t.Errorf("%s, %v", all, err)
	}
	status, _, metrics := s.ask("GET", "/metrics", s.admin(), "")
	for _, want := range []string{
		`agnes_v2_scan_request_total{status="ok",user=""} 2`, `agnes_v2_scan_request_total{status="rejected",user=""} 3`,
		fmt.Sprintf(`agnes_v2_scan_bytes_total{user=""} %d`, result-synced), `agnes_v2_scan_latency_seconds{quantile="0.5"}`,
		`agnes_v2_scan_concurrent_gauge{user=""} 0`, `agnes_http_requests_total{method="POST",route="/api/v2/scan",status="200"} 1`, "go_goroutines ",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics (%d) lack %s", status, want)
		}
	}
	if strings.Contains(metrics, "zebra") || strings.Contains(metrics, "aude") {
		t.Error("the metrics tell too much")
	}
}

// admin returns the token of a new admin.
func (s *staffServer) admin() string {
	s.t.Helper()
	token, err := s.core.Bootstrap(s.t.Context())
	if err == nil && token == "" {
		var made *api.CreatedToken
		if _, err = s.core.As(core.LocalAdmin).CreateUser(s.t.Context(), api.NewUser{Name: "root", Admin: true}); err == nil {
			if made, err = s.core.As(core.LocalAdmin).CreateToken(s.t.Context(), api.NewToken{User: "root"}); err == nil {
				token = made.Secret
			}
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// TestWhatWouldBeCutIsRefusedIfAsked scans a table of two rows by hand where one is
// the most. Under a rule nobody is told how many rows there are, so that nothing is
// refused for their number.
func TestWhatWouldBeCutIsRefusedIfAsked(t *testing.T) {
	s := newStaffServer(t, "{ max_limit: 1 }")
	token := s.user("ann")
	s.grant(api.NewGrant{User: "ann", TableID: "staff", Rows: "id >= 0"})
	for _, c := range []struct {
		body   string
		status int
		rule   string
	}{
		{`{"table_id":"open"}`, 200, ""},
		{`{"table_id":"open","refuse_cut":false}`, 200, ""},
		{`{"table_id":"open","refuse_cut":true}`, 429, ""},
		{`{"table_id":"open","refuse_cut":true,"limit":1}`, 200, ""},
		{`{"table_id":"staff","refuse_cut":true}`, 200, "true"},
	} {
		status, header, body := s.ask("POST", "/api/v2/scan", token, c.body)
		if status != c.status || header.Get(wire.HeaderRowRule) != c.rule {
			t.Errorf("%s: %d, rule %q", c.body, status, header.Get(wire.HeaderRowRule))
		}
		if status == 429 && (!strings.Contains(body, `"kind":"would_be_cut"`) || !strings.Contains(body, `"allow_cut"`)) {
			t.Errorf("%s: %s", c.body, body)
		}
	}
}
