package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/engine/worker"
)

// endless is a statement over a table of the fixture that takes years.
const endless = "SELECT sum(a.delay * b.delay * c.delay * d.delay * e.delay * f.delay * g.delay) AS s " +
	"FROM flights a, flights b, flights c, flights d, flights e, flights f, flights g WHERE a.delay + b.delay + c.delay < g.delay"

// TestACrashOfAStatementLeavesTheServer ends the process of a statement as a
// fault of the engine would.
func TestACrashOfAStatementLeavesTheServer(t *testing.T) {
	t.Parallel()
	server, client := newPlace(t).server()
	cmd := client.command("query", "--remote", "--json", endless)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(statementOf(t, server.Process.Pid), syscall.SIGSEGV); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the code tells
	e := outcome{cmd.ProcessState.ExitCode(), "", stderr.String()}.lastJSON(t)
	if e.Kind != api.KindEngineCrashed || e.ExitCode != exit.Server || e.Retryable || cmd.ProcessState.ExitCode() != exit.Server {
		t.Errorf("exit %d: %s", cmd.ProcessState.ExitCode(), stderr.String())
	}
	client.ok("query", "--remote", "SELECT count(*) FROM flights")
}

// TestAStatementEndsWithItsClient kills a client while the server works for it.
func TestAStatementEndsWithItsClient(t *testing.T) {
	t.Parallel()
	server, client := newPlace(t).server()
	cmd := client.command("query", "--remote", endless)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := statementOf(t, server.Process.Pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for syscall.Kill(pid, 0) == nil { // the test's own time limit ends it
		<-time.After(10 * time.Millisecond)
	}
}

// statementOf waits for the process of a statement that a server runs.
func statementOf(t *testing.T, server int) int {
	t.Helper()
	return childOf(t, server, worker.Arg)
}

// childOf waits for a child whose first argument is arg.
func childOf(t *testing.T, parent int, arg string) int {
	t.Helper()
	for { // the test's own time limit ends it
		stats, err := filepath.Glob("/proc/[0-9]*/stat")
		if err != nil || len(stats) == 0 {
			t.Skip("no /proc here")
		}
		for _, path := range stats {
			stat, _ := os.ReadFile(path) // it may have ended
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			_, behind, _ := strings.Cut(string(stat), ") ")
			fields := strings.Fields(behind)
			if len(fields) < 2 || fields[1] != strconv.Itoa(parent) || !strings.Contains(string(line), "\x00"+arg+"\x00") {
				continue
			}
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		<-time.After(10 * time.Millisecond)
	}
}
