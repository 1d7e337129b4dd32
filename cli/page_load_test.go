package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// viewer is a browser with the page open.
type viewer struct {
	http.Client
	url, key string
}

func (v *viewer) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, v.url+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if method == http.MethodGet {
		r.Body, r.ContentLength = http.NoBody, 0
	} else {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set(wire.HeaderPageKey, v.key)
	res, err := v.Do(r)
	if err == nil && res.StatusCode >= 300 {
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		err = fmt.Errorf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	return res, err
}

// take sends a request, and returns how long it took until its answer was read.
func (v *viewer) take(ctx context.Context, method, path string, body, into any) (time.Duration, error) {
	began := time.Now()
	res, err := v.send(ctx, method, path, body)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	return time.Since(began), err
}

// pageCalls are what the page asks while somebody clicks through it.
var pageCalls = []struct {
	what, method, path string
	body               any
}{
	{"catalog", "GET", "/api/v2/catalog", nil},
	{"tables of the page", "GET", "/api/page/tables?limit=2000", nil},
	{"search", "GET", "/api/page/tables?q=airport", nil},
	{"schema", "GET", "/api/v2/schema/flights", nil},
	{"schema", "GET", "/api/v2/schema/airports", nil},
	{"sample", "GET", "/api/v2/sample/airports?n=100", nil},
	{"price of a part", "POST", "/api/v2/scan/estimate", api.ScanRequest{TableID: "flights", Where: "delay > 60"}},
	{"rows", "POST", "/api/page/query", map[string]string{"sql": "SELECT * FROM flights"}},
	{"price of a statement", "POST", "/api/page/price", map[string]string{"sql": "SELECT origin, count(*) AS n FROM flights GROUP BY ALL"}},
	{"statement", "POST", "/api/page/query", map[string]string{"sql": "SELECT origin, count(*) AS n FROM flights GROUP BY ALL"}},
}

// processor is how much of a processor a process has taken, in steps of 10 ms.
func processor(t testing.TB, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip(err) // where there is no such file, only the times are told
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	var ticks time.Duration
	for _, field := range strings.Fields(rest)[11:15] { // its own and that of workers that have ended
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond
}

// TestThePageUnderLoad has users in the page at once, each with a stream of events,
// who look at the catalog, at schemas and at rows. It measures times, so it runs with
// DA_PAGE_USERS=50 DA_PAGE_SECONDS=30 alone, as 'make load' does.
func TestThePageUnderLoad(t *testing.T) {
	users, err := strconv.Atoi(os.Getenv("DA_PAGE_USERS"))
	if err != nil {
		return // 'make load' says how many
	}
	seconds, err := strconv.Atoi(os.Getenv("DA_PAGE_SECONDS"))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte("files: {}\n"+fixtureInstance), 0o600); err != nil {
		t.Fatal(err)
	}
	server, p := p.server()
	all := make([]*viewer, users)
	for i := range all {
		name := fmt.Sprintf("user%d", i)
		if status, text := p.request("POST", "/api/admin/users", api.NewUser{Name: name, Admin: true}); status != http.StatusCreated { // admins see every table
			t.Fatalf("make a user: %d %s", status, text)
		}
		var token api.CreatedToken
		if _, text := p.request("POST", "/api/admin/tokens", api.NewToken{User: name}); json.Unmarshal([]byte(text), &token) != nil || token.Secret == "" {
			t.Fatal(text)
		}
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = &viewer{Client: http.Client{Jar: jar, Transport: &http.Transport{}}, url: p.get("DA_SERVER")}
		var made api.CreatedSignIn
		if _, err := all[i].take(t.Context(), "POST", "/api/page/sign-ins", api.NewSignIn{Token: token.Secret}, &made); err != nil {
			t.Fatal(err)
		}
		all[i].key = made.Key
		events, err := all[i].send(t.Context(), "GET", "/api/files/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { events.Body.Close() })
	}

	var mu sync.Mutex
	took := map[string][]time.Duration{}
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	var looking sync.WaitGroup
	for _, v := range all {
		looking.Go(func() {
			for n := 0; n == 0 || time.Now().Before(end); n++ {
				for _, c := range pageCalls {
					d, err := v.take(t.Context(), c.method, c.path, c.body, nil)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					took[c.what] = append(took[c.what], d)
					mu.Unlock()
				}
				if seconds > 0 {
					<-time.After(time.Second) // a person looks at what came
				}
			}
		})
	}
	looking.Wait()
	for what, times := range took {
		slices.Sort(times)
		p95 := times[len(times)*95/100]
		t.Logf("%d users, %s: %d requests, half within %s, 95%% within %s", users, what, len(times), times[len(times)/2], p95)
		if seconds > 0 && (what == "catalog" || what == "schema") && p95 > 100*time.Millisecond {
			t.Errorf("%s: 95%% take up to %s, want 100ms", what, p95)
		}
	}
	// What a request takes of a processor is told by many of a kind, one after the other.
	for _, c := range pageCalls {
		const requests = 50
		before := processor(t, server.Process.Pid)
		for range requests {
			if _, err := all[0].take(t.Context(), c.method, c.path, c.body, nil); err != nil {
				t.Fatal(err)
			}
		}
		each := (processor(t, server.Process.Pid) - before) / requests
		t.Logf("%s %s: %s of a processor", c.what, c.path, each)
		if seconds > 0 && each > 200*time.Millisecond {
			t.Errorf("%s takes %s of a processor, want 200ms", c.what, each)
		}
	}
}
