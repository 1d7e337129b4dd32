package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/setup"
	"github.com/agnes-data/da/source/registry"
)

// examined runs da doctor and returns its checks by name.
func examined(t *testing.T, p *place, code int) map[string]api.HealthCheck {
	t.Helper()
	return examinedBy(t, p, code, "doctor")
}

func examinedBy(t *testing.T, p *place, code int, command ...string) map[string]api.HealthCheck {
	t.Helper()
	out := p.run(append(command, "--json")...)
	var d setup.Diagnosis
	if err := json.Unmarshal([]byte(out.stdout), &d); err != nil {
		t.Fatalf("%v\n%s%s", err, out.stdout, out.stderr)
	}
	if out.code != code || d.OK != (code == 0) {
		t.Errorf("exit %d, not %d; ok %v\n%s%s", out.code, code, d.OK, out.stdout, out.stderr)
	}
	checks := map[string]api.HealthCheck{}
	for _, c := range d.Checks {
		checks[c.Name] = c
		if c.Status == api.CheckFailed && c.Fix == "" {
			t.Errorf("no fix: %+v", c)
		}
		// A narrow terminal cuts the list's cells: the error has the fixes whole.
		if fix, _ := json.Marshal(c.Fix); c.Status == api.CheckFailed && !strings.Contains(out.stderr, strings.Trim(string(fix), `"`)) {
			t.Errorf("the error does not tell how to mend %+v\n%s", c, out.stderr)
		}
	}
	return checks
}

func TestDoctorFindsNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("fetch", "flights", "--as", "late")
	for name, c := range examined(t, p, 0) {
		if c.Status != api.CheckOK && (name != "token" || c.Status != api.CheckSkipped) {
			t.Errorf("%+v", c)
		}
	}
	for _, c := range examined(t, p.served(), 0) {
		if c.Status != api.CheckOK {
			t.Errorf("%+v", c)
		}
	}
}

// TestDoctorWarnsOfWhatOthersReach in a home that da did not make so.
func TestDoctorWarnsOfWhatOthersReach(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("fetch", "airports", "--as", "kept")
	for path, mode := range map[string]os.FileMode{"snapshots": 0o755, ".": 0o777} {
		dir := filepath.Join(p.dir, "home", path)
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if c := examined(t, p, 0)["home"]; c.Status != api.CheckWarning || !strings.Contains(c.Fix, "chmod -R go= ") {
			t.Errorf("%s: %+v", path, c)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDoctorFindsEachFault makes one fault after the other and wants its check
// to fail, with the exit code of commands that meet it.
func TestDoctorFindsEachFault(t *testing.T) {
	t.Parallel()
	base := newPlace(t)
	served := base.served()
	later := served.with(envLater + "=2h")
	write := func(name, text string) string {
		path := filepath.Join(base.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name, check, fix string
		p                *place
		code             int
	}{
		{"config", "config", "", base.with("DA_CONFIG=" + write("bad.yaml", "nope: 1\n")), 2},
		{"instance", "instance", "", base.with("DA_INSTANCE=" + write("bad_instance.yaml", "sources: 7\n")), 2},
		{"no instance", "instance", "", base.with("DA_INSTANCE=" + filepath.Join(base.dir, "none.yaml")), 2},
		{"home", "home", "", base.with("DA_HOME=" + filepath.Join(write("file", ""), "home")), 4},
		{"token", "token", "", served.with("DA_TOKEN=da_wrong"), 7},
		{"server", "server", "", base.with("DA_SERVER=http://127.0.0.1:1", "DA_TOKEN=x"), 9},
		{"clock", "clock", "NTP", later, 2},
	} {
		c := examined(t, tt.p, tt.code)[tt.check]
		if c.Status != api.CheckFailed || !strings.Contains(c.Fix, tt.fix) {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
	// What is there and cannot be read.
	base.ok("fetch", "airports", "--as", "torn")
	found, err := filepath.Glob(filepath.Join(base.get("DA_HOME"), "snapshots", "torn-*.parquet"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if err := os.Truncate(found[0], 10); err != nil {
		t.Fatal(err)
	}
	if c := examined(t, base, 2)["snapshots"]; c.Status != api.CheckFailed || !strings.Contains(c.Fix, "da snapshot drop torn") {
		t.Errorf("%+v", c)
	}
}

// withClosedDoors writes an instance file beside the place's own, of whose sources
// one is well and the others listen nowhere, and returns the place of it.
func withClosedDoors(t *testing.T, p *place, password string) *place {
	t.Helper()
	path := filepath.Join(p.dir, "unreachable.yaml")
	text := `sources:
  files: { type: lake, root: ./data }
  crm: { type: postgres, dsn: "postgres://reader:` + password + `@127.0.0.1:1/crm?sslmode=disable" }
  shop: { type: mariadb, dsn: "reader:` + password + `@tcp(127.0.0.1:1)/shop" }
  engine: { type: flightsql, uri: "grpc://127.0.0.1:1", user: reader, password: "` + password + `" }
tables:
  - { id: airports, source: files, path: airports.csv, public: true }
  - { id: orders, source: crm, relation: public.orders, public: true }
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p.with("DA_INSTANCE=" + path)
}

// TestDoctorTriesTheSources holds that each source is tried, by whoever holds its
// credentials, and that what failed is told without them.
func TestDoctorTriesTheSources(t *testing.T) {
	t.Parallel()
	const password = "hidden-48"
	p := withClosedDoors(t, newPlace(t), password)
	served := p.served()
	for where, at := range map[string]*place{"embedded": p, "served": served} {
		checks := examined(t, at, exit.Server)
		if c := checks["source files"]; c.Status != api.CheckOK {
			t.Errorf("%s: %+v", where, c)
		}
		for _, name := range []string{"crm", "shop", "engine"} {
			c := checks["source "+name]
			if c.Status != api.CheckFailed || !strings.Contains(c.Says, "cannot be reached") {
				t.Errorf("%s, %s: %+v", where, name, c)
			}
			// Only who reads the instance is told what the drivers say.
			if told := strings.Contains(c.Says, "connection refused") && strings.Contains(c.Cause, "connection refused"); told != (where == "embedded") {
				t.Errorf("%s, %s: %+v", where, name, c)
			}
		}
		o := at.run("doctor", "--json")
		e := o.lastJSON(t)
		if failed, _ := e.Details["failed"].([]any); len(failed) != 3 {
			t.Errorf("%s: %+v", where, e)
		}
		if cause, _ := e.Details["cause"].(string); strings.Contains(cause, "connection refused") != (where == "embedded") {
			t.Errorf("%s: %+v", where, e)
		}
		if text := at.run("doctor"); strings.Contains(o.stdout+o.stderr+text.stdout+text.stderr, password) {
			t.Errorf("%s: the password is shown:\n%s%s%s", where, o.stdout, o.stderr, text.stderr)
		}
	}
	served.ok("admin", "user", "create", "una@example.com")
	var made struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(served.ok("admin", "token", "create", "--user", "una@example.com", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	if c := examined(t, served.with("DA_TOKEN="+made.Token), 0)["sources"]; c.Status != api.CheckSkipped {
		t.Errorf("%+v", c)
	}
}

// TestDoctorEndsWhereSourcesAreSilent has one of each kind behind an address that takes
// connections and never answers, and tables whose sizes the catalog would ask for.
func TestDoctorEndsWhereSourcesAreSilent(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	bucket := `bucket: "s3://company/lake", endpoint: "http://AT", region: x, access_key: k, secret_key: s, cache_dir: ./cache-`
	keys := map[api.SourceType]string{
		api.SourceLake: bucket + "lake", api.SourceDelta: bucket + "delta", api.SourceIceberg: `root: ./data, uri: "http://AT/", token: t`,
		api.SourcePostgres: `dsn: "postgres://reader@AT/crm?sslmode=disable"`, api.SourceMariaDB: `dsn: "reader@tcp(AT)/shop"`,
		api.SourceClickHouse: `dsn: "http://AT/x"`, api.SourceTrino: `dsn: "http://reader@AT/x/y"`, api.SourceFlight: `uri: "grpc://AT"`,
		api.SourceSpark: `uri: "sc://AT"`, api.SourceDatabricks: `uri: "http://AT", warehouse: w, token: t`,
		api.SourceBigQuery: `project: p, dataset: d, endpoint: "http://AT"`,
	}
	local := []api.SourceType{api.SourceDuckDB, api.SourceSQLite, api.SourceSnowflake} // files; and what this binary does not have
	text := "sources:\n"
	for _, kind := range registry.Types() {
		if keys[kind.Type] != "" {
			text += fmt.Sprintf("  %s: { type: %[1]s, %s }\n", kind.Type, strings.ReplaceAll(keys[kind.Type], "AT", l.Addr().String()))
		} else if !slices.Contains(local, kind.Type) {
			t.Errorf("%s is not tried", kind.Type)
		}
	}
	text += "tables:\n  - { id: one, source: lake, path: one.csv }\n  - { id: two, source: lake, path: two.csv }\n"
	p := newPlace(t)
	p.write(t, "silent.yaml", text)
	checks := examined(t, p.with("DA_INSTANCE="+filepath.Join(p.dir, "silent.yaml")), exit.Server)
	for kind := range keys {
		if c := checks["source "+string(kind)]; c.Status != api.CheckFailed {
			t.Errorf("%s: %+v", kind, c)
		}
	}
	if c := checks["instance"]; c.Status != api.CheckOK || !strings.Contains(c.Says, "2 tables") {
		t.Errorf("%+v", c)
	}
}

// TestServeTriesTheSources holds that a server says at its start which of its
// sources cannot be reached, and serves the others.
func TestServeTriesTheSources(t *testing.T) {
	t.Parallel()
	const password = "hidden-49"
	p := withClosedDoors(t, newPlace(t), password)
	cmd := p.command("serve", "--listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	missing := []string{"source=crm", "source=shop", "source=engine", "Serving"}
	for lines := bufio.NewScanner(stderr); len(missing) > 0 && lines.Scan(); {
		fmt.Fprintln(&log, lines.Text())
		missing = slices.DeleteFunc(missing, func(part string) bool { return strings.Contains(log.String(), part) })
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(&log, stderr)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, log.String())
	}
	text := log.String()
	if len(missing) > 0 || strings.Contains(text, "source=files") || strings.Contains(text, password) {
		t.Errorf("missing %v\n%s", missing, text)
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "source=") && (!strings.Contains(line, "level=WARN") || !strings.Contains(line, "kind=unreachable") || !strings.Contains(line, "connection refused") || !strings.Contains(line, "hint=")) {
			t.Errorf("%s", line)
		}
	}
}

// TestAServerIsExamined asks a server for what an operator has to mend: a source that is
// away, a table whose copy is overdue, a token that ends, a user who has nothing left.
func TestAServerIsExamined(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	text := `
api:
  scan: { max_daily_bytes_per_user: 8 }
sources:
  files: { type: lake, root: ./data }
  away: { type: postgres, dsn: "postgres://reader@127.0.0.1:1/crm?sslmode=disable" }
tables:
  - { id: airports, source: files, path: airports.csv, public: true }
  - { id: gone, source: files, path: gone.csv, query_mode: local, refresh_every_seconds: 3600 }
`
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	admin := p.served()
	ann := admin.as("ann")
	ann.ok("query", "--remote", "SELECT count(*) AS n FROM airports") // eight bytes
	admin.ok("admin", "token", "create", "--user", "ann", "--expires", "3d")
	checks := examinedBy(t, admin, 5, "admin", "doctor")
	for name, want := range map[string]string{"source files": api.CheckOK, "source away": api.CheckFailed, "disk": api.CheckOK, "copies": api.CheckWarning,
		"tokens": api.CheckWarning, "quotas": api.CheckWarning, "connections": api.CheckOK, "open files": api.CheckOK} {
		if got := checks[name]; got.Status != want || want == api.CheckWarning && got.Fix == "" {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	if out := ann.run("admin", "doctor"); out.code == 0 || !strings.Contains(out.stderr, "admins only") {
		t.Errorf("exit %d\n%s", out.code, out.stderr)
	}
}
