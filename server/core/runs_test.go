package core

import (
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// TestRunsOfWhoIsGone: a run whose user is gone, or goes, ends all the same, and the doctor
// tells of it, as of one that does not end; a user of the same name has another folder.
func TestRunsOfWhoIsGone(t *testing.T) {
	t.Parallel()
	c := coreOf(t, t.TempDir(), "server: { state_dir: ./state }\nsources: {}\n")
	admin, ctx := c.As(LocalAdmin), t.Context()
	due := time.Now().UTC().Truncate(time.Second)
	begin := func(at time.Time) {
		t.Helper()
		if mine, err := c.BeginRun(ctx, "night", "ann", at, time.Second, false); err != nil || !mine {
			t.Fatalf("the run does not begin: %v, %v", mine, err)
		}
	}
	warned := func(of string) {
		t.Helper()
		if check, err := c.scheduleCheck(ctx); err != nil || !strings.Contains(check.Says, of) || (of != "has run") != (check.Status == api.CheckWarning) {
			t.Errorf("the doctor says %+v, %v", check, err)
		}
	}
	begin(due)
	if _, _, err := c.RunToken(ctx, "night", "ann", time.Second); err == nil {
		t.Fatal("a token for nobody")
	}
	if err := c.EndRun(ctx, "night", nil, ScheduledRun{Due: due, ExitCode: 5, Message: "no user"}); err != nil {
		t.Fatal(err)
	}
	warned("no user")
	var folders []string
	for i := range 2 {
		if _, err := admin.CreateUser(ctx, api.NewUser{Name: "ann"}); err != nil {
			t.Fatal(err)
		}
		due = due.Add(time.Second)
		begin(due)
		token, folder, err := c.RunToken(ctx, "night", "ann", time.Second)
		if err != nil || folder == "" {
			t.Fatalf("%q, %v", folder, err)
		}
		folders = append(folders, folder)
		if err := admin.DeleteUser(ctx, "ann"); err != nil {
			t.Fatal(err)
		}
		if err := c.EndRun(ctx, "night", token, ScheduledRun{Due: due}); err != nil {
			t.Errorf("run %d does not end: %v", i, err)
		}
		warned("has run")
	}
	if folders[0] == folders[1] {
		t.Error("two users of one name share a folder")
	}
	long := due.Add(-2 * leastRunTime)
	if mine, err := c.BeginRun(ctx, "killed", "ann", long, time.Second, false); err != nil || !mine {
		t.Fatal(mine, err)
	}
	warned("has not ended")
	if mine, err := c.BeginRun(ctx, "killed", "ann", due, time.Second, false); err != nil || !mine {
		t.Fatal(mine, err)
	}
	if err := c.EndRun(ctx, "killed", nil, ScheduledRun{Due: long}); err != nil {
		t.Fatal(err)
	}
	if mine, err := c.BeginRun(ctx, "killed", "ann", due.Add(time.Second), time.Second, false); err != nil || mine {
		t.Errorf("a late end of an earlier run ends the one that runs: %v, %v", mine, err)
	}
}
