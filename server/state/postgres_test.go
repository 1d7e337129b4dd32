package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/pgtest"
)

// TestClocksOfServersDoNotMatter has two servers whose clocks differ by two minutes:
// leases and days are those of the database.
func TestClocksOfServersDoNotMatter(t *testing.T) {
	ctx, at := t.Context(), place{t.TempDir(), pgtest.Shared(t).DSN("")}
	open := func(skew time.Duration) *Store {
		s, err := Open(at.dir, InPostgres(at.dsn))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		s.db.(*postgres).local = func() time.Time { return time.Now().Add(skew) }
		if err := s.Bury(ctx); err != nil {
			t.Fatal(err)
		}
		return s
	}
	slow, fast := open(-time.Minute), open(time.Minute)
	l, err := slow.Reserve(ctx, demand("ann", "r1", 10))
	if err != nil {
		t.Fatal(err)
	}
	if err := fast.Bury(ctx); err != nil {
		t.Fatal(err)
	}
	if q, err := fast.Quota(ctx, "ann", Limits{}); err != nil || q.Running != 1 {
		t.Errorf("a lease of a server whose clock is slow: %+v, %v", q, err)
	}
	if err := slow.Settle(ctx, l, event("ann", "r1", 10)); err != nil {
		t.Fatal(err)
	}
	if apart := fast.now().Sub(slow.now()).Abs(); apart > 30*time.Second {
		t.Errorf("the servers' times are %s apart", apart)
	}
	made, err := slow.CreateToken(ctx, api.NewToken{User: newUser(t, slow), ExpiresSeconds: 60})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fast.Authenticate(ctx, made.Secret); err != nil {
		t.Errorf("a token of a server whose clock is slow: %v", err)
	}
}

func newUser(t *testing.T, s *Store) string {
	t.Helper()
	u, err := s.CreateUser(t.Context(), api.NewUser{Name: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	return u.Name
}

// TestServersThatStartTogether has one make the schema and the first admin while the
// others wait.
func TestServersThatStartTogether(t *testing.T) {
	at := place{t.TempDir(), pgtest.Shared(t).DSN("")}
	var all sync.WaitGroup
	secrets := make(chan string, 8)
	for range cap(secrets) {
		all.Go(func() {
			s, err := Open(at.dir, InPostgres(at.dsn))
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			secret, err := s.Bootstrap(context.Background())
			if err != nil {
				t.Error(err)
			}
			if secret != "" {
				secrets <- secret
			}
		})
	}
	all.Wait()
	if len(secrets) != 1 {
		t.Errorf("%d first tokens", len(secrets))
	}
}

// TestLimitsHoldAmongServers has many requests of one user begin at the same time on
// several servers: no more are let in than the limits allow.
func TestLimitsHoldAmongServers(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		var stores []*Store
		for range 3 {
			stores = append(stores, at.open(t, c))
		}
		var all sync.WaitGroup
		refused := make(chan string, 60)
		for i := range cap(refused) {
			all.Go(func() {
				_, err := stores[i%3].Reserve(ctx, Demand{Subject: "ann", ResultBytes: 100, MaxDaily: 1000, MaxRunning: 7, Session: "talk", SessionBytes: 100, SessionBudget: 500, Event: event("ann", fmt.Sprint(i), -1)})
				if err != nil {
					refused <- kindOf(err)
				}
			})
		}
		all.Wait()
		if len(refused) != 55 {
			t.Errorf("%d of 60 were refused", len(refused))
		}
		close(refused)
		for kind := range refused {
			if kind != "budget_exceeded/session_bytes" {
				t.Error(kind)
			}
		}
	})
}

func TestAPostgresStateThatCannotBeUsed(t *testing.T) {
	db := pgtest.Shared(t)
	if out, err := db.Command("psql", "-qc", "CREATE ROLE reader LOGIN; CREATE ROLE "+pgtest.Guarded+" LOGIN PASSWORD 'right'").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	at := func(user, more string) string {
		return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s", user, db.Cluster.Port, more)
	}
	newer := at("da", db.Name)
	for _, c := range []struct{ name, dsn, want string }{
		{"no DSN", "postgres://da:" + "geheim@host:port/", "not the address"},
		{"nobody listens", "postgres://da:" + "geheim@127.0.0.1:1/x", "connection refused"},
		{"no such database", at("da", "none"), "createdb"},
		{"a wrong password", at(pgtest.Guarded+":geheim", db.Name), "state_env"},
		{"no right to create", at("reader", db.Name), "GRANT CREATE"},
		{"a state that is used", newer, ""},
		{"a newer state", newer, "newer release"},
	} {
		s, err := Open(t.TempDir(), InPostgres(c.dsn))
		if c.want == "" {
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.asking(t.Context()).Exec("UPDATE schema_version SET version = 99"); err != nil {
				t.Fatal(err)
			}
			_ = s.Close()
			continue
		}
		text := fmt.Sprintf("%v %+v", err, err)
		if e := (*api.Error)(nil); errors.As(err, &e) {
			text += e.Hint
		}
		if kindOf(err) != "config/" || !strings.Contains(text, c.want) || strings.Contains(text, "geheim") {
			t.Errorf("%s: %s", c.name, text)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(databaseIn(dir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, InPostgres(at("da", db.Name))); kindOf(err) != "config/" || !strings.Contains(err.Error(), "there is a state in") {
		t.Errorf("a state of SQLite that was not moved: %v", err)
	}
}

// TestTheDatabaseGoesAndComesBack holds that requests meanwhile can be tried again.
func TestTheDatabaseGoesAndComesBack(t *testing.T) {
	cluster := pgtest.New(t, pgtest.Options{})
	s, err := Open(t.TempDir(), InPostgres(cluster.DSN("")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := cluster.Kill(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := s.Append(t.Context(), event("ann", "r", 1)); kindOf(err) != "unavailable/state" {
			t.Errorf("a change: %v", err)
		}
		if err := s.Ready(t.Context()); kindOf(err) != "unavailable/state" {
			t.Errorf("whether it is ready: %v", err)
		}
		if _, err := s.Users(t.Context()); kindOf(err) != "unavailable/state" {
			t.Errorf("a question: %v", err)
		}
		if _, err := s.Authenticate(t.Context(), "da_x"); kindOf(err) != "unavailable/state" {
			t.Errorf("a token: %v", err)
		}
	}
	if err := cluster.Restart(); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), event("ann", "r", 1)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("afterwards it is not ready: %v", err)
	}
}

// TestTextsThatNobodyCanStore come from requests, and are no errors.
func TestTextsThatNobodyCanStore(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		s := at.open(t, newClock())
		e := event("ann", "a\x00b\xff", 1)
		e.TableID, e.Data.Tables = "", []string{"orders", "x\x00"}
		if err := s.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if _, err := s.SignInAs(t.Context(), newUser(t, s), "Browser\xff\x00"); err != nil {
			t.Error(err)
		}
		for table, want := range map[string]int{"orders": 1, "order": 0, "ok": 0, "x\x00": 1, "": 1} { // ok is the status
			events, err := s.Audit(t.Context(), api.AuditQuery{TableID: table})
			if err != nil || len(events) != want {
				t.Errorf("%q: %v, %v", table, events, err)
			}
		}
		// A status is known in the data, whatever else is written there; and all events come in parts.
		e.Data.Status, e.Data.Subject, e.TableID = api.StatusStopped, `"status":"error"`, "orders"
		for range 3 {
			if err := s.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		var found []int
		for q := (api.AuditQuery{Status: api.StatusStopped, TableID: "orders", Limit: 2}); ; {
			events, err := s.Audit(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if found = append(found, len(events)); len(events) == 0 {
				break
			}
			q.Before = events[0].ID
		}
		if _, err := s.Audit(t.Context(), api.AuditQuery{Status: "ok,failed"}); !api.CodeBadRequest.Is(err) {
			t.Errorf("an unknown status: %v", err)
		}
		if none, err := s.Audit(t.Context(), api.AuditQuery{Status: api.StatusError}); err != nil || len(none) != 0 || !slices.Equal(found, []int{2, 1, 0}) {
			t.Errorf("in parts %v, of another status %v, %v", found, none, err)
		}
	})
}
