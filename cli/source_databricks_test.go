package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/testing/brickstest"
	"github.com/agnes-data/da/internal/testing/sparktest"
)

// startDatabricks starts a warehouse before a Sail for each script.
func startDatabricks(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	sparktest.NeedSail(t)
	return func(env *testscript.Env, all scriptTables) (string, error) {
		server := sparktest.Sail(t)
		env.Setenv("DATABRICKS_TOKEN", brickstest.Token)
		return databricksInstance(brickstest.New(t, server)), filled(t, server, all)
	}
}

func databricksInstance(b *brickstest.Warehouse) string {
	return caps + `
sources:
  main: { type: databricks, uri: "` + b.URL + `", warehouse: ` + brickstest.ID + `, token_env: DATABRICKS_TOKEN }
tables:
  - { id: flights, source: main, relation: flights, public: true }
  - { id: airports, source: main, relation: airports }
`
}

// TestAWarehouseIsAdded sets one up by its address, is told what is wrong with it, and
// never tells the token.
func TestAWarehouseIsAdded(t *testing.T) {
	t.Parallel()
	server := sparktest.Sail(t)
	b := brickstest.New(t, server)
	if err := filled(t, server, sourceTables()); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	if err := os.Remove(filepath.Join(p.dir, "instance.yaml")); err != nil {
		t.Fatal(err)
	}
	address := "databricks+http://" + strings.TrimPrefix(b.URL, "http://") + "?schema=default&warehouse_id="
	const wrong = "not-the-token"
	for _, c := range []struct{ token, address, says string }{
		{"", address + brickstest.ID, "DATABRICKS_TOKEN"},
		{wrong, address + brickstest.ID, "refuses the server's credentials"},
		{brickstest.Token, address + "w2", "no such warehouse"},
		{brickstest.Token, "databricks+http://127.0.0.1:1?warehouse_id=w1", "connection refused"},
		{brickstest.Token, "databricks://127.0.0.1", "warehouse_id=ID"},
		{brickstest.Token, "databricks://:" + wrong + "@127.0.0.1?warehouse_id=w1", "no user or token"},
	} {
		o := p.with("DATABRICKS_TOKEN="+c.token).run("source", "add", c.address, "--name", "bricks")
		if o.code == 0 || !strings.Contains(o.stderr, c.says) || strings.Contains(o.stderr, wrong) {
			t.Errorf("%s: exit %d\n%s", c.address, o.code, o.stderr)
		}
	}
	p = p.with("DATABRICKS_TOKEN=" + brickstest.Token)
	if got := p.ok("source", "add", address+brickstest.ID, "--name", "bricks"); !strings.Contains(got, "bricks: { type: databricks, uri:") {
		t.Error(got)
	}
	file := filepath.Join(p.dir, "instance.yaml")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(text, "tables:\n  - { id: flights, source: bricks, relation: flights }\n"...), 0o600)
	}
	if err != nil || strings.Contains(string(text), brickstest.Token) {
		t.Fatalf("%v\n%s", err, text)
	}
	if got := p.ok("doctor"); !strings.Contains(got, "source bricks") {
		t.Error(got)
	}
	p.ok("fetch", "flights", "--where", "delay > 60 AND origin LIKE 'S%'", "--as", "late")
	if got := p.ok("query", "SELECT count(*) AS n FROM late", "-o", "csv"); got != "n\n36\n" {
		t.Error(got)
	}
	b.Kill()
	if o := p.run("doctor"); o.code != exit.Server || !strings.Contains(o.stdout, "the warehouse cannot be reached") {
		t.Errorf("exit %d\n%s", o.code, o.stdout)
	}
}
