package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/engine/worker"
)

// sessionWithRows is a da mcp beside a file, rows.csv.
func sessionWithRows(t *testing.T) *rawMCP {
	t.Helper()
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "rows.csv"), []byte("a,b\n1,x\n2,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return p.rawMCP(t)
}

// query sends a query over rows.csv, which tells how it goes on.
func (r *rawMCP) query(id int, sql string) {
	r.t.Helper()
	if _, err := fmt.Fprintf(r.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"_meta":{"progressToken":%d},"name":"table_query","arguments":{"path":"rows.csv","timeout_seconds":3600,"query":%q}}}`+"\n", id, id, sql); err != nil {
		r.t.Fatal(err)
	}
}

// next reads a message; answer is the text of the answer of a tool, if it is one.
func (r *rawMCP) next() (answer string) {
	r.t.Helper()
	text, err := r.from.ReadString('\n')
	var said struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	if err != nil || json.Unmarshal([]byte(text), &said) != nil {
		r.t.Fatalf("%q, %v", text, err)
	}
	if len(said.Result.Content) == 0 {
		return ""
	}
	return said.Result.Content[0].Text
}

// answer reads up to the answer of a tool.
func (r *rawMCP) answer() string {
	r.t.Helper()
	for {
		if text := r.next(); text != "" {
			return text
		}
	}
}

// running starts a query without an end, and returns the process that runs it.
func (r *rawMCP) running(id int) (pid int) {
	r.t.Helper()
	r.query(id, "SELECT sum(i) FROM range(1000000000000000) t(i), data")
	if text := r.next(); text != "" {
		r.t.Fatalf("the query ended: %s", text)
	}
	return childOf(r.t, r.cmd.Process.Pid, worker.CallsArg)
}

// TestACrashOfACallLeavesTheSession ends the process of a call as a fault of the
// engine would.
func TestACrashOfACallLeavesTheSession(t *testing.T) {
	t.Parallel()
	r := sessionWithRows(t)
	for id, signal := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGKILL} {
		if err := syscall.Kill(r.running(id), signal); err != nil {
			t.Fatal(err)
		}
		if text := r.answer(); !strings.Contains(text, `"kind":"engine_crashed"`) || !strings.Contains(text, `"retryable":false`) {
			t.Errorf("%v: %s", signal, text)
		}
		r.query(100+id, "SELECT sum(a) AS s FROM data")
		if text := r.answer(); !strings.Contains(text, `"rows":[[3]]`) {
			t.Errorf("after %v: %s", signal, text)
		}
	}
}

func TestACancelledCallLeavesNoProcess(t *testing.T) {
	t.Parallel()
	r := sessionWithRows(t)
	pid := r.running(1)
	_, _ = io.WriteString(r.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n")
	gone(pid)
	r.query(2, "SELECT sum(a) AS s FROM data")
	if text := r.answer(); !strings.Contains(text+r.maybe(text), `"rows":[[3]]`) {
		t.Errorf("the next call: %s", text)
	}
}

// maybe reads one more answer if the one before was that of a cancelled call.
func (r *rawMCP) maybe(text string) string {
	if strings.Contains(text, `"rows"`) {
		return ""
	}
	return r.answer()
}

// TestAKilledSessionLeavesNoProcess kills da mcp, with a call that runs and with
// a process that waits for the next one.
func TestAKilledSessionLeavesNoProcess(t *testing.T) {
	t.Parallel()
	for _, idle := range []bool{false, true} {
		r := sessionWithRows(t)
		var pid int
		if idle {
			r.query(1, "SELECT 1")
			r.answer()
			pid = childOf(t, r.cmd.Process.Pid, worker.CallsArg)
		} else {
			pid = r.running(1)
		}
		if err := r.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = r.cmd.Wait()
		gone(pid)
	}
}

// gone waits until a process has ended; the test's own time limit ends it.
func gone(pid int) {
	for !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // it may have ended
		if strings.Contains(string(stat), ") Z ") {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
}

// TestFetchesRunInAProcessOfTheirOwn has another process do what takes the engine
// to a source.
func TestFetchesRunInAProcessOfTheirOwn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("fetch", "flights", "--select", "delay", "--as", "here")
	for _, call := range []string{
		`"fetch","arguments":{"table_id":"flights","select":["delay"],"as":"there"}`, `"snapshot_refresh","arguments":{"name":"here"}`,
		`"catalog_sync","arguments":{}`, `"catalog_sample","arguments":{"table_id":"flights"}`, `"query_remote","arguments":{"sql":"SELECT count(*) FROM flights"}`,
	} {
		r := p.rawMCP(t)
		if _, err := fmt.Fprintf(r.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s}}`+"\n", call); err != nil {
			t.Fatal(err)
		}
		if text := r.answer(); strings.Contains(text, `"code":"usage"`) {
			t.Errorf("%s: %s", call, text)
		}
		childOf(t, r.cmd.Process.Pid, worker.CallsArg)
	}
}
