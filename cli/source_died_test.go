package cli

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/testing/chtest"
	"github.com/agnes-data/da/internal/testing/sparktest"
)

// killedWithin is an address that leads to a server. After the server has answered with some
// bytes of one connection, kill is called before any more of them pass.
func killedWithin(t *testing.T, server string, some int64, kill func()) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var once sync.Once
	pass := func(client net.Conn) {
		defer client.Close()
		up, err := net.Dial("tcp", server)
		if err != nil {
			return
		}
		defer up.Close()
		go func() { _, _ = io.Copy(up, client) }()
		if n, _ := io.CopyN(client, up, some); n == some {
			once.Do(kill)
			_, _ = io.Copy(client, up)
		}
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go pass(client)
		}
	}()
	return l.Addr().String()
}

// TestAnEngineThatDiesInAFetch leaves the old snapshot as it is and keeps nothing of the new
// rows; the exit code says that the source failed, and the error what to do.
func TestAnEngineThatDiesInAFetch(t *testing.T) {
	t.Parallel()
	const within = 2_000_000 // of 300 MB
	for name, start := range map[string]func(t *testing.T, killed func()) string{
		"clickhouse": func(t *testing.T, killed func()) string {
			engine := chtest.NewEngine(t)
			if err := engine.Exec("CREATE DATABASE d", "CREATE TABLE d.long ENGINE = MergeTree ORDER BY n AS SELECT toInt64(number) AS n, rightPad(toString(number), 100, 'x') AS pad FROM numbers(3000000)"); err != nil {
				t.Fatal(err)
			}
			server := strings.TrimPrefix(engine.DSN("", ""), "http://")
			server, _, _ = strings.Cut(server, "/")
			return "type: clickhouse, dsn: 'http://" + killedWithin(t, server, within, func() { engine.Kill(); killed() }) + "/d'"
		},
		"spark": func(t *testing.T, killed func()) string {
			server := sparktest.Sail(t)
			if err := server.Exec(t.Context(), "CREATE TABLE long USING parquet AS SELECT id AS n, rpad(id, 100, 'x') AS pad FROM range(3000000)"); err != nil {
				t.Fatal(err)
			}
			return "type: spark, uri: '" + strings.Replace(server.URI(), server.Address, killedWithin(t, server.Address, within, func() { server.Kill(); killed() }), 1) + "'"
		},
	} {
		for _, door := range []string{"fetch", "query"} {
			t.Run(name+"/"+door, func(t *testing.T) {
				p := newPlace(t)
				var dead atomic.Bool
				instance := "sources:\n  main: { " + start(t, func() { dead.Store(true) }) + " }\ntables:\n  - { id: long, source: main, relation: long }\n"
				if err := os.WriteFile(p.dir+"/instance.yaml", []byte(instance), 0o600); err != nil {
					t.Fatal(err)
				}
				p.ok("fetch", "long", "--where", "n < 10", "--as", "kept")
				said := p.run("fetch", "long", "--as", "kept", "--force", "--no-estimate", "--json")
				if door == "query" {
					said = p.run("query", "--fetch", "SELECT count(DISTINCT pad) FROM long", "--json")
				}
				var failed struct {
					Error struct{ Code, Message, Hint string }
				}
				if err := json.Unmarshal([]byte(said.stdout+said.stderr), &failed); err != nil || !dead.Load() || said.code != exit.Server || failed.Error.Hint == "" {
					t.Errorf("dead: %t, exit %d: %+v\n%s%s", dead.Load(), said.code, failed, said.stdout, said.stderr)
				}
				if rows := p.ok("query", "SELECT count(*) AS n FROM kept", "-o", "csv"); rows != "n\n10\n" {
					t.Errorf("the snapshot has %q", rows)
				}
				if parts := p.ok("snapshot", "list", "--parts", "--json"); strings.Contains(parts, `"long"`) {
					t.Errorf("parts are kept: %s", parts)
				}
			})
		}
	}
}
