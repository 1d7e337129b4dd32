package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/api"
)

// bearer sends a token, and says which agent it is.
type bearer struct{ token, session string }

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	r.Header.Set("X-Agnes-Client", "test-client")
	if b.session != "" {
		r.Header.Set("X-Agnes-Session", b.session)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// overHTTP connects to the place's server as the bearer of its token.
func (p *place) overHTTP(b bearer, query ...string) (*mcp.ClientSession, error) {
	b.token = p.get("DA_TOKEN")
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(p.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: p.get("DA_SERVER") + "/mcp" + strings.Join(query, ""), HTTPClient: &http.Client{Transport: b}, MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
}

// TestMCPOverHTTPActsAsTheTokensUser serves models over HTTP: the tools that
// need nothing of the caller's machine, as the user that the token names.
func TestMCPOverHTTPActsAsTheTokensUser(t *testing.T) {
	t.Parallel()
	admin := newPlace(t).served()
	ann := admin.as("ann")
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--columns", "iata,city", "--rows", "latitude > 45")
	s, err := ann.overHTTP(bearer{session: "talk-1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var names []string
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if want := []string{"catalog_sample", "catalog_schema", "catalog_search", "context", "fetch_estimate", "metric", "profile", "query_remote", "quota", "values", "where_check"}; !slices.Equal(names, want) {
		t.Errorf("tools: %v", names)
	}
	ask := func(tool string, arguments map[string]any) (text string, failed bool) {
		t.Helper()
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*mcp.TextContent).Text, r.IsError
	}
	if text, failed := ask("catalog_search", nil); failed || !strings.Contains(text, `"airports"`) || !strings.Contains(text, `"flights"`) || strings.Contains(text, `"noise"`) {
		t.Errorf("the catalog: %s", text)
	}
	if text, failed := ask("catalog_schema", map[string]any{"table_id": "airports"}); failed || strings.Contains(text, "latitude") || !strings.Contains(text, `"city"`) {
		t.Errorf("the schema: %s", text)
	}
	if text, failed := ask("query_remote", map[string]any{"sql": "SELECT count(*) AS n, max(iata) AS iata FROM airports"}); failed || !strings.Contains(text, `"rows":[[1,"SEA"]]`) {
		t.Errorf("a count of the rows that are granted: %s", text)
	}
	several := map[string]any{"sql": "SELECT count(*) AS n FROM airports WHERE iata = $code; SELECT max(latitude) FROM airports; SELECT city FROM airports", "params": map[string]any{"code": "SEA"}}
	if text, failed := ask("query_remote", several); failed || !strings.HasPrefix(text, `{"notice":`) || !strings.Contains(text, `"rows":[[1]]`) || !strings.Contains(text, `"failed":1`) || strings.Contains(text, "47.") {
		t.Errorf("several statements: %s", text)
	}
	if text, failed := ask("query_remote", map[string]any{"sql": strings.Repeat("SELECT city FROM airports;", 101), "max_tokens": 100_000}); !failed || !strings.Contains(text, "101 statements") {
		t.Errorf("too many statements: %s", text)
	}
	if text, failed := ask("query_remote", map[string]any{"sql": "SELECT max(latitude) FROM airports"}); !failed || strings.Contains(text, "47.") {
		t.Errorf("a column that is not granted: %s", text)
	}
	for _, tool := range []string{"catalog_schema", "catalog_sample", "fetch_estimate"} {
		if text, failed := ask(tool, map[string]any{"table_id": "noise"}); !failed || !strings.Contains(text, `"code":"forbidden"`) || !strings.Contains(text, `"request_id"`) {
			t.Errorf("%s of a table without a grant: %s", tool, text)
		}
	}
	if text, failed := ask("quota", nil); failed || !strings.Contains(text, `"user":"ann"`) {
		t.Errorf("quota: %s", text)
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "fetch", Arguments: map[string]any{"table_id": "flights"}}); err == nil {
		t.Error("fetch is there, which would write on the server")
	}
	var events []api.AuditEvent
	if err := json.Unmarshal([]byte(admin.ok("admin", "audit", "--user", "ann", "--json")), &events); err != nil {
		t.Fatal(err)
	}
	recorded := map[string]bool{}
	for _, e := range events {
		recorded[e.EventType+" "+e.Data.Status] = true
		if e.Data.ClientAgent != "test-client" || e.Data.Session != "talk-1" {
			t.Errorf("an event of another origin: %+v", e)
		}
	}
	for _, want := range []string{"remote_query ok", "remote_query error", "fetch_estimate rejected", "catalog_schema ok"} {
		if !recorded[want] {
			t.Errorf("%q is not in the audit: %v", want, recorded)
		}
	}
}

// TestMCPOverHTTPRefusesBatches holds that one request is one call: quotas and
// limits count requests.
func TestMCPOverHTTPRefusesBatches(t *testing.T) {
	t.Parallel()
	p := newPlace(t).served()
	one := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quota","arguments":{}}}`
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		one:                         {http.StatusOK, `"result"`},
		"[" + one + "," + one + "]": {http.StatusBadRequest, `"code":-32600`},
		" \n[" + one + "]":          {http.StatusBadRequest, "send each message as a request of its own"},
		"[]":                        {http.StatusBadRequest, `"code":-32600`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.get("DA_SERVER")+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		res, err := bearer{token: p.get("DA_TOKEN")}.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != want.status || !strings.Contains(string(answer), want.text) {
			t.Errorf("%.40q: %d, %v: %s", body, res.StatusCode, err, answer)
		}
	}
}

// TestMCPOverHTTPWantsAToken is a client whose token is none, or no longer one.
func TestMCPOverHTTPWantsAToken(t *testing.T) {
	t.Parallel()
	admin := newPlace(t).served()
	if _, err := admin.with("DA_TOKEN=da_no_such_token").overHTTP(bearer{}); err == nil {
		t.Error("a stranger got in")
	}
	ann := admin.as("ann")
	s, err := ann.overHTTP(bearer{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var tokens []api.Token
	if err := json.Unmarshal([]byte(admin.ok("admin", "token", "list", "--json")), &tokens); err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		if token.User == "ann" {
			admin.ok("admin", "token", "revoke", token.ID)
		}
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "quota"}); err == nil {
		t.Error("a revoked token still calls tools")
	}
	for method, want := range map[string]int{"GET": http.StatusMethodNotAllowed, "DELETE": http.StatusMethodNotAllowed} {
		req, err := http.NewRequestWithContext(t.Context(), method, admin.get("DA_SERVER")+"/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := bearer{token: admin.get("DA_TOKEN")}.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s /mcp: %d, want %d", method, res.StatusCode, want)
		}
	}
}

// TestNearValuesOfAServer proposes on the page and to models what the caller may see: no value
// that a row rule, a mask or a grant of other columns keeps from them.
func TestNearValuesOfAServer(t *testing.T) {
	t.Parallel()
	admin := newPlace(t).served()
	ann, bob := admin.as("ann"), admin.as("bob")
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--columns", "iata,city", "--rows", "latitude > 45")
	admin.ok("admin", "grant", "--user", "bob", "--table", "airports", "--columns", "iata,city", "--mask", "city=constant:Atlantis")
	for _, c := range []struct {
		user        *place
		where, want string
	}{
		{admin, "city = 'New Yorc'", "'New York'"}, {ann, "city = 'Seatle'", "'Seattle'"}, {ann, "city = 'New Yorc'", ""},
		{ann, "iata IN ('SEA', 'SAE')", ""}, {ann, "city IN ('Seattle', 'Seattel')", ""}, {ann, "iata = 'SEA' OR city = 'seattle'", "'Seattle'"},
		{bob, "city = 'Seatle'", ""},
	} {
		s, err := c.user.overHTTP(bearer{})
		if err != nil {
			t.Fatal(err)
		}
		sql := "SELECT iata FROM airports WHERE " + c.where
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "query_remote", Arguments: map[string]any{"sql": sql}})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		_, statement := c.user.request(http.MethodPost, "/api/page/query", map[string]any{"sql": sql})
		_, rows := c.user.request(http.MethodPost, "/api/page/rows", map[string]any{"table_id": "airports", "select": []string{"iata"}, "where": c.where})
		for door, text := range map[string]string{"the tool": r.Content[0].(*mcp.TextContent).Text, "the statement": statement, "the rows": rows} {
			_, told, _ := strings.Cut(text, "did you mean ")
			told, _, _ = strings.Cut(told, "?")
			if told != c.want {
				t.Errorf("%s, %s: %q is proposed, not %q: %s", door, c.where, told, c.want, text)
			}
		}
	}
}
