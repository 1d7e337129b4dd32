package state

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestADamagedStateIsSaidAtTheStart writes zeros over each page but the first, one after
// the other: no server starts, and the error says what to do.
func TestADamagedStateIsSaidAtTheStart(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ann", "bert"} {
		if _, err := s.CreateUser(t.Context(), api.NewUser{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, databaseFile)
	sound, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	for at := page; at < len(sound); at += page {
		bad := append([]byte{}, sound...)
		clear(bad[at : at+page])
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir)
		if err == nil {
			_ = s.Close()
		}
		if !api.CodeConfig.Is(err) || !strings.Contains(err.Error(), dir) {
			t.Errorf("page %d of %d: %v", at/page, len(sound)/page, err)
		}
	}
}

// TestALockedStateIsSaid has another program hold the lock for longer than is waited.
func TestALockedStateIsSaid(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.db.(*sqlite).db.Write.Exec("PRAGMA busy_timeout = 1"); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", "file:"+filepath.Join(dir, databaseFile))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	conn, err := other.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(context.Background(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateUser(t.Context(), api.NewUser{Name: "ann"}); kindOf(err) != "unavailable/state" || !strings.Contains(err.Error(), "locked") {
		t.Errorf("%v", err)
	}
}
