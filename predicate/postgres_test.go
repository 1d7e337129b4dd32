package predicate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// pgEngine is a PostgreSQL of the test's own.
type pgEngine struct{ conn *pgx.Conn }

// openPostgres starts a private cluster from the installed binaries, on a
// socket in a temporary folder. Where PostgreSQL is not installed the test is
// skipped, but not in CI.
func openPostgres(t *testing.T) *pgEngine {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("PostgreSQL is not installed: CI must prove its dialect")
		}
		t.Skip("SKIPPED: PostgreSQL is not installed, nothing about its dialect was proven (apt-get install postgresql)")
	}
	bin := filepath.Dir(found[len(found)-1])
	dir, err := os.MkdirTemp("", "da-pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := unprivileged(t, dir)
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
		cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"}
		return cmd
	}
	// A locale whose order of texts is not that of their bytes, as most
	// databases have.
	out, err := run("initdb", "-D", dir+"/data", "-U", "da", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
		"--locale-provider=icu", "--icu-locale=en-US", "--no-sync").CombinedOutput()
	if err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	server := run("postgres", "-D", dir+"/data", "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "timezone=UTC",
		"-c", "shared_buffers=16MB", "-c", "autovacuum=off", "-c", "log_min_messages=fatal")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Signal(syscall.SIGINT)
		server.Wait()
	})
	conn := connect(t, fmt.Sprintf("host=%s user=da dbname=postgres", dir))
	sql, err := os.ReadFile(filepath.Join("testdata", "orders.postgres.sql"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(context.Background(), string(sql)); err != nil {
		t.Fatal(err)
	}
	return &pgEngine{conn}
}

// unprivileged gives the folder to a user that PostgreSQL is willing to run as.
func unprivileged(t *testing.T, dir string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	t.Fatal("no user to run PostgreSQL as: it refuses to run as root")
	return nil
}

// connect waits until the server takes connections.
func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, dsn)
		if err == nil {
			t.Cleanup(func() { conn.Close(context.Background()) })
			return conn
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("PostgreSQL does not start: %v", err)
		}
	}
}

func (e *pgEngine) scalar(sql string) (string, error) {
	var text *string
	err := e.conn.QueryRow(context.Background(), sql, pgx.QueryExecModeSimpleProtocol).Scan(&text)
	if err != nil || text == nil {
		return "", err
	}
	return *text, nil
}

func (e *pgEngine) rows(where string) (string, error) { return e.scalar(selectRows + where) }

// refusedByPostgres tells a statement that was refused (class 42) from one
// that failed while it ran.
func refusedByPostgres(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && strings.HasPrefix(e.Code, "42")
}

func TestPostgres(t *testing.T) {
	pg := openPostgres(t)
	s := corpusSchema(t, Postgres)
	t.Run("corpus", func(t *testing.T) {
		for _, where := range corpus(t, Postgres) {
			if !sameRows(t, Postgres, s, pg, where) {
				t.Errorf("refused: %s", where)
			}
		}
	})
	t.Run("random predicates", func(t *testing.T) {
		g := newGenerator(Postgres, s, 2)
		n, accepted := campaign(t, 800), 0
		for range n {
			if sameRows(t, Postgres, s, pg, g.predicate(2)) {
				accepted++
			}
		}
		t.Logf("%d of %d predicates accepted", accepted, n)
		if accepted < n/4 {
			t.Errorf("only %d of %d random predicates were accepted: the generator proves too little", accepted, n)
		}
	})
	duck := openDuck(t)
	t.Run("facts of GoogleSQL", func(t *testing.T) { factsHold(t, Postgres, pg, len(googleFacts)-8) })
	crossBoth(t, duck, pg)
	operationsBothWays(t, duck, pg)
}
