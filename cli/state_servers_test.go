package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
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

// scanned returns the bytes that the end record of a scan states.
func scanned(server, token, table string) (int64, error) {
	resp, err := scan(server, token, table)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	const mark = "\xff\xff\xff\xff\x00\x00\x00\x00" // the end of a stream of Arrow's
	var end struct {
		Bytes *int64 `json:"bytes"`
	}
	if err := json.Unmarshal(all[bytes.LastIndex(all, []byte(mark+"{"))+len(mark):], &end); err != nil || end.Bytes == nil {
		return 0, fmt.Errorf("%s: no end record: %v", resp.Status, err)
	}
	return *end.Bytes, nil
}

// TestServersShareOneState has users read at three servers, of which one is killed in
// the middle. What each is charged is exactly what the audit says and what they got; what
// the killed one had delivered is charged by another.
func TestServersShareOneState(t *testing.T) {
	p, cluster := sharedState(t)
	_, one := p.server()
	token := one.get("DA_TOKEN")
	servers := []string{one.get("DA_SERVER")}
	_, two := p.server()
	victim, three := p.server()
	servers = append(servers, two.get("DA_SERVER"), three.get("DA_SERVER"))
	one = one.with("DA_TOKEN=" + token)
	tokens := map[string]string{}
	for i := range 5 {
		user := fmt.Sprint("u", i)
		tokens[user] = one.as(user).get("DA_TOKEN")
	}

	// One stream is cut by the kill for certain: its client has read a part of it.
	eve := one.as("eve").get("DA_TOKEN")
	cut, err := scan(servers[2], eve, "big")
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Body.Close()
	const part = 20 << 20
	if _, err := io.CopyN(io.Discard, cut.Body, part); err != nil {
		t.Fatal(err)
	}

	var mu sync.Mutex
	got, broken := map[string]int64{}, map[string]bool{}
	var all sync.WaitGroup
	for user, token := range tokens {
		for w := range 4 {
			all.Go(func() {
				dice := rand.New(rand.NewPCG(uint64(w), uint64(len(user))))
				for n := range 6 {
					server := dice.IntN(3)
					if n == 3 && user == "u0" && w == 0 {
						_ = victim.Process.Kill() // in the middle
						_, _ = victim.Process.Wait()
						server = 2
					}
					if user == "u4" { // who is served by those that live
						server = n % 2
					}
					bytes, err := scanned(servers[server], token, "airports")
					mu.Lock()
					got[user] += bytes
					broken[user] = broken[user] || err != nil
					mu.Unlock()
					if err != nil && server != 2 {
						t.Errorf("%s at server %d: %v", user, server, err)
					}
				}
			})
		}
	}
	all.Wait()
	if !broken["u0"] {
		t.Error("nobody noticed the kill")
	}

	// A minute passes, and somebody reads at a server that lives.
	if out, err := cluster.Command("psql", "-qc", "UPDATE da.leases SET expires_at = 0").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n, err := scanned(servers[0], tokens["u4"], "airports"); err != nil {
		t.Fatal(err)
	} else {
		got["u4"] += n
	}
	usage := one.usage()
	sums := map[string]int64{}
	var events []api.AuditEvent
	if err := json.Unmarshal([]byte(one.ok("admin", "audit", "--limit", "10000", "--json")), &events); err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Data.ResultBytes != nil {
			sums[e.User] += *e.Data.ResultBytes
		}
	}
	for user := range tokens {
		u := usage[user]
		if u.ResultBytes != sums[user] || u.ReservedBytes != 0 || u.Running != 0 || u.ResultBytes < got[user] || !broken[user] && u.ResultBytes != got[user] {
			t.Errorf("%s got %d bytes (broken: %v), the audit says %d, charged are %+v", user, got[user], broken[user], sums[user], u)
		}
	}
	if u := usage["eve"]; u.ResultBytes != sums["eve"] || u.ResultBytes < part-8<<20 || u.ReservedBytes != 0 {
		t.Errorf("of the %d bytes that the killed server had delivered, %+v are charged, the audit says %d", part, u, sums["eve"])
	}
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
