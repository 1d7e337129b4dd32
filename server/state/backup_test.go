package state

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// TestBackupIsOneMoment backs up while others write, and opens what was
// written: it is whole, and the counters are the sum of the audit.
func TestBackupIsOneMoment(t *testing.T) {
	ctx, dir, c := t.Context(), t.TempDir(), newClock()
	s := openTest(t, dir, c)
	if _, err := s.CreateUser(ctx, api.NewUser{Name: "ann"}); err != nil {
		t.Fatal(err)
	}
	made, err := s.CreateToken(ctx, api.NewToken{User: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			other, err := Open(dir, WithClock(c.now))
			if err != nil {
				t.Error(err)
				return
			}
			defer other.Close()
			for n := 0; ; n++ {
				if err := other.Append(ctx, event("ann", fmt.Sprint(w, "-", n), 7)); err != nil {
					t.Error(err)
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	var last int64
	for n := range 5 {
		restored := t.TempDir()
		file := filepath.Join(restored, databaseFile)
		holds, err := s.Backup(ctx, file)
		if err != nil {
			t.Fatal(err)
		}
		if holds.Users != 1 || holds.Tokens != 1 || holds.Audit < last {
			t.Errorf("backup %d holds %+v after one of %d rows", n, holds, last)
		}
		last = holds.Audit
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the backup: %v, %v", info, err)
		}
		back := openTest(t, restored, c)
		if who, err := back.Authenticate(ctx, made.Secret); err != nil || who.User != "ann" {
			t.Errorf("the token in the backup: %v, %v", who, err)
		}
		quota, err := back.Quota(ctx, "ann", Limits{})
		if err != nil || quota.ResultBytes != holds.Audit*7 {
			t.Errorf("the backup's counter is %+v (%v), its audit has %d rows of 7 bytes", quota, err, holds.Audit)
		}
	}
	close(stop)
	writers.Wait()
	if left, _ := filepath.Glob(filepath.Join(dir, ".*tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestABackupThatFailsLeavesTheOld writes where it cannot.
func TestABackupThatFailsLeavesTheOld(t *testing.T) {
	s := openTest(t, t.TempDir(), newClock())
	if _, err := s.Backup(t.Context(), filepath.Join(t.TempDir(), "none", "x.db")); err == nil {
		t.Error("a backup was made in a folder that is not there")
	}
	folder := filepath.Join(t.TempDir(), "x.db")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Backup(t.Context(), folder); err == nil {
		t.Error("a backup replaced a folder")
	}
	if left, _ := os.ReadDir(filepath.Dir(folder)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPruneAudit(t *testing.T) {
	ctx, c := t.Context(), newClock() // at 23:00
	s := openTest(t, t.TempDir(), c)
	for n := range pruneStep + 3 {
		if err := s.Append(ctx, event("ann", fmt.Sprint("old", n), 1)); err != nil {
			t.Fatal(err)
		}
	}
	old := c.now()
	c.add(24 * time.Hour)
	if err := s.Append(ctx, event("ann", "new", 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PruneAudit(ctx, c.now()); kindOf(err) != "bad_request/too_recent" {
		t.Errorf("today's: %v", err)
	}
	if n, err := s.PruneAudit(ctx, old); err != nil || n != 0 {
		t.Errorf("before the first: %d, %v", n, err)
	}
	if n, err := s.PruneAudit(ctx, midnight(old)); err != nil || n != pruneStep+3 {
		t.Errorf("before today: %d, %v", n, err)
	}
	events, err := s.Audit(ctx, api.AuditQuery{})
	if err != nil || len(events) != 1 || events[0].RequestID != "new" {
		t.Errorf("left: %v, %v", events, err)
	}
}

// TestABackupIsNotTheStateItself holds that servers are not left with a
// database that lies nowhere any more.
func TestABackupIsNotTheStateItself(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir, newClock())
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(dir, databaseFile), filepath.Join(dir, databaseFile+"-wal"), filepath.Join(link, databaseFile)} {
		before, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Backup(t.Context(), file); err == nil {
			t.Errorf("%s was replaced by a backup of it", file)
		}
		if after, err := os.Stat(file); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s is another file now (%v)", file, err)
		}
	}
	if _, err := s.Backup(t.Context(), filepath.Join(dir, "copy.db")); err != nil {
		t.Error(err)
	}
}
