package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestAServerRunsSchedules: of two servers on one state one runs each that is due, with
// the rights of its user, who gets the files; the webhook is told how it ended.
func TestAServerRunsSchedules(t *testing.T) {
	t.Parallel()
	type told struct {
		Due, Message, User string
		ExitCode           int `json:"exit_code"`
		Files              []string
		Steps              []struct{ Step, Status string }
	}
	runs := make(chan told, 1000)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var run told
		if err := json.NewDecoder(r.Body).Decode(&run); err != nil {
			t.Error(err)
		}
		runs <- run
	}))
	t.Cleanup(hook.Close)
	p, _ := sharedState(t)
	p.instance(fmt.Sprintf(`server: { state_env: STATE }
files: {}
schedules:
  - { name: often, file: night.yaml, user: ann, every_seconds: 1, files: [north.csv], folder: reports, webhook: %q, command: [sh, -c, "cat > told.$$ && mv told.$$ told.json"] }
`, hook.URL))
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("night.yaml", `steps:
  - { name: get, run: fetch airports --as here --force }
  - { name: check, run: check checks.yaml, needs: [get] }
  - { name: out, run: query 'FROM here ORDER BY iata' --out north.csv --force, needs: [check] }
`)
	write("checks.yaml", "tables: { here: { checks: [{ rows: { min: 1 } }] } }\n")
	_, admin := p.server()
	p.server()
	admin.ok("admin", "user", "create", "ann")
	var dues []string
	until := func(is func(told) bool) told {
		t.Helper()
		for {
			run := <-runs
			if slices.Contains(dues, run.Due) {
				t.Fatalf("two servers have run what was due at %s", run.Due)
			}
			if dues = append(dues, run.Due); is(run) {
				return run
			}
		}
	}
	for range 3 {
		run := until(func(run told) bool { return run.Message != "there is no user 'ann'" }) // some were due before
		if run.ExitCode != 0 || run.User != "ann" || len(run.Steps) != 3 || !slices.Equal(run.Files, []string{"north.csv"}) {
			t.Fatalf("%+v", run)
		}
	}
	write("checks.yaml", "tables: { here: { checks: [{ rows: { max: 1 } }] } }\n")
	run := until(func(run told) bool { return run.ExitCode != 0 })
	if run.ExitCode != 10 || len(run.Files) > 0 || run.Message == "" || run.Steps[2].Status != "skipped" {
		t.Errorf("%+v", run)
	}
	if text, err := os.ReadFile(filepath.Join(p.dir, "told.json")); err != nil || !json.Valid(text) {
		t.Errorf("the command was told %q, %v", text, err)
	}
	kept, err := filepath.Glob(filepath.Join(p.dir, "*", "files", "*"))
	if err != nil || len(kept) == 0 {
		t.Errorf("ann has no files: %v, %v", kept, err)
	}
}
