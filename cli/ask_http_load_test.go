package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// manyTalks is how many conversations a server has at once in TestAskManyAtOnce:
// few in every test run, 100 in make agent-campaign.
func manyTalks() int {
	if os.Getenv("DA_CONVERSATIONS") != "" {
		return 100
	}
	return 10
}

// TestAskManyAtOnce lets a server go on with many conversations at once, all of
// which wait for the model together, twice: none is refused, and the server stays
// small.
func TestAskManyAtOnce(t *testing.T) {
	t.Parallel()
	many := manyTalks()
	call := providertest.Call
	steps := modelSteps(func(last []provider.Result) string { return "There are " + firstCell(last) + "." },
		[]provider.Call{call("a", "catalog_search", map[string]any{}), call("f", "read_file", map[string]any{"path": "notes.md"})},
		[]provider.Call{call("b", "write_text_file", map[string]any{"path": "out.md", "content": strings.Repeat("line\n", 1000)})},
		[]provider.Call{call("c", "table_query", map[string]any{"path": "may.csv", "query": "SELECT sum(n) AS n FROM data"})})
	var mu sync.Mutex
	waiting, gates := map[int]int{}, map[int]chan struct{}{1: make(chan struct{}), 7: make(chan struct{})}
	full := make(chan struct{}, 2)
	model := providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
		at := len(r.Messages)
		if gate := gates[at]; gate != nil {
			mu.Lock()
			if waiting[at]++; waiting[at] == many {
				full <- struct{}{}
			}
			mu.Unlock()
			<-gate
		}
		return steps(r)
	})
	cmd, admin := newPlace(t).withServerModel(model, provider.Anthropic, "files: { max_file_mb: 10 }").agentKeys("tool_timeout_seconds: 600").server()
	var users []*place
	for i := range many/10 + 1 {
		u := admin.as(fmt.Sprintf("user%d", i))
		u.upload("may.csv", "name,n\na,20\nb,22\n")
		u.upload("notes.md", strings.Repeat("some words of a text\n", 500))
		users = append(users, u)
	}
	quiet := resident(t, cmd.Process.Pid)
	answers := make(chan string, many)
	for i := range many {
		go func() {
			status, text := users[i%len(users)].request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "How many?"})
			answers <- fmt.Sprint(status, text)
		}()
	}
	var held [2]int64
	for i, at := range []int{1, 7} {
		<-full
		held[i] = resident(t, cmd.Process.Pid)
		close(gates[at])
	}
	for range many {
		if text := <-answers; !strings.Contains(text, "There are 42.") {
			t.Errorf("an answer: %s", text)
		}
	}
	t.Logf("%d conversations: the server held %d MB before, %d MB when all had begun, %d MB when all had worked", many, quiet>>20, held[0]>>20, held[1]>>20)
	if most := max(held[0], held[1]); most > 300<<20 {
		t.Errorf("the server held %d MB", most>>20)
	}
}

// resident is the memory that a process and its children hold, in bytes; 0 where
// the system does not tell.
func resident(t testing.TB, pid int) (size int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid)) // of the first thread, where the kernel has it
	size = pages * int64(os.Getpagesize())
	for _, child := range strings.Fields(string(children)) {
		if id, err := strconv.Atoi(child); err == nil {
			size += resident(t, id)
		}
	}
	return size
}
