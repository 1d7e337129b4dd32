package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/pgtest"
)

// sharedState is a place whose instance keeps its state in a PostgreSQL of its own, with
// a table of about 60 MB.
func sharedState(t *testing.T) (*place, *pgtest.Cluster) {
	t.Helper()
	cluster := pgtest.New(t, pgtest.Options{TCP: true})
	p := newPlace(t).with(fmt.Sprintf("STATE=postgres://%s@127.0.0.1:%d/postgres", pgtest.User, cluster.Port))
	p.instance("server: { state_env: STATE }")
	p.writeBig(60, 1)
	return p, cluster
}

// instance writes an instance file with a section of the server.
func (p *place) instance(server string) {
	p.t.Helper()
	text := server + `
api:
  scan: { max_concurrent_per_user: 100 }
sources:
  files: { type: lake, root: ./data }
tables:
  - { id: airports, source: files, path: airports.csv, public: true }
  - { id: big, source: files, path: big.parquet, public: true }
`
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// scan begins a scan of a whole table at a server.
func scan(server, token, table string) (*http.Response, error) {
	body, err := json.Marshal(api.ScanRequest{TableID: table})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, server+"/api/v2/scan", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(req)
}

// usage returns the quotas by user.
func (p *place) usage() map[string]api.QuotaStatus {
	p.t.Helper()
	var list []api.QuotaStatus
	if err := json.Unmarshal([]byte(p.ok("admin", "quota", "--json")), &list); err != nil {
		p.t.Fatal(err)
	}
	usage := map[string]api.QuotaStatus{}
	for _, q := range list {
		usage[q.User] = q
	}
	return usage
}

// TestStateMove moves what a server wrote, and serves it from PostgreSQL.
func TestStateMove(t *testing.T) {
	t.Parallel()
	p, _ := sharedState(t)
	withState := func(yes bool) {
		t.Helper()
		server := "server: { state_dir: state }"
		if yes {
			server = "server: { state_dir: state, state_env: STATE }"
		}
		p.instance(server)
	}
	withState(false)
	cmd, admin := p.server()
	ann := admin.as("ann")
	ann.ok("query", "--remote", "SELECT count(*) FROM airports")
	before := admin.usage()
	if out := p.run("admin", "state", "move"); out.code != 2 || !strings.Contains(out.stderr, "state_env") {
		t.Errorf("without a target: exit %d\n%s", out.code, out.stderr)
	}
	withState(true)
	if out := p.run("admin", "state", "move"); out.code == 0 || !strings.Contains(out.stderr, "Stop all servers") {
		t.Errorf("while a server runs: exit %d\n%s", out.code, out.stderr)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if out := p.run("serve", "--listen", "127.0.0.1:0"); out.code != 2 || !strings.Contains(out.stderr, "da admin state move") {
		t.Errorf("before the move: exit %d\n%s", out.code, out.stderr)
	}
	openSchemas(t, p).check(t, p, "admin", "state", "move", "--json")
	if out := p.run("admin", "state", "move"); out.code != 2 || !strings.Contains(out.stderr, "moved before") {
		t.Errorf("a second time: exit %d\n%s", out.code, out.stderr)
	}
	_, client := p.server()
	url := "DA_SERVER=" + client.get("DA_SERVER")
	if client.get("DA_TOKEN") != "" {
		t.Error("a state that was moved has a new first token")
	}
	admin, ann = admin.with(url), ann.with(url)
	ann.ok("query", "--remote", "SELECT count(*) FROM airports")
	if now := admin.usage(); now["ann"].ResultBytes != 2*before["ann"].ResultBytes {
		t.Errorf("%+v became %+v", before, now)
	}
}

// TestAServerWithoutItsState holds that a balancer learns of it, that clients can try
// again, and that who asked meanwhile is no guesser of tokens.
func TestAServerWithoutItsState(t *testing.T) {
	t.Parallel()
	p, cluster := sharedState(t)
	_, admin := p.server()
	if err := cluster.Kill(); err != nil {
		t.Fatal(err)
	}
	status := func() int {
		t.Helper()
		resp, err := http.Get(admin.get("DA_SERVER") + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	if got := status(); got != http.StatusServiceUnavailable {
		t.Errorf("a server without its state is ready: %d", got)
	}
	for range 30 {
		if resp, err := scan(admin.get("DA_SERVER"), admin.get("DA_TOKEN"), "airports"); err != nil || resp.StatusCode != http.StatusServiceUnavailable {
			t.Fatalf("%v, %v", resp, err)
		}
	}
	if out := p.run("doctor"); out.code != 2 || !strings.Contains(out.stdout, "state") {
		t.Errorf("doctor: exit %d\n%s\n%s", out.code, out.stdout, out.stderr)
	}
	if err := cluster.Restart(); err != nil {
		t.Fatal(err)
	}
	if got := status(); got != http.StatusOK {
		t.Errorf("afterwards: %d", got)
	}
	admin.ok("quota")
}
