package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// examined runs da doctor and returns its checks by name.
func examined(t *testing.T, p *place, code int) map[string]check {
	t.Helper()
	out := p.run("doctor", "--json")
	var d diagnosis
	if err := json.Unmarshal([]byte(out.stdout), &d); err != nil {
		t.Fatalf("%v\n%s%s", err, out.stdout, out.stderr)
	}
	if out.code != code || d.OK != (code == 0) {
		t.Errorf("exit %d, not %d; ok %v\n%s%s", out.code, code, d.OK, out.stdout, out.stderr)
	}
	checks := map[string]check{}
	for _, c := range d.Checks {
		checks[c.Name] = c
		if c.Status == statusFailed && c.Fix == "" {
			t.Errorf("no fix: %+v", c)
		}
		// A narrow terminal cuts the list's cells: the error has the fixes whole.
		if fix, _ := json.Marshal(c.Fix); c.Status == statusFailed && !strings.Contains(out.stderr, strings.Trim(string(fix), `"`)) {
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
		if c.Status != statusOK && (name != "token" || c.Status != statusSkipped) {
			t.Errorf("%+v", c)
		}
	}
	for _, c := range examined(t, p.served(), 0) {
		if c.Status != statusOK {
			t.Errorf("%+v", c)
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
		if c.Status != statusFailed || !strings.Contains(c.Fix, tt.fix) {
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
	if c := examined(t, base, 2)["snapshots"]; c.Status != statusFailed || !strings.Contains(c.Fix, "da snapshot drop torn") {
		t.Errorf("%+v", c)
	}
}
