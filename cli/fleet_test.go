package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/testing/freeport"
)

// fleet is several servers with one state, behind the balancer that compose.yaml runs.
type fleet struct {
	t         *testing.T
	admin     *place // of the first server
	servers   []*exec.Cmd
	urls      []string
	front     string // the balancer
	ops       atomic.Int64
	mu        sync.Mutex
	users     map[string]*fleetUser
	latencies []time.Duration // of listings
	lost      int             // requests that were begun again
}

// fleetUser is what the clients of one user know of what they got.
type fleetUser struct {
	token string
	whole int64 // bytes of results that arrived whole
	cut   int64 // the most that requests without an end may have been charged
}

// newFleet starts n servers on the instance of a place with a shared state.
func newFleet(t *testing.T, p *place, n int) *fleet {
	t.Helper()
	f := &fleet{t: t, users: map[string]*fleetUser{}}
	dir := nginxFolder(t)
	var upstreams []string
	for range n {
		cmd, at := p.server()
		if f.admin == nil {
			f.admin = at
		}
		f.servers, f.urls = append(f.servers, cmd), append(f.urls, at.get("DA_SERVER"))
		upstreams = append(upstreams, "server "+strings.TrimPrefix(at.get("DA_SERVER"), "http://")+";")
	}
	listen, err := freeport.Address()
	if err != nil {
		t.Fatal(err)
	}
	runNginx(t, dir, listen, shippedSite(t, "../build/container/nginx.conf", map[string]string{
		"server da-1:8400;": strings.Join(upstreams, "\n"), "server da-2:8400;": "", "listen 443 ssl;": "listen " + listen + ";",
		"ssl_certificate /etc/ssl/da/cert.pem;": "", "ssl_certificate_key /etc/ssl/da/key.pem;": "",
	}))
	f.front = "http://" + listen
	return f
}

// user makes a user of the fleet.
func (f *fleet) user(name string) *fleetUser {
	u := &fleetUser{token: f.admin.as(name).get("DA_TOKEN")}
	f.users[name] = u
	return u
}

// client is one of a user's, at the balancer.
func (f *fleet) client(u *fleetUser) *client.Client {
	c, err := client.New(client.Options{URL: f.front, Token: u.token})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(c.Close)
	return c
}

// passing reports whether an error is one that a killed server may cause.
func passing(err error) bool {
	var e *api.Error
	return api.ConnectionLost(err) || errors.As(err, &e) && (e.Code == api.CodeQuota && e.Kind == api.KindConcurrentScans || e.Kind == api.KindChanged)
}

// one makes a request, and begins it again when its server is lost, as a user would.
func (f *fleet) one(u *fleetUser, c *client.Client, dice *rand.Rand, most int64) {
	var err error
	for range 8 {
		started := time.Now()
		var got int64
		charged := false
		switch dice.IntN(5) {
		case 0:
			if _, err = c.Tables(f.t.Context()); err == nil {
				f.mu.Lock()
				f.latencies = append(f.latencies, time.Since(started))
				f.mu.Unlock()
			}
		case 1:
			_, err = c.Estimate(f.t.Context(), api.ScanRequest{TableID: "big", Where: "i < 10"})
		case 2:
			charged = true
			got, err = f.stream(c)
		default:
			charged = true
			got, err = f.file(c)
		}
		f.mu.Lock()
		u.whole += got
		if err != nil {
			f.lost++
			if charged {
				u.cut += most
			}
		}
		f.mu.Unlock()
		if err == nil {
			f.ops.Add(1)
			return
		}
		if !passing(err) {
			break
		}
	}
	f.t.Errorf("a request that was begun again and again: %v", err)
}

// part is a request for rows of about a megabyte.
var part = api.ScanRequest{TableID: "big", Where: "i < 40000"}

func (f *fleet) stream(c *client.Client) (int64, error) {
	s, err := c.Scan(f.t.Context(), part)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for s.Batches.Next() {
	}
	if err := s.Batches.Err(); err != nil {
		return 0, err
	}
	return s.End().Bytes, nil
}

func (f *fleet) file(c *client.Client) (int64, error) {
	file, err := c.ScanFile(f.t.Context(), api.FileRequest{Scan: part, Keep: true})
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if _, err := io.Copy(io.Discard, file.Data); err != nil {
		return 0, err
	}
	return file.End().Bytes, nil
}

// fleetSetting is a number of a long run.
func fleetSetting(t *testing.T, name string, short int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return short
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s: %q", name, text)
	}
	return n
}

// TestServersBehindABalancer has clients read at four servers behind nginx, of which one
// is killed and one told to end in the middle. Everybody gets everything in the end; what
// each user is charged is, to the byte, what the audit says and what they got; what the
// killed server had delivered is charged by another. In short here; the whole of it is
// DA_FLEET_CLIENTS=200 DA_FLEET_REQUESTS=30.
func TestServersBehindABalancer(t *testing.T) {
	clients, requests := fleetSetting(t, "DA_FLEET_CLIENTS", 24), fleetSetting(t, "DA_FLEET_REQUESTS", 6)
	p, cluster := sharedState(t)
	f := newFleet(t, p, 4)
	victim, leaving := f.servers[3], f.servers[2]
	const users = 10
	names := make([]string, users)
	for i := range users {
		names[i] = fmt.Sprint("u", i)
		f.user(names[i])
	}
	most, err := f.stream(f.client(f.users["u0"]))
	if err != nil {
		t.Fatal(err)
	}
	f.users["u0"].whole = most

	// One stream is cut by the kill for certain: its client has read a part of it.
	eve := f.user("eve")
	cut, err := scan(f.urls[3], eve.token, "big")
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Body.Close()
	const read = 20 << 20
	if _, err := io.CopyN(io.Discard, cut.Body, read); err != nil {
		t.Fatal(err)
	}

	var all sync.WaitGroup
	var kill, end sync.Once
	started := time.Now()
	for i := range clients {
		u := f.users[names[i%users]]
		c := f.client(u)
		all.Go(func() {
			dice := rand.New(rand.NewPCG(7, uint64(i)))
			for range requests {
				f.one(u, c, dice, most)
				if f.ops.Load() > int64(clients*requests/3) {
					kill.Do(func() {
						_ = victim.Process.Kill()
						_, _ = victim.Process.Wait()
					})
				}
				if f.ops.Load() > int64(clients*requests/2) {
					end.Do(func() { _ = leaving.Process.Signal(syscall.SIGTERM) })
				}
			}
		})
	}
	all.Wait()
	took := time.Since(started)
	if err := leaving.Wait(); err != nil {
		t.Errorf("the server that was told to end: %v", err)
	}
	if _, err := io.Copy(io.Discard, cut.Body); err == nil {
		t.Error("a stream of the killed server ended as if it was whole")
	}

	// A minute passes, and somebody reads at a server that lives.
	if out, err := cluster.Command("psql", "-qc", "UPDATE da.leases SET expires_at = 0").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	n, err := f.stream(f.client(f.users["u0"]))
	if err != nil {
		t.Fatal(err)
	}
	f.users["u0"].whole += n
	f.addUp(read)
	slices.Sort(f.latencies)
	t.Logf("%d clients, %d requests in %v, %d begun again; listings: %d, median %v, 99 of 100 within %v", clients, f.ops.Load(), took.Round(time.Millisecond),
		f.lost, len(f.latencies), f.latencies[len(f.latencies)/2].Round(time.Millisecond), f.latencies[len(f.latencies)*99/100].Round(time.Millisecond))
}

// addUp holds what users are charged against the audit, and against what they got.
func (f *fleet) addUp(read int64) {
	f.t.Helper()
	usage := f.admin.usage()
	sums := map[string]int64{}
	var events []api.AuditEvent
	if err := json.Unmarshal([]byte(f.admin.ok("admin", "audit", "--limit", "100000", "--json")), &events); err != nil {
		f.t.Fatal(err)
	}
	for _, e := range events {
		if e.Data.ResultBytes != nil {
			sums[e.User] += *e.Data.ResultBytes
		}
	}
	for name, of := range f.users {
		u := usage[name]
		if u.ResultBytes != sums[name] || u.ReservedBytes != 0 || u.Running != 0 {
			f.t.Errorf("%s: the audit says %d bytes, charged are %+v", name, sums[name], u)
		}
		if name == "eve" {
			if u.ResultBytes < read-8<<20 {
				f.t.Errorf("of the %d bytes that the killed server had delivered, %+v are charged", read, u)
			}
			continue
		}
		if u.ResultBytes < of.whole || u.ResultBytes > of.whole+of.cut {
			f.t.Errorf("%s got %d bytes, %d more may have been under way, charged are %d", name, of.whole, of.cut, u.ResultBytes)
		}
	}
}
