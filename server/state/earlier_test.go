package state

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/pgtest"
)

// Tokens of the state of an earlier release, in testdata, and the cookie and key of
// ann's browser.
const (
	earlierAdmin  = "da_" + "So4vtRwZRUGje5O5q-y2bZWo0tH--DjHa-JJYU_Erm8"
	earlierAnn    = "da_" + "M_4TdD97UWY2pCrs40pu35vj92JnJcAe8IlZukxn5EI"
	earlierBob    = "da_" + "KtWstr36f-uMFTp7f2N5XmFqsbIJGGoHNGL3Famp_pw"
	earlierLost   = "da_" + "8t4iiw4SAfdQtpAy4QND-HzTLVjHMoM2foEQBa9pvjM"
	earlierCookie = "Yc1hkGEtAoNPTPrw21ISFaDjv6wdeA3O4lNSA_XeQ28"
	earlierKey    = "vk0eodN3quFjqg3bQRx3mLbNxAC1As1s0r2qNGL_tss"
)

// earlierState writes the state of commit 1a82bc7c into a folder of its own.
func earlierState(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	text, err := os.ReadFile("testdata/1a82bc7c.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+databaseIn(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(string(text)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// earlierClock tells the time at which that server was killed.
func earlierClock() *clock { return &clock{t: time.Date(2026, 11, 29, 20, 40, 0, 0, time.UTC)} }

// checkEarlier holds a state that has come from the earlier release against what was
// in it: people, tokens, sign-ins, rights, quotas, what a killed server had delivered,
// the audit.
func checkEarlier(t *testing.T, s *Store) {
	t.Helper()
	ctx := t.Context()
	users, err := s.Users(ctx)
	if err != nil || len(users) != 3 || users[0].Name != "admin" || !users[0].Admin || users[2].Groups[0] != "analysts" {
		t.Errorf("users %+v, %v", users, err)
	}
	for token, name := range map[string]string{earlierAdmin: "admin", earlierAnn: "ann@example.com", earlierBob: "bob"} {
		b, err := s.Authenticate(ctx, token)
		if folder, folderErr := s.Folder(ctx, name); err != nil || b.User != name || b.Folder == "" || folder != b.Folder || folderErr != nil {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
	}
	if b, err := s.Authenticate(ctx, earlierLost); err == nil {
		t.Errorf("a revoked token: %+v", b)
	}
	if b, _, err := s.SignedIn(ctx, earlierCookie, earlierKey); err != nil || b.User != "ann@example.com" {
		t.Errorf("a browser: %+v, %v", b, err)
	}
	grants, err := s.Grants(ctx, "orders")
	if err != nil || len(grants) != 2 || fmt.Sprint(grants[0].Columns) != "[country id]" || grants[0].Rows != "country = 'CZ'" || grants[1].Group != "analysts" {
		t.Errorf("grants %+v, %v", grants, err)
	}
	if g, err := s.GrantsOf(ctx, 3); err != nil || len(g) != 1 || g[0].Group != "analysts" {
		t.Errorf("bob's grants %+v, %v", g, err)
	}
	if more, err := s.RegisteredTables(ctx); err != nil || len(more) != 1 || more[0].ID != "more" || !more[0].Public {
		t.Errorf("registered %+v, %v", more, err)
	}
	if err := s.Bury(ctx); err != nil { // as each server does
		t.Fatal(err)
	}
	// 1,412 bytes were settled; of the scan that was cut by the kill, 11,796,520 were noted.
	limits := Limits{Session: "talk", SessionBudget: 1_000_000}
	if q, err := s.Quota(ctx, "ann@example.com", limits); err != nil || q.ResultBytes != 11_797_932 || q.Running != 0 || *q.Remaining.SessionBytes != 1_000_000-20_708 {
		t.Errorf("ann's quota %+v, %v", q, err)
	}
	if q, err := s.Quota(ctx, "bob", Limits{}); err != nil || q.ResultBytes != 40 {
		t.Errorf("bob's quota %+v, %v", q, err)
	}
	events, err := s.Audit(ctx, api.AuditQuery{Limit: 100})
	if err != nil || len(events) != 24 || events[0].EventType != "admin_change" || events[23].TableID != "big" {
		t.Errorf("%d events, %v", len(events), err)
	}
	if u, err := s.CreateUser(ctx, api.NewUser{Name: "new"}); err != nil || u.ID != 5 {
		t.Errorf("the id of a deleted user is given out again: %+v, %v", u, err)
	}
}

func TestAnEarlierStateIsUpgraded(t *testing.T) {
	checkEarlier(t, openTest(t, earlierState(t), earlierClock()))
}

const moveChild = "DA_TEST_MOVE"

// TestAnEarlierStateIsMoved moves it to PostgreSQL by processes that are killed: at the
// first row, at rows of the audit, and while the database commits, where it does so all
// the same. The next one finishes, and both say what an undisturbed move says.
func TestAnEarlierStateIsMoved(t *testing.T) {
	if at := os.Getenv(moveChild); at != "" {
		dir, dsn, _ := strings.Cut(at, "|")
		_, err := Move(t.Context(), dir, dsn)
		t.Fatalf("a move that was to be killed: %v", err)
	}
	ctx, dsn := t.Context(), pgtest.Shared(t).DSN("")
	want, err := Move(ctx, earlierState(t), dsn)
	if err != nil {
		t.Fatal(err)
	}
	drop(t, dsn)
	for _, cut := range []string{
		"BEFORE INSERT ON settings", "BEFORE INSERT ON audit", "AFTER INSERT ON users DEFERRABLE INITIALLY DEFERRED",
	} {
		dir := earlierState(t)
		killedMove(t, dir, dsn, cut)
		if _, err := os.Stat(databaseIn(dir)); err != nil {
			t.Errorf("%s: the old state is gone: %v", cut, err)
		}
		got, err := Move(ctx, dir, dsn)
		if err != nil || fmt.Sprint(got.Tables) != fmt.Sprint(want.Tables) {
			t.Fatalf("%s: %+v, not %+v, %v", cut, got, want, err)
		}
		if _, err := os.Stat(filepath.Join(dir, movedFile)); err != nil {
			t.Errorf("%s: %v", cut, err)
		}
		checkEarlier(t, place{dir, dsn}.open(t, earlierClock()))
		drop(t, dsn)
	}
}

// drop makes the database empty.
func drop(t *testing.T, dsn string) {
	t.Helper()
	execute(t, connect(t, dsn), "DROP SCHEMA "+ownSchema+" CASCADE")
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func execute(t *testing.T, c *pgx.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := c.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// killedMove begins a move in another process, and kills that while a trigger keeps the
// database from going on.
func killedMove(t *testing.T, dir, dsn, cut string) {
	t.Helper()
	p, err := openPostgres(dsn, dir, true) // makes the tables
	if err != nil {
		t.Fatal(err)
	}
	p.close()
	holder := connect(t, dsn)
	constraint := ""
	if strings.Contains(cut, "DEFERR") {
		constraint = "CONSTRAINT"
	}
	execute(t, holder, "SET search_path TO "+ownSchema, "SELECT pg_advisory_lock(41)",
		`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(41); RETURN NEW; END $$`,
		"CREATE "+constraint+" TRIGGER hold "+cut+" FOR EACH ROW EXECUTE FUNCTION hold()")
	cmd := exec.Command(os.Args[0], "-test.run=^TestAnEarlierStateIsMoved$")
	cmd.Env = append(os.Environ(), moveChild+"="+dir+"|"+dsn)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waiting := func(n int) {
		t.Helper()
		for found := -1; found != n; {
			if err := holder.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 41 AND NOT granted").Scan(&found); err != nil {
				t.Fatal(err)
			}
		}
	}
	waiting(1)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	execute(t, holder, "SELECT pg_advisory_unlock(41)")
	// This waits for what the database still does for the process that is gone.
	execute(t, holder, "DROP FUNCTION hold() CASCADE")
}
