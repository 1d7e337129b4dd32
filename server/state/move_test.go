package state

import (
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
	"github.com/agnes-data/da/internal/testing/pgtest"
)

// furnish writes rows of all tables, and returns a token and the next user's id.
func furnish(t *testing.T, s *Store) (token string) {
	t.Helper()
	ctx := t.Context()
	do := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ann", "bob", "gone"} {
		do(s.CreateUser(ctx, api.NewUser{Name: name, Admin: name == "ann"}))
	}
	do(nil, s.DeleteUser(ctx, "gone"))
	do(s.CreateGroup(ctx, api.NewGroup{Name: "sales"}))
	do(nil, s.AddMember(ctx, "sales", "bob"))
	made, err := s.CreateToken(ctx, api.NewToken{User: "ann", Note: "laptop"})
	do(nil, err)
	do(s.CreateGrant(ctx, api.NewGrant{Group: "sales", TableID: "orders", Columns: []string{"a", "ü"}, Rows: "a = 'ž'"}, "ann"))
	one := int64(1)
	do(nil, s.SetQuota(ctx, api.QuotaRule{Group: "sales", Running: &one}))
	do(s.RegisterTable(ctx, api.RegisteredTable{ID: "more", Public: true}, "ann"))
	_, _, err = s.SignIn(ctx, made.Secret, "a browser")
	do(nil, err)
	do(s.SignInAs(ctx, "bob", "")) // its key is empty
	do(s.BeginDevice(ctx, "laptop", "192.0.2.1"))
	do(nil, s.ChangeKnown(ctx, "note", "a", func(*Known) (*Known, error) { return &Known{Owner: "ann", Data: "ž"}, nil }))
	do(nil, s.ChangeIndex(ctx, "1", "", func(string, []byte) (string, []byte, error) { return "v1", []byte{0, 255}, nil }))
	do(nil, s.HoldConversation(ctx, "ann", "c1", "h", true, time.Minute))
	do(s.AppendConversation(ctx, "ann", "c1", "h", 0, []byte("{}\n")))
	do(s.ChangeModelCost(ctx, "ann", func(string, int64) (int64, bool) { return 5, true }))
	with := demand("ann", "r1", 10)
	with.Session, with.SessionBytes, with.SessionBudget = "talk", 5, 100
	for i := range 3 {
		l, err := s.Reserve(ctx, with)
		do(nil, err)
		if i < 2 { // the last one is of a server that was killed
			do(nil, s.Settle(ctx, l, event("ann", fmt.Sprint("r", i), 7)))
		}
	}
	_, err = s.db.(*sqlite).db.Write.Exec("INSERT INTO buried VALUES ('x', 1, 2); INSERT INTO audit (at, request_id, event_type, user_email, table_id, event_data) VALUES (1, 'a' || char(0) || x'ff', 'scan', 'ann', 'orders', '{}')")
	do(nil, err)
	return made.Secret
}

func TestMove(t *testing.T) {
	ctx, c, at := t.Context(), newClock(), place{t.TempDir(), pgtest.Shared(t).DSN("")}
	old := openTest(t, at.dir, c)
	token := furnish(t, old)
	key := old.Hash("where", "x")
	if _, err := Move(ctx, at.dir, at.dsn); kindOf(err) != "unavailable/state" {
		t.Errorf("while a server runs: %v", err)
	}
	if err := old.Append(ctx, event("ann", "still", 0)); err != nil {
		t.Fatalf("after a move that was refused: %v", err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(at.dir, InPostgres(at.dsn)); err == nil || !strings.Contains(err.Error(), "there is a state in") {
		t.Errorf("before the move: %v", err)
	}
	// What is cut off after the copy finds it the next time.
	moved, err := Move(ctx, at.dir, at.dsn)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(moved.Kept, moved.From); err != nil {
		t.Fatal(err)
	}
	again, err := Move(ctx, at.dir, at.dsn)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(moved) {
		t.Fatalf("%+v,\nagain %+v, %v", moved, again, err)
	}
	for _, table := range moved.Tables {
		if table.Rows == 0 {
			t.Errorf("%s has no rows: nothing was tried", table.Table)
		}
	}
	if moved.Replaced != 1 {
		t.Errorf("%d texts were replaced", moved.Replaced)
	}
	s := at.open(t, c)
	if b, err := s.Authenticate(ctx, token); err != nil || b.User != "ann" || s.Hash("where", "x") != key {
		t.Errorf("%+v, %v", b, err)
	}
	c.add(LeaseTime + time.Second)
	if err := s.Bury(ctx); err != nil {
		t.Fatal(err)
	}
	if q, err := s.Quota(ctx, "ann", Limits{Session: "talk", SessionBudget: 100}); err != nil || q.ResultBytes != 14 || *q.Remaining.SessionBytes != 85 || q.Running != 0 {
		t.Errorf("%+v, %v", q, err)
	}
	if u, err := s.CreateUser(ctx, api.NewUser{Name: "new"}); err != nil || u.ID != 4 {
		t.Errorf("the id of a deleted user is given out again: %+v, %v", u, err)
	}
	if _, err := Move(ctx, at.dir, at.dsn); kindOf(err) != "usage/" {
		t.Errorf("a state that is not there any more: %v", err)
	}
}

// TestMoveRefusesADatabaseInUse holds that nothing is mixed or written over.
func TestMoveRefusesADatabaseInUse(t *testing.T) {
	at := place{t.TempDir(), pgtest.Shared(t).DSN("")}
	other := place{t.TempDir(), at.dsn}.open(t, newClock())
	if _, err := other.CreateUser(t.Context(), api.NewUser{Name: "eve"}); err != nil {
		t.Fatal(err)
	}
	old := openTest(t, at.dir, newClock())
	furnish(t, old)
	_ = old.Close()
	if _, err := Move(t.Context(), at.dir, at.dsn); kindOf(err) != "config/" || !strings.Contains(err.Error(), "another state") {
		t.Error(err)
	}
	if users, err := other.Users(t.Context()); err != nil || len(users) != 1 {
		t.Errorf("%v, %v", users, err)
	}
	if users, err := openTest(t, at.dir, newClock()).Users(t.Context()); err != nil || len(users) != 2 {
		t.Errorf("%v, %v", users, err)
	}
}

// TestMoveKnowsAllTables holds for tables that are added later.
func TestMoveKnowsAllTables(t *testing.T) {
	s, err := OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	known := map[string]bool{}
	for _, table := range tables {
		known[table] = true
	}
	err = sqlitedb.Each(t.Context(), s.db.(*sqlite).db.Read, func(rows *sql.Rows) error {
		var table string
		err := rows.Scan(&table)
		if !known[table] {
			t.Errorf("%s is not moved", table)
		}
		return err
	}, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
	if err != nil {
		t.Fatal(err)
	}
}
