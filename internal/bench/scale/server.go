package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "github.com/agnes-data/da/internal/disk/sqlitedb" // the driver of the state
)

// served is a running server.
type served struct {
	dir, url, token string
	cmd             *exec.Cmd
	http            http.Client
}

var (
	issued    = regexp.MustCompile(`da_[A-Za-z0-9_-]{40,}`)
	listening = regexp.MustCompile(`http://[0-9.:]+[0-9]`)
)

// serve starts a server with very many tables; one has many rows.
func serve(ctx context.Context, da string) (s *served, err error) {
	s = &served{http: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}}
	if s.dir, err = os.MkdirTemp("", "da-scale-"); err != nil {
		return nil, err
	}
	if da, err = filepath.Abs(da); err != nil {
		return nil, err
	}
	instance := "server: { state_dir: ./state }\napi: { scan: { max_concurrent_per_user: 1000, max_daily_bytes_per_user: 1000000000000000 } }\nsources: { files: { type: lake, root: ./data } }\n" +
		"tables:\n  - { id: lines, source: files, path: lines.parquet, public: true }\n"
	if err = errors.Join(os.Mkdir(s.dir+"/data", 0o700), os.WriteFile(s.dir+"/team.yaml", []byte(instance), 0o600),
		os.WriteFile(s.dir+"/data/one.csv", []byte("id,delay\n1,2\n"), 0o600)); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"query", "-o", "parquet", "SELECT i AS orderkey, i * 7 % 20011 AS partkey, i % 1000 AS suppkey, (i % 50)::DECIMAL(15,2) AS quantity, " +
			"(i * 13 % 99991)::DECIMAL(15,2) AS price, (i % 3)::VARCHAR AS flag FROM range(2000000) t(i)"},
		{"admin", "user", "create", "ann", "--instance", "team.yaml"},
		{"admin", "token", "create", "--user", "ann", "--instance", "team.yaml"},
	} {
		out, err := s.command(ctx, da, args...).Output()
		if err == nil && args[0] == "query" {
			err = os.WriteFile(s.dir+"/data/lines.parquet", out, 0o600)
		}
		if err != nil {
			return nil, fmt.Errorf("%v: %w", args, err)
		}
		s.token = issued.FindString(string(out))
	}
	if err := s.fill(ctx); err != nil {
		return nil, fmt.Errorf("register %d tables: %w", tables, err)
	}
	s.cmd = s.command(ctx, da, "serve", "--instance", "team.yaml", "--listen", "127.0.0.1:0")
	stderr, err := s.cmd.StderrPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if s.url = listening.FindString(lines.Text()); s.url != "" {
			go func() { _, _ = io.Copy(io.Discard, stderr) }() // ends with the process
			_, err := s.ask(ctx, "search that reads all columns", 0)
			return s, err
		}
	}
	return nil, errors.New("the server ended before it listened")
}

func (s *served) command(ctx context.Context, da string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, da, args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "DA_HOME="+s.dir+"/home", "DA_SERVER=", "DA_INSTANCE=")
	return cmd
}

// fill registers tables: one by one they would take an hour.
func (s *served) fill(ctx context.Context) error {
	db, err := sql.Open("sqlite", s.dir+"/state/state.db")
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO registered SELECT printf('part%d_sensor_%06d', i % 40, i), 'files', 'one.csv', 'remote',
		'Measurements of a sensor in hall ' || (i % 900), 1, i, 'scale' FROM n`, tables-1)
	return errors.Join(err, db.Close())
}

func (s *served) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.dir)
}

// ask makes the nth request of a kind, reads its answer, and returns its size.
func (s *served) ask(ctx context.Context, kind string, n int) (size int64, err error) {
	table := fmt.Sprintf("part%d_sensor_%06d", n%100%40, n%100)
	method, path, body := http.MethodGet, "/api/page/tables?limit=60&from="+strconv.Itoa(n*60%1000), ""
	switch kind {
	case "search that reads all columns":
		path = "/api/v2/catalog/search?q=hall"
	case "search of the page":
		path = "/api/page/tables?limit=60&q=hall+" + strconv.Itoa(n%900)
	case "schema":
		path = "/api/v2/schema/" + table
	case "estimate":
		method, path, body = http.MethodPost, "/api/v2/scan/estimate", `{"table_id":"lines","select":["orderkey","price"],"where":"suppkey < `+strconv.Itoa(n%900)+`"}`
	case "scan of 200,000 rows":
		method, path, body = http.MethodPost, "/api/v2/scan", `{"table_id":"lines","where":"suppkey >= `+strconv.Itoa(n%500)+`","limit":200000}`
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := s.http.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if size, err = io.Copy(io.Discard, resp.Body); err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, resp.Status)
	}
	return size, err
}

// measure makes requests of a kind, one after the other.
func (s *served) measure(ctx context.Context, kind string, n int) (took []time.Duration, cpu time.Duration, bytes int64, err error) {
	for i := range 3 { // without what is read once
		if bytes, err = s.ask(ctx, kind, i); err != nil {
			return nil, 0, 0, err
		}
	}
	before := s.used()
	for i := 0; i < n && err == nil; i++ {
		began := time.Now()
		_, err = s.ask(ctx, kind, i)
		took = append(took, time.Since(began))
	}
	return took, (s.used() - before) / time.Duration(n), bytes, err
}

// used is the processor time that the server has used, from the system's own count of
// hundredths of a second.
func (s *served) used() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// open lets requests come at random, whatever has become of those before, and returns how
// long they took and how much of the processors the server used.
func (s *served) open(ctx context.Context, kinds []kind, rate float64, length time.Duration) (map[string][]time.Duration, float64, error) {
	r := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	var failed error
	took := map[string][]time.Duration{}
	var all sync.WaitGroup
	began, before := time.Now(), s.used()
	for at, n := time.Duration(0), 0; at < length; n++ {
		at += time.Duration(r.ExpFloat64() / rate * float64(time.Second))
		time.Sleep(time.Until(began.Add(at)))
		k, share := 0, r.Float64()
		for ; k < len(kinds)-1 && share > kinds[k].share; k++ {
			share -= kinds[k].share
		}
		all.Go(func() {
			start := time.Now()
			_, err := s.ask(ctx, kinds[k].name, n)
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
			took[kinds[k].name] = append(took[kinds[k].name], time.Since(start))
		})
	}
	all.Wait()
	inUse := float64(s.used()-before) / float64(time.Since(began)) / float64(runtime.NumCPU())
	for _, t := range took {
		slices.Sort(t)
	}
	return took, inUse, failed
}
