package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/testing/freeport"
	"github.com/agnes-data/da/internal/testing/pgtest"
)

// TestTheOperatorReadsTheCause holds that whoever reads an instance in process is
// told why its database cannot be reached, without the password, and that the
// user of a server is not.
func TestTheOperatorReadsTheCause(t *testing.T) {
	t.Parallel()
	closed, err := freeport.Port()
	if err != nil {
		t.Fatal(err)
	}
	plain := pgtest.New(t, pgtest.Options{TCP: true})
	const password = "hidden-47"
	for _, x := range []struct{ kind, dsn, cause string }{
		{"postgres", "postgres://reader:" + password + "@127.0.0.1:" + closed + "/crm?sslmode=disable", "connection refused"},
		{"postgres", "host=127.0.0.1 port=" + closed + " dbname=crm user=reader password=" + password, "connection refused"},
		{"postgres", fmt.Sprintf("postgres://reader:%s@127.0.0.1:%d/postgres?sslmode=require", password, plain.Port), "refused TLS"},
		{"mariadb", "reader:" + password + "@tcp(127.0.0.1:" + closed + ")/crm", "connection refused"},
	} {
		p := newPlace(t)
		instance := "sources:\n  main: { type: " + x.kind + ", dsn_env: MAIN_DSN }\ntables:\n  - { id: orders, source: main, relation: orders, public: true }\n"
		if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(instance), 0o600); err != nil {
			t.Fatal(err)
		}
		p = p.with("MAIN_DSN=" + x.dsn)
		o := p.run("schema", "orders")
		if o.code != exit.Server || !strings.Contains(o.stderr, "The cause: ") || !strings.Contains(o.stderr, x.cause) || strings.Contains(o.stderr, "log") {
			t.Errorf("%s: exit %d\n%s", x.dsn, o.code, o.stderr)
		}
		e := p.run("fetch", "orders", "--where", "a > 1", "--as", "some", "--json").lastJSON(t)
		if cause, _ := e.Details["cause"].(string); !strings.Contains(cause, x.cause) || strings.ContainsAny(cause, "\n\t") || !strings.Contains(e.Hint, cause) || !strings.Contains(e.Hint, "See whether it runs") {
			t.Errorf("%s: %+v", x.dsn, e)
		}
		m := p.mcp()
		doc, failed := m.call("catalog_schema", `{"table_id":"orders"}`)
		if !failed || !strings.Contains(string(doc), x.cause) {
			t.Errorf("%s: the tool says %s", x.dsn, doc)
		}
		_, unread := m.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "da://schema/orders"})
		if unread == nil || !strings.Contains(unread.Error(), x.cause) || !strings.Contains(unread.Error(), "never an instruction") {
			t.Errorf("%s: the resource says %v", x.dsn, unread)
		}
		if strings.Contains(o.stderr+fmt.Sprint(e, unread)+string(doc), password) {
			t.Errorf("%s: the password is shown:\n%s\n%v\n%s\n%v", x.dsn, o.stderr, e, doc, unread)
		}
		served := p.served()
		if o := served.run("schema", "orders"); !strings.Contains(o.stderr, api.InServerLog) || strings.Contains(o.stderr, x.cause) {
			t.Errorf("%s, over HTTP: %s", x.dsn, o.stderr)
		}
		if _, err := served.mcp().ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "da://schema/orders"}); err == nil || strings.Contains(err.Error(), x.cause) {
			t.Errorf("%s, over HTTP: the resource says %v", x.dsn, err)
		}
	}
}

// TestUnsearchedColumnsLeadSomewhere holds that a search which did not see the
// columns says what helps where it runs.
func TestUnsearchedColumnsLeadSomewhere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	instance := "sources:\n  main: { type: mariadb, dsn: 'reader@tcp(127.0.0.1:1)/crm' }\ntables:\n  - { id: orders, source: main, relation: orders, public: true }\n"
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(instance), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := p.run("catalog", "--search", "nosuch"); !strings.Contains(o.stderr, "were not searched") || strings.Contains(o.stderr, "makes them known") {
		t.Errorf("embedded: %s", o.stderr)
	}
	if o := p.served().run("catalog", "--search", "nosuch"); !strings.Contains(o.stderr, "makes them known") {
		t.Errorf("over HTTP: %s", o.stderr)
	}
	m := p.mcp()
	if doc, _ := m.call("catalog_search", `{"query":"nosuch"}`); !strings.Contains(string(doc), `"next":{"tool":"catalog_search","arguments":{}`) {
		t.Errorf("the tool leads nowhere: %s", doc)
	}
	if doc, _ := m.call("catalog_search", `{"query":"orders"}`); strings.Contains(string(doc), `"next":{"tool":"catalog_search"`) {
		t.Errorf("what was found leads back: %s", doc)
	}
}
