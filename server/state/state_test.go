package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/pgtest"
)

// clock is a time that tests set.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func newClock() *clock { return &clock{t: time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)} }

func TestMain(m *testing.M) { pgtest.Main(m) }

// place is where a state is: in a folder, or in PostgreSQL if it has a DSN.
type place struct{ dir, dsn string }

// onBoth runs a test on a state of each kind.
func onBoth(t *testing.T, test func(*testing.T, place)) {
	t.Run("sqlite", func(t *testing.T) { test(t, place{dir: t.TempDir()}) })
	t.Run("postgres", func(t *testing.T) { test(t, place{t.TempDir(), pgtest.Shared(t).DSN("")}) })
}

// open opens the state as a server does that tells the time of c.
func (p place) open(t *testing.T, c *clock) *Store {
	t.Helper()
	s, err := Open(p.dir, WithClock(c.now), InPostgres(p.dsn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func openTest(t *testing.T, dir string, c *clock) *Store {
	t.Helper()
	s, err := Open(dir, WithClock(c.now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// kindOf is the code and kind of an error.
func kindOf(err error) string {
	var e *api.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return string(e.Code) + "/" + e.Kind
}

func event(user, request string, bytes int64) api.AuditEvent {
	e := api.AuditEvent{User: user, RequestID: request, EventType: api.EventScan, Data: api.AuditData{Status: api.StatusOK}}
	if bytes >= 0 {
		e.Data.ResultBytes = &bytes
	}
	return e
}

func demand(user, request string, bytes int64) Demand {
	return Demand{Subject: user, ResultBytes: bytes, MaxRunning: 2, MaxDaily: 1000, Event: event(user, request, -1)}
}

func TestQuotasAreSharedAndSurvive(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		one, two := at.open(t, c), at.open(t, c)
		a, err := one.Reserve(ctx, demand("ann", "r1", 400))
		if err != nil {
			t.Fatal(err)
		}
		b, err := two.Reserve(ctx, demand("ann", "r2", 400))
		if err != nil {
			t.Fatal(err)
		}
		_, err = one.Reserve(ctx, demand("ann", "r3", 1))
		var e *api.Error
		if kindOf(err) != "quota_exceeded/concurrent_scans" || !errors.As(err, &e) || e.Details["current"] != int64(2) || e.Details["limit"] != int64(2) || e.Details["retry_after_seconds"] != int64(1) {
			t.Errorf("a third request: %v", err)
		}
		if _, err := two.Reserve(ctx, demand("bob", "r4", 1000)); err != nil {
			t.Errorf("another user: %v", err)
		}
		if err := one.Settle(ctx, a, event("ann", "r1", 350)); err != nil {
			t.Fatal(err)
		}
		_, err = one.Reserve(ctx, demand("ann", "r5", 251)) // 350 used, 400 held
		if kindOf(err) != "quota_exceeded/daily_bytes" || !errors.As(err, &e) || e.Details["retry_after_seconds"] != int64(3600) {
			t.Errorf("more than is left: %v", err)
		}
		// What was delivered beyond what was held counts all the same.
		if err := two.Settle(ctx, b, event("ann", "r2", 700)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(one.Close(), two.Close()); err != nil {
			t.Fatal(err)
		}
		three := at.open(t, c)
		if _, err := three.Reserve(ctx, demand("ann", "r6", 1)); kindOf(err) != "quota_exceeded/daily_bytes" {
			t.Errorf("after a restart: %v", err)
		}
		q, err := three.Quota(ctx, "ann", Limits{Daily: 1000, Running: 2})
		if err != nil || q.ResultBytes != 1050 || *q.Remaining.QuotaBytes != 0 || q.Running != 0 || q.Day != "2026-03-01" {
			t.Errorf("%+v, %v", q, err)
		}
		c.add(time.Hour) // midnight
		if _, err := three.Reserve(ctx, demand("ann", "r7", 1000)); err != nil {
			t.Errorf("the next day: %v", err)
		}
	})
}

// TestQuotasOfTheirOwn: a user's own counts, or else the highest of their groups', or else
// everybody's, and that it is another one counts at once.
func TestQuotasOfTheirOwn(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		s := at.open(t, c)
		_, err := s.CreateUser(ctx, api.NewUser{Name: "ann"})
		for _, g := range []string{"low", "high"} {
			_, groupErr := s.CreateGroup(ctx, api.NewGroup{Name: g})
			err = errors.Join(err, groupErr, s.AddMember(ctx, g, "ann"))
		}
		if err != nil {
			t.Fatal(err)
		}
		everybody := Limits{Daily: 1000, Running: 2}
		limits := func() string {
			t.Helper()
			q, err := s.Quota(ctx, "ann", everybody)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(*q.DailyBytesLimit, *q.RunningLimit)
		}
		n := func(n int64) *int64 { return &n }
		for _, step := range []struct {
			set  api.QuotaRule
			want string
		}{
			{api.QuotaRule{Group: "low", DailyBytes: n(10), Running: n(1)}, "10 1"}, {api.QuotaRule{Group: "high", DailyBytes: n(5000)}, "5000 1"},
			{api.QuotaRule{User: "Ann", DailyBytes: n(0)}, "1 1"}, {api.QuotaRule{User: "ann", Running: n(7)}, "5000 7"},
			{api.QuotaRule{User: "ann"}, "5000 1"}, {api.QuotaRule{Group: "low"}, "5000 2"},
		} {
			if err := s.SetQuota(ctx, step.set); err != nil {
				t.Fatal(err)
			}
			if got := limits(); got != step.want {
				t.Errorf("after %+v: %s, want %s", step.set, got, step.want)
			}
		}
		if l, err := s.Reserve(ctx, demand("ann", "r1", 4000)); err != nil || s.Settle(ctx, l, event("ann", "r1", 4000)) != nil {
			t.Errorf("more than everybody may: %v", err)
		}
		if err := s.SetQuota(ctx, api.QuotaRule{User: "ann", DailyBytes: n(4100)}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Reserve(ctx, demand("ann", "r2", 200)); kindOf(err) != "quota_exceeded/daily_bytes" {
			t.Errorf("more than ann may: %v", err)
		}
		if q, err := s.Quota(ctx, "ann", Limits{}); err != nil || q.DailyBytesLimit != nil || q.RunningLimit != nil {
			t.Errorf("where nothing is limited: %+v %v", q, err)
		}
		for _, wrong := range []api.QuotaRule{{}, {User: "ann", Group: "low"}, {User: "nobody", Running: n(1)}, {User: "ann", Running: n(0)}} {
			if err := s.SetQuota(ctx, wrong); err == nil {
				t.Errorf("%+v is set", wrong)
			}
		}
		if all, err := s.QuotaRules(ctx); err != nil || len(all) != 2 || all[0].Group != "high" || all[1].User != "ann" {
			t.Errorf("%+v %v", all, err)
		}
	})
}

func TestLeasesOfTheDeadRunOut(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		dead, alive := at.open(t, c), at.open(t, c)
		a, err := dead.Reserve(ctx, demand("ann", "r1", 600))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := a.Deliver(ctx, 250); err != nil {
			t.Fatal(err)
		}
		if err := dead.Renew(ctx); err != nil {
			t.Fatal(err)
		}
		b, err := alive.Reserve(ctx, demand("ann", "r2", 300))
		if err != nil {
			t.Fatal(err)
		}
		c.add(LeaseTime - time.Second)
		if err := alive.Renew(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := alive.Reserve(ctx, demand("ann", "r3", 1)); kindOf(err) != "quota_exceeded/concurrent_scans" {
			t.Errorf("before the lease has run out: %v", err)
		}
		c.add(2 * time.Second)
		d, err := alive.Reserve(ctx, demand("ann", "r4", 400))
		if err != nil {
			t.Fatalf("after it: %v", err)
		}
		q, err := alive.Quota(ctx, "ann", Limits{Daily: 1000})
		if err != nil || q.ResultBytes != 250 || q.ReservedBytes != 700 || q.Running != 2 {
			t.Errorf("%+v, %v", q, err)
		}
		// It was not dead after all, only slow: the rest is charged, nothing twice.
		if err := dead.Settle(ctx, a, event("ann", "r1", 600)); err != nil {
			t.Fatal(err)
		}
		for _, l := range []*Lease{b, d} {
			if err := alive.Settle(ctx, l, event("ann", "r", 0)); err != nil {
				t.Fatal(err)
			}
		}
		q, err = alive.Quota(ctx, "ann", Limits{})
		if err != nil || q.ResultBytes != 600 || q.ReservedBytes != 0 {
			t.Errorf("%+v, %v", q, err)
		}
		events, err := alive.Audit(ctx, api.AuditQuery{User: "ann"})
		sum := int64(0)
		for _, e := range events {
			sum += value(e.Data.ResultBytes)
		}
		if err != nil || sum != q.ResultBytes || events[0].Data.Status != api.StatusError {
			t.Errorf("the audit sums to %d: %+v, %v", sum, events, err)
		}
	})
}

// TestDeadServersAreSettledUnasked has two servers on one state. One dies with
// two requests, of which one has noted what it had delivered as it went; the
// other one charges that without a request, and says when slots are free.
func TestDeadServersAreSettledUnasked(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		dead, alive := at.open(t, c), at.open(t, c)
		large := demand("ann", "r1", 0)
		large.ResultBytes, large.MaxDaily, large.Session, large.SessionBudget, large.SessionByResult, large.Grows = 1<<40, 1<<40, "talk", 1<<40, true, true
		a, err := dead.Reserve(ctx, large)
		if err != nil {
			t.Fatal(err)
		}
		const total = 100 << 20
		for done := int64(1 << 20); done <= total; done += 1 << 20 {
			if allowed, _, err := a.Deliver(ctx, done); err != nil || allowed != done {
				t.Fatal(allowed, err)
			}
		}
		small := demand("ann", "r2", 10)
		small.MaxDaily = 1 << 40
		if _, err := dead.Reserve(ctx, small); err != nil {
			t.Fatal(err)
		}
		c.add(20 * time.Second) // without a renewal
		_, err = alive.Reserve(ctx, small)
		var e *api.Error
		if kindOf(err) != "quota_exceeded/concurrent_scans" || !errors.As(err, &e) || e.Details["retry_after_seconds"] != int64(LeaseTime/time.Second)-20 {
			t.Errorf("while the dead one's slots are held: %v, %+v", err, e)
		}
		c.add(LeaseTime)
		if err := alive.Bury(ctx); err != nil {
			t.Fatal(err)
		}
		q, err := alive.Quota(ctx, "ann", Limits{Daily: 1 << 40, Session: "talk", SessionBudget: 1 << 40})
		if err != nil || q.ResultBytes > total || q.ResultBytes < total-8<<20 || q.Running != 0 || q.ReservedBytes != 0 || *q.Remaining.SessionBytes != 1<<40-q.ResultBytes {
			t.Errorf("%+v, %v", q, err)
		}
		events, err := alive.Audit(ctx, api.AuditQuery{User: "ann"})
		if err != nil || len(events) != 2 || value(events[0].Data.ResultBytes)+value(events[1].Data.ResultBytes) != q.ResultBytes {
			t.Errorf("%+v, %v", events, err)
		}
	})
}

// TestLeasesGrow has requests of an unknown size share what is left of a day:
// each holds little, together they get all of it and no byte more.
func TestLeasesGrow(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		s := at.open(t, c)
		const daily = 20 << 20
		unknown := func(request string) Demand {
			return Demand{Subject: "ann", ResultBytes: 2 << 30, Grows: true, MaxDaily: daily, Event: event("ann", request, -1)}
		}
		a, err := s.Reserve(ctx, unknown("r1"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.Reserve(ctx, unknown("r2"))
		if err != nil {
			t.Fatal(err)
		}
		if allowed, reached, err := a.Deliver(ctx, 10<<20); allowed != 10<<20 || reached != "" || err != nil {
			t.Errorf("%d, %s, %v", allowed, reached, err)
		}
		allowed, reached, err := a.Deliver(ctx, 15<<20) // b holds 8 MB
		if allowed != 12<<20 || reached != CapDaily || err != nil {
			t.Errorf("%d, %s, %v", allowed, reached, err)
		}
		if _, err := s.Reserve(ctx, unknown("r3")); kindOf(err) != "quota_exceeded/daily_bytes" {
			t.Errorf("with nothing left: %v", err)
		}
		for l, bytes := range map[*Lease]int64{a: allowed, b: 100} {
			if err := s.Settle(ctx, l, event("ann", l.demand.Event.RequestID, bytes)); err != nil {
				t.Fatal(err)
			}
		}
		d, err := s.Reserve(ctx, unknown("r4"))
		if err != nil {
			t.Fatal(err)
		}
		if allowed, reached, err := d.Deliver(ctx, 1<<30); allowed != daily-12<<20-100 || reached != CapDaily || err != nil {
			t.Errorf("what was not used: %d, %s, %v", allowed, reached, err)
		}
	})
}

func TestSessionBudgets(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		s := at.open(t, c)
		with := func(session string, bytes int64) Demand {
			return Demand{Subject: "ann", Session: session, SessionBytes: bytes, SessionBudget: 100, Event: event("ann", "r", -1)}
		}
		a, err := s.Reserve(ctx, with("talk", 60))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Reserve(ctx, with("talk", 50)); kindOf(err) != "budget_exceeded/session_bytes" {
			t.Errorf("what is held does not count: %v", err)
		}
		if _, err := s.Reserve(ctx, with("other", 100)); err != nil {
			t.Errorf("another session: %v", err)
		}
		if err := s.Settle(ctx, a, event("ann", "r", 5)); err != nil {
			t.Fatal(err)
		}
		q, err := s.Quota(ctx, "ann", Limits{Session: "talk", SessionBudget: 100})
		if err != nil || *q.Remaining.SessionBytes != 40 || q.Remaining.QuotaBytes != nil {
			t.Errorf("%+v, %v", q, err)
		}
		c.add(48 * time.Hour) // conversations have no midnight
		if _, err := s.Reserve(ctx, with("talk", 41)); kindOf(err) != "budget_exceeded/session_bytes" {
			t.Errorf("two days later: %v", err)
		}
	})
}

func TestTokens(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		s := at.open(t, c)
		secret, err := s.Bootstrap(ctx)
		if err != nil || !strings.HasPrefix(secret, "da_") || len(secret) < 46 {
			t.Fatal(secret, err)
		}
		if again, err := s.Bootstrap(ctx); again != "" || err != nil {
			t.Errorf("a second first token: %q, %v", again, err)
		}
		b, err := s.Authenticate(ctx, secret)
		if err != nil || b.User != "admin" || !b.Admin {
			t.Errorf("%+v, %v", b, err)
		}
		if _, err := s.CreateToken(ctx, api.NewToken{User: "nobody"}); kindOf(err) != "bad_request/unknown_user" {
			t.Error(err)
		}
		if _, err := s.CreateUser(ctx, api.NewUser{Name: "Ann@Example.com"}); err != nil {
			t.Fatal(err)
		}
		for name, kind := range map[string]string{"ann@example.com": "user_exists", "": "bad_name", "a b": "bad_name", "-x": "bad_name", strings.Repeat("a", 129): "bad_name"} {
			if _, err := s.CreateUser(ctx, api.NewUser{Name: name}); kindOf(err) != "bad_request/"+kind {
				t.Errorf("%q: %v", name, err)
			}
		}
		made, err := s.CreateToken(ctx, api.NewToken{User: "ANN@example.com", ExpiresSeconds: 100})
		if err != nil || made.User != "ann@example.com" || !strings.HasPrefix(made.Secret, made.Prefix) || len(made.Prefix) > 10 {
			t.Fatal(made, err)
		}
		for _, wrong := range []string{"", "da_", made.Prefix, made.Secret + "x", made.Secret[:len(made.Secret)-1], made.ID} {
			if _, err := s.Authenticate(ctx, wrong); kindOf(err) != "unauthorized/token_unknown" {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		if b, err := s.Authenticate(ctx, made.Secret); err != nil || b.Admin || b.User != "ann@example.com" {
			t.Errorf("%+v, %v", b, err)
		}
		tokens, err := s.Tokens(ctx, "ann@example.com")
		if err != nil || len(tokens) != 1 || tokens[0].LastUsedAt == nil || tokens[0].RevokedAt != nil {
			t.Errorf("%+v, %v", tokens, err)
		}
		c.add(100 * time.Second)
		if _, err := s.Authenticate(ctx, made.Secret); kindOf(err) != "unauthorized/token_expired" {
			t.Error(err)
		}
		// Nothing on disk is the secret.
		if at.dsn != "" {
			return
		}
		for _, file := range []string{"state.db", "state.db-wal"} {
			data, err := os.ReadFile(filepath.Join(at.dir, file))
			if err != nil || strings.Contains(string(data), secret) || strings.Contains(string(data), made.Secret) {
				t.Errorf("%s holds a secret, %v", file, err)
			}
			if info, err := os.Stat(filepath.Join(at.dir, file)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", file, info.Mode(), err)
			}
		}
	})
}

// TestVersionsFollowRights: who keeps rights sees by the versions that they are others,
// also those that another process has changed, and nothing else changes them.
func TestVersionsFollowRights(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, s, reader := t.Context(), at.open(t, newClock()), at.open(t, newClock())
		var grant *api.Grant
		tables, grants := "tables", "grants"
		for _, step := range []struct {
			changes string
			do      func() error
		}{
			{"", func() error { _, err := s.CreateUser(ctx, api.NewUser{Name: "ann"}); return err }},
			{"", func() error { _, err := s.CreateToken(ctx, api.NewToken{User: "ann"}); return err }},
			{"", func() error { _, err := s.CreateGroup(ctx, api.NewGroup{Name: "sales"}); return err }},
			{"", func() error { return s.Append(ctx, event("ann", "r", 5)) }},
			{tables, func() error { _, err := s.RegisterTable(ctx, api.RegisteredTable{ID: "t"}, "ann"); return err }},
			{grants, func() (err error) {
				grant, err = s.CreateGrant(ctx, api.NewGrant{User: "ann", TableID: "t"}, "admin")
				return err
			}},
			{grants, func() error { return s.RevokeGrant(ctx, grant.ID) }},
			{grants, func() error { return s.AddMember(ctx, "sales", "ann") }},
			{grants, func() error { return s.RemoveMember(ctx, "sales", "ann") }},
			{grants, func() error { return s.DeleteGroup(ctx, "sales") }},
			{grants, func() error { return s.DeleteUser(ctx, "ann") }},
			{tables, func() error { return s.UnregisterTable(ctx, "t") }},
		} {
			before, err := reader.Versions(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
			after, err := reader.Versions(ctx)
			if err != nil || (after.Tables != before.Tables) != (step.changes == tables) || (after.Grants != before.Grants) != (step.changes == grants) {
				t.Errorf("want a change of %q: %+v, then %+v, %v", step.changes, before, after, err)
			}
		}
	})
}

func TestTheLastAdminStays(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, s := t.Context(), at.open(t, newClock())
		for name, admin := range map[string]bool{"ann": true, "bob": true, "cy": false} {
			if _, err := s.CreateUser(ctx, api.NewUser{Name: name, Admin: admin}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.DeleteUser(ctx, "ann"); err != nil {
			t.Errorf("one of two admins: %v", err)
		}
		if err := s.DeleteUser(ctx, "Bob"); kindOf(err) != "bad_request/last_admin" {
			t.Errorf("the last admin: %v", err)
		}
		if err := s.DeleteUser(ctx, "cy"); err != nil {
			t.Errorf("a user: %v", err)
		}
		if err := s.DeleteUser(ctx, "cy"); kindOf(err) != "bad_request/unknown_user" {
			t.Errorf("nobody: %v", err)
		}
		users, err := s.Users(ctx)
		if err != nil || len(users) != 1 || users[0].Name != "bob" {
			t.Errorf("%+v, %v", users, err)
		}
	})
}

// TestManyProcessesOneState has several stores on one folder, as processes
// have, open, count and write at the same time.
func TestManyProcessesOneState(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx := context.Background()
		const stores, each = 6, 40
		var group sync.WaitGroup
		errs := make(chan error, stores*each)
		for p := range stores {
			group.Add(1)
			go func() {
				defer group.Done()
				s, err := Open(at.dir, InPostgres(at.dsn))
				if err != nil {
					errs <- err
					return
				}
				defer s.Close()
				for i := range each {
					l, err := s.Reserve(ctx, Demand{Subject: "ann", ResultBytes: 10, MaxDaily: 1 << 40, Event: event("ann", "", -1)})
					if err == nil {
						err = s.Settle(ctx, l, event("ann", fmt.Sprintf("%d-%d", p, i), 7))
					}
					if err != nil {
						errs <- err
					}
				}
			}()
		}
		group.Wait()
		close(errs)
		for err := range errs {
			t.Error(err)
		}
		s, err := Open(at.dir, InPostgres(at.dsn))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		q, err := s.Quota(ctx, "ann", Limits{})
		if err != nil || q.ResultBytes != stores*each*7 || q.ReservedBytes != 0 {
			t.Errorf("%+v, %v", q, err)
		}
		if s.Hash("where", "x") == s.Hash("statement", "x") || len(s.Hash("where", "x")) != 32 {
			t.Error("hashes of different things are alike")
		}
	})
}

func TestAStateThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); kindOf(err) != "config/" {
		t.Errorf("a file for a folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, databaseFile), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); kindOf(err) != "config/" {
		t.Errorf("no database: %v", err)
	}
	newer := t.TempDir()
	s, err := Open(newer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.(*sqlite).db.Write.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(newer); kindOf(err) != "config/" || !strings.Contains(err.Error(), "newer release") {
		t.Errorf("a newer state: %v", err)
	}
}
