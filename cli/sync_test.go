package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/tablesync"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// envSyncMB is the size in MB of the file that is pulled while its puller is
// killed; the full campaign takes 2000.
const envSyncMB = "DA_SYNC_CAMPAIGN_MB"

const localInstance = `
sources:
  files: { type: lake, root: ./data }
tables:
  - { id: big, source: files, path: big.parquet, query_mode: local }
  - { id: airports, source: files, path: airports.csv, query_mode: local }
  - { id: many, source: files, path: many.parquet }
`

// localPlace is a place whose instance has tables to sync, one of that many MB.
func localPlace(t *testing.T, mb int) *place {
	t.Helper()
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(localInstance), 0o600); err != nil {
		t.Fatal(err)
	}
	p.writeBig(mb, 1)
	return p
}

// writeBig writes about mb MB that do not compress.
func (p *place) writeBig(mb, seed int) {
	p.t.Helper()
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	file := filepath.Join(p.dir, "data", "big.parquet")
	sql := fmt.Sprintf("COPY (SELECT i, hash(i + %d) AS a, hash(i * 3 + %d) AS b, hash(-i) AS c FROM range(%d) t(i)) TO %s (FORMAT parquet)",
		seed, seed, mb*1_000_000/27, duckdb.Literal(file+".new"))
	if err := conn.Exec(p.t.Context(), sql); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		p.t.Fatal(err)
	}
}

// strait is a proxy that the bytes of synced and fetched files pass. What passes
// can be counted, watched and spoilt.
type strait struct {
	*httptest.Server
	target *url.URL
	passed atomic.Int64
	mu     sync.Mutex
	watch  func(passed int64)      // after some more bytes
	spoil  func(part []byte) error // before they pass
}

func straitTo(t *testing.T, server string) *strait {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	s := &strait{target: target}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.ErrorLog = log.New(io.Discard, "", 0) // cut bodies are the point
	proxy.ModifyResponse = func(r *http.Response) error {
		if path := r.Request.URL.Path; strings.HasPrefix(path, "/api/sync/tables/") || path == "/api/v2/scan" {
			r.Body = &straitBody{r.Body, s}
		}
		return nil
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			// A body that is spoilt ends in a panic of the proxy, as it should.
			if v := recover(); v != nil {
				panic(http.ErrAbortHandler)
			}
		}()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

type straitBody struct {
	io.ReadCloser
	s *strait
}

func (b *straitBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	passed := b.s.passed.Add(int64(n))
	b.s.mu.Lock()
	watch, spoil := b.s.watch, b.s.spoil
	b.s.mu.Unlock()
	if watch != nil {
		watch(passed)
	}
	if spoil != nil {
		if spoilt := spoil(p[:n]); spoilt != nil {
			return 0, spoilt
		}
	}
	return n, err
}

func (s *strait) set(watch func(int64), spoil func([]byte) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch, s.spoil = watch, spoil
}

func syncResult(t *testing.T, text string) tablesync.Result {
	t.Helper()
	var r tablesync.Result
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return r
}

func installed(r tablesync.Result) []string {
	ids := []string{}
	for _, t := range r.Installed {
		ids = append(ids, t.TableID)
	}
	return ids
}

func TestSyncPullsWhatChangedAndQueriesReadIt(t *testing.T) {
	t.Parallel()
	p := localPlace(t, 3)
	p = p.served()

	// Not here yet: the very command to run.
	if o := p.run("query", "SELECT count(*) FROM airports", "--json"); o.code != exit.Invalid || o.lastJSON(t).Next[0].Command != "da sync airports" {
		t.Errorf("before: exit %d\n%s", o.code, o.stderr)
	}
	r := syncResult(t, p.ok("sync", "--json"))
	if !slices.Equal(installed(r), []string{"airports", "big"}) || r.Installed[0].Rows != 3 {
		t.Errorf("first: %+v", r)
	}
	p.ok("fetch", "many", "--as", "m")
	if out := p.ok("query", "SELECT count(*) AS n, (SELECT count(*) FROM m) AS m, (SELECT count(*) FROM airports) AS a FROM big", "-o", "csv"); out != "n,m,a\n111111,6000,3\n" {
		t.Errorf("joined: %s", out)
	}
	if r = syncResult(t, p.ok("sync", "--json")); len(r.Installed) != 0 || r.Bytes != 0 || !slices.Equal(r.Unchanged, []string{"airports", "big"}) {
		t.Errorf("again: %+v", r)
	}
	p.writeBig(3, 2)
	if r = syncResult(t, p.ok("sync", "--json")); !slices.Equal(installed(r), []string{"big"}) || !slices.Equal(r.Unchanged, []string{"airports"}) {
		t.Errorf("one has changed: %+v", r)
	}

	// A snapshot hides a table of its name, and a query says so.
	p.ok("fetch", "airports", "--limit", "1", "--as", "airports")
	if o := p.run("query", "SELECT count(*) AS n FROM airports", "-o", "csv"); o.stdout != "n\n1\n" || !strings.Contains(o.stderr, "the snapshot is read") {
		t.Errorf("a clash: %s%s", o.stdout, o.stderr)
	}
	// Offline, what is here answers, and its age is said.
	offline := p.with("DA_SERVER=http://127.0.0.1:1", "DA_TEST_LATER=240h")
	if o := offline.run("query", "SELECT count(*) AS n FROM big", "-o", "csv"); o.code != 0 || o.stdout != "n\n111111\n" || !strings.Contains(o.stderr, "was synced 10 days ago") {
		t.Errorf("offline: exit %d %s%s", o.code, o.stdout, o.stderr)
	}
	if o := offline.run("sync"); o.code != exit.Unreachable {
		t.Errorf("offline: exit %d", o.code)
	}
	p.ok("query", "SELECT 1 FROM big LIMIT 1")
}

// TestSyncedTablesAreCountedAndSeenByOtherTools looks at what is derived from
// them after they came, after a snapshot has hidden one, and after they went.
func TestSyncedTablesAreCountedAndSeenByOtherTools(t *testing.T) {
	t.Parallel()
	p := localPlace(t, 1).served()
	views := func() string {
		t.Helper()
		return p.views(t)
	}
	p.ok("sync")
	if got := views(); got != "airports 3, big 37037" {
		t.Errorf("after a sync: %s", got)
	}
	var info keep.DiskInfo
	if err := json.Unmarshal([]byte(p.ok("disk-info", "--json")), &info); err != nil {
		t.Fatal(err)
	}
	if info.SyncedTables != 2 || info.SyncedBytes < 1000 || info.Snapshots != 0 || info.UsedBytes != 0 {
		t.Errorf("%+v", info)
	}
	p.ok("catalog")
	if err := json.Unmarshal([]byte(p.ok("disk-info", "--json")), &info); err != nil || info.CacheBytes == 0 {
		t.Errorf("%v %+v", err, info)
	}
	p.ok("fetch", "airports", "--limit", "1", "--as", "airports")
	if got := views(); got != "airports 1, big 37037" {
		t.Errorf("hidden by a snapshot: %s", got)
	}
	p.ok("snapshot", "drop", "airports")
	if got := views(); got != "airports 3, big 37037" {
		t.Errorf("seen again: %s", got)
	}
}

// views are the views of the database for other tools, with their rows.
func (p *place) views(t *testing.T) string {
	t.Helper()
	conn := enginetest.Conn(t)
	file := filepath.Join(p.dir, "home", "duckdb", "analytics.duckdb")
	if err := conn.Exec(t.Context(), "ATTACH "+duckdb.Literal(file)+" AS d (READ_ONLY)"); err != nil {
		t.Fatal(err)
	}
	var names string
	if err := conn.QueryRow(t.Context(), "SELECT coalesce(string_agg(view_name, ',' ORDER BY view_name), '') FROM duckdb_views() WHERE database_name = 'd' AND NOT internal", nil, &names); err != nil {
		t.Fatal(err)
	}
	var counted []string
	for _, name := range strings.Split(names, ",") {
		var n int64
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM d."+duckdb.Quote(name), nil, &n); err != nil {
			t.Fatal(err)
		}
		counted = append(counted, fmt.Sprint(name, " ", n))
	}
	return strings.Join(counted, ", ")
}

func TestTablesThatAreTakenAwayGoAndAreNamed(t *testing.T) {
	t.Parallel()
	p := localPlace(t, 1)
	admin := p.served()
	admin.ok("admin", "user", "create", "ann")
	var made struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(admin.ok("admin", "token", "create", "--user", "ann", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	var grant struct {
		ID int64 `json:"id"`
	}
	if err := json.Unmarshal([]byte(admin.ok("admin", "grant", "--table", "airports", "--user", "ann", "--columns", "iata,city", "--rows", "latitude > 40", "--json")), &grant); err != nil {
		t.Fatal(err)
	}
	ann := admin.with("DA_TOKEN=" + made.Token)
	if r := syncResult(t, ann.ok("sync", "--json")); !slices.Equal(installed(r), []string{"airports"}) {
		t.Errorf("%+v", r)
	}
	// What is pulled is what the grant says, and no more.
	if out := ann.ok("query", "FROM airports ORDER BY ALL", "-o", "csv"); out != "iata,city\nJFK,New York\nSEA,Seattle\n" {
		t.Errorf("pulled: %s", out)
	}
	ann.ok("query", "SELECT 1", "--json")
	admin.ok("admin", "grant", "revoke", strconv.FormatInt(grant.ID, 10))
	o := ann.run("sync")
	if o.code != 0 || !strings.Contains(o.stderr, "removed, since the server has them for you no more: airports") {
		t.Errorf("exit %d %s", o.code, o.stderr)
	}
	if o := ann.run("query", "FROM airports"); o.code != exit.Invalid {
		t.Errorf("the table is still here: %s", o.stdout)
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir, "home", "parquet", "airports*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if o := ann.run("sync", "big"); o.code != exit.Forbidden {
		t.Errorf("one without a grant: exit %d", o.code)
	}
}

func TestABadPullKeepsTheGoodFile(t *testing.T) {
	t.Parallel()
	p := localPlace(t, 3).served()
	s := straitTo(t, p.get("DA_SERVER"))
	p = p.with("DA_SERVER=" + s.URL)
	p.ok("sync")
	before := p.ok("query", "SELECT sum(i) AS n, bit_xor(a) AS x FROM big", "-o", "csv")
	for what, x := range map[string]struct {
		spoil func([]byte) error
		codes []int
	}{
		"a changed byte": {func(b []byte) error {
			if len(b) > 0 {
				b[len(b)/2] ^= 1
			}
			return nil
		}, []int{exit.Server}},
		"cut": {func([]byte) error { return io.ErrUnexpectedEOF }, []int{exit.Server, exit.Unreachable}},
	} {
		p.writeBig(3, 5+len(what))
		s.set(nil, x.spoil)
		o := p.run("sync", "--json")
		r := syncResult(t, o.stdout)
		if !slices.Contains(x.codes, o.code) || len(r.Failed) != 1 || r.Failed[0].TableID != "big" || !slices.Contains(r.Unchanged, "airports") {
			t.Errorf("%s: exit %d\n%s\n%s", what, o.code, o.stdout, o.stderr)
		}
		if now := p.ok("query", "SELECT sum(i) AS n, bit_xor(a) AS x FROM big", "-o", "csv"); now != before {
			t.Errorf("%s: the good file is gone: %s", what, now)
		}
		s.set(nil, nil)
		p.ok("sync")
		now := p.ok("query", "SELECT sum(i) AS n, bit_xor(a) AS x FROM big", "-o", "csv")
		if now == before {
			t.Errorf("%s: the next sync did not bring the new file", what)
		}
		before = now
	}
}

// TestASyncThatIsKilledGoesOn kills a sync five times at random and lets it end:
// the file is then the server's, byte by byte, and little has passed twice.
func TestASyncThatIsKilledGoesOn(t *testing.T) {
	mb := 20
	if text := os.Getenv(envSyncMB); text != "" {
		var err error
		if mb, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	} else {
		t.Parallel()
	}
	p := localPlace(t, mb).served()
	s := straitTo(t, p.get("DA_SERVER"))
	p = p.with("DA_SERVER=" + s.URL)
	size := int64(mb) * 1_000_000
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const kills = 5
	for range kills {
		at := s.passed.Load() + size/20 + random.Int64N(size/8)
		cmd := p.command("sync", "big")
		var once sync.Once
		started := make(chan struct{})
		s.set(func(passed int64) {
			if passed >= at {
				once.Do(func() {
					<-started
					_ = cmd.Process.Kill()
				})
			}
		}, nil)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		close(started)
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("the sync was not killed: %v", err)
		}
	}
	s.set(nil, nil)
	before := s.passed.Load()
	r := syncResult(t, p.ok("sync", "--json"))
	i := slices.Index(installed(r), "big")
	if i < 0 {
		t.Fatalf("%+v", r)
	}
	big := r.Installed[i]
	if big.Transferred >= big.Bytes || big.Transferred > s.passed.Load()-before {
		t.Errorf("of %d bytes the last sync pulled %d", big.Bytes, big.Transferred)
	}
	// Each kill may lose the parts that were on their way, and what was in the
	// pipes.
	const slack = 4 * 16 << 20
	if twice := s.passed.Load() - big.Bytes; twice > kills*min(slack, big.Bytes/2) {
		t.Errorf("%d bytes passed for a file of %d", s.passed.Load(), big.Bytes)
	}
	ours := oneFile(t, filepath.Join(p.dir, "home", "parquet", "big-*.parquet"))
	theirs := oneFile(t, filepath.Join(p.dir, "state", "sync", "big-*.parquet"))
	if !sameContent(t, ours, theirs) {
		t.Error("the file differs from the server's")
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir, "home", "parquet", ".part-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func oneFile(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files[0]
}

func sameContent(t *testing.T, one, other string) bool {
	t.Helper()
	var readers [2]*os.File
	for i, path := range []string{one, other} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		readers[i] = f
	}
	a, b := make([]byte, 1<<20), make([]byte, 1<<20)
	for {
		n, errA := io.ReadFull(readers[0], a)
		m, errB := io.ReadFull(readers[1], b)
		if !bytes.Equal(a[:n], b[:m]) {
			return false
		}
		if errA != nil || errB != nil {
			return errors.Is(errA, errB)
		}
	}
}
