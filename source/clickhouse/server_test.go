package clickhouse

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/chtest"
	"github.com/agnes-data/da/source"
)

// bare opens a source whose statements an old server understands.
func bare(t testing.TB, dsn string) *ClickHouse {
	t.Helper()
	c := open(t, dsn)
	c.fixed = nil
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// whole runs a statement to its end.
func whole(ctx context.Context, c *ClickHouse, statement string) (string, error) {
	a, err := c.ask(ctx, statement, "TSV")
	if err != nil {
		return "", err
	}
	defer a.stop()
	text, err := io.ReadAll(a.Body)
	if err == nil {
		a.end()
	}
	return strings.TrimSpace(string(text)), err
}

// TestStopped holds that what is cancelled, or takes too long, ends in the engine.
func TestStopped(t *testing.T) {
	server := chtest.NewServer(t)
	c := bare(t, server.DSN("reader:", ""))
	running := func() string {
		t.Helper()
		n, err := server.Query("SELECT count() FROM system.processes WHERE query NOT LIKE '%system.processes%'")
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(n)
	}
	awaits := func(what, want string) {
		t.Helper()
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for end := time.Now().Add(time.Minute); running() != want; <-tick.C {
			if time.Now().After(end) {
				t.Fatalf("%s: %s statements run, not %s", what, running(), want)
			}
		}
	}
	for what, statement := range map[string]string{
		"without a first row": "SELECT count() FROM system.numbers WHERE number < 0", "with rows": "SELECT number FROM system.numbers",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			a, err := c.ask(ctx, statement, "TSV")
			if err == nil {
				<-ctx.Done() // the rest waits in the engine
				a.stop()
			}
			ended <- err
		}()
		awaits(what, "1")
		cancel()
		awaits(what+", cancelled", "0")
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Released while it runs, in the middle of its rows.
	a, err := c.ask(t.Context(), "SELECT number FROM system.numbers", "TSV")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, a.Body, 1<<20); err != nil {
		t.Fatal(err)
	}
	a.stop()
	awaits("released", "0")
	// Too slow: the engine's own error comes behind rows, in a body that ends as it should.
	slow := bare(t, server.DSN("", "max_execution_time=1&max_block_size=1000"))
	a, err = slow.ask(t.Context(), "SELECT number, sleep(0.1) FROM system.numbers", "TSV")
	if err == nil {
		defer a.stop()
		_, err = io.Copy(io.Discard, a.Body)
		err = a.because(err)
	}
	if err = failure(t.Context(), err, true); !api.CodeTimeout.Is(err) {
		t.Errorf("a slow statement: %v", err)
	}
	awaits("too slow", "0")
}

// TestReadOnly holds that no statement of ours can write, whoever the user is.
func TestReadOnly(t *testing.T) {
	server := chtest.NewServer(t)
	if _, err := server.Query("CREATE TABLE kept (n UInt8) ENGINE = Memory"); err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"", "writer:right", "reader:"} {
		c := bare(t, server.DSN(user, "max_block_size=1000"))
		for _, statement := range []string{"INSERT INTO kept VALUES (1)", "DROP TABLE kept", "CREATE TABLE more (n UInt8) ENGINE = Memory", "SET max_threads = 1", "SYSTEM FLUSH DISTRIBUTED kept"} {
			if _, err := whole(t.Context(), c, statement); err == nil && user != "reader:" || err == nil && !strings.HasPrefix(statement, "SET") {
				t.Errorf("%q: %s ran", user, statement)
			}
		}
		if got, err := whole(t.Context(), c, "SELECT count() FROM kept"); err != nil || got != "0" {
			t.Errorf("%q: %s rows, %v", user, got, err)
		}
	}
	_, err := whole(t.Context(), bare(t, server.DSN("locked:", "")), "SELECT 1")
	if err = failure(t.Context(), err, true); !api.CodeSource.Is(err) || !strings.Contains(err.Error(), "readonly = 1") {
		t.Errorf("a user that may set nothing: %v", err)
	}
}

// TestRefused holds what an operator is told of a wrong password, and of a server that
// is too old, and that a secret is told to nobody.
func TestRefused(t *testing.T) {
	server := chtest.NewServer(t)
	for dsn, kind := range map[string]string{server.DSN("writer:wrong-secret", ""): api.KindBadCredentials, server.DSN("writer:right", ""): api.KindUnsupportedServer} {
		c := open(t, dsn)
		_, schema := c.Schema(t.Context(), source.Relation{Name: "kept"})
		_, scan := c.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "kept"}, Select: []string{"n"}})
		for what, err := range map[string]error{"probe": c.Probe(t.Context()), "schema": schema, "scan": scan} {
			var e *api.Error
			if !errors.As(err, &e) || e.Code != api.CodeSource || e.Kind != kind {
				t.Errorf("%s: %#v, want %s", what, err, kind)
				continue
			}
			for err := error(e); err != nil; err = errors.Unwrap(err) {
				if strings.Contains(err.Error()+e.Hint, "secret") {
					t.Errorf("%s: the error holds the secret", what)
				}
			}
		}
	}
}
