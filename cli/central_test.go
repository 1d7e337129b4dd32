package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/internal/testing/s3test"
	"github.com/agnes-data/da/workspace"
)

// machines are places of servers that have nothing in common but their state and blobs.
type machines struct {
	*place
	cluster *pgtest.Cluster
	blobs   string // the section of the instance file
	model   *providertest.Server
	folder  string // of the blobs; empty: they are in a bucket
}

// serve starts a server with a folder of its own.
func (m *machines) serve(name string, kill *func()) *place {
	m.t.Helper()
	p := m.withServerModel(m.model, provider.Anthropic, "files: { max_file_mb: 10 }",
		fmt.Sprintf("server: { state_env: STATE, state_dir: ./%s, blobs: %s }", name, m.blobs))
	cmd, at := p.server()
	if kill != nil {
		*kill = func() {
			if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
				m.t.Error(err)
			}
			_ = cmd.Wait()
		}
	}
	return at
}

// onMachines runs a test with blobs in a folder, and in a bucket.
func onMachines(t *testing.T, steps func(providertest.Request) providertest.Reply, test func(*testing.T, *machines)) {
	cluster := pgtest.New(t, pgtest.Options{TCP: true})
	s3 := s3test.New(t)
	if err := s3.Client.MakeBucket(t.Context(), "shared", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	inBucket := fmt.Sprintf("{ at: s3://shared/da, endpoint: %q, region: %s, access_key_env: BLOBS_KEY, secret_key_env: BLOBS_SECRET }", s3.URL, s3test.Region)
	for i, at := range []string{"folder", "bucket"} {
		t.Run(at, func(t *testing.T) {
			database := fmt.Sprint("central", i)
			if out, err := cluster.Command("createdb", database).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			m := &machines{cluster: cluster, model: providertest.NewServer(t, steps), blobs: inBucket}
			m.place = newPlace(t).with(fmt.Sprintf("STATE=postgres://%s@127.0.0.1:%d/%s", pgtest.User, cluster.Port, database),
				"BLOBS_KEY="+s3test.AccessKey, "BLOBS_SECRET="+s3test.SecretKey)
			if at == "folder" {
				m.folder = filepath.Join(m.dir, "blobs")
				m.blobs = fmt.Sprintf("{ at: %s }", m.folder)
			}
			test(t, m)
		})
	}
}

// get asks a server, whose answer has to hold a text.
func (p *place) wants(want, method, path string, body any) string {
	p.t.Helper()
	status, text := p.request(method, path, body)
	if status >= 300 || !strings.Contains(text, want) {
		p.t.Errorf("%s %s: %d %s, without %s", method, path, status, text, want)
	}
	return text
}

// TestFilesOfTwoMachines has one user work on files at two servers. One of them is killed.
func TestFilesOfTwoMachines(t *testing.T) {
	t.Parallel()
	onMachines(t, remoteCount("airports"), func(t *testing.T, m *machines) {
		var kill func()
		admin := m.serve("a", &kill)
		a := admin.as("ann")
		b := a.with("DA_SERVER=" + m.serve("b", nil).get("DA_SERVER"))
		if status, text := a.upload("may.csv", "region,sales\nnorth,3\n"); status != 201 {
			t.Fatalf("upload: %d %s", status, text)
		}
		a.upload("empty.txt", "")
		b.wants("region,sales\nnorth,3\n", "GET", "/api/files/may.csv/download", nil)
		b.wants("", "GET", "/api/files/empty.txt/download", nil)

		// A process of each server works on a workbook. It may have no copy of it yet.
		cells := func(value int) map[string]any {
			return map[string]any{"operations": []map[string]any{{"op": "set_range", "start": "A1", "values": [][]any{{value}}}}}
		}
		if status, text := a.uploadTo("/api/files/upload", "plan.xlsx", workbook(t)); status != 201 {
			t.Fatalf("upload: %d %s", status, text)
		}
		b.wants(`"version":2`, "POST", "/api/files/plan.xlsx/operations?draft=monday", cells(7))
		a.wants("7", "GET", "/api/drafts/monday/diff", nil)
		b.wants("7", "GET", "/api/drafts/monday/diff", nil)
		a.wants("plan.xlsx", "POST", "/api/drafts/monday/apply", nil)
		b.wants(`"version":2`, "GET", "/api/files/plan.xlsx", nil)
		b.wants(`"version":3`, "POST", "/api/files/plan.xlsx/operations", cells(8))
		late := cells(9)
		late["if_version"] = 2
		if status, text := a.request("POST", "/api/files/plan.xlsx/operations", late); status != 409 {
			t.Errorf("a change of what another server has changed: %d %s", status, text)
		}
		a.wants("8", "GET", "/api/files/plan.xlsx/text", nil)
		a.wants(`"version":1`, "GET", "/api/files/plan.xlsx", nil) // among its versions

		// Both take files at once, until one is killed. What was acknowledged is there.
		var taken sync.Map
		var n atomic.Int64
		var all sync.WaitGroup
		for i, p := range []*place{a, b, a, b} {
			all.Go(func() {
				for j := range 15 {
					name := fmt.Sprintf("n%d-%d.txt", i, j)
					if status, _, err := p.tryUpload("/api/files/upload", name, name); err == nil && status == 201 {
						taken.Store(name, true)
					} else if p == b {
						t.Errorf("%s at the server that lives: %d, %v", name, status, err)
					}
					if n.Add(1) == 30 {
						kill()
					}
				}
			})
		}
		all.Wait()
		again := a.with("DA_SERVER=" + m.serve("a", nil).get("DA_SERVER"))
		for _, p := range []*place{b, again} {
			list := p.wants("may.csv", "GET", "/api/files", nil)
			taken.Range(func(name, _ any) bool {
				if !strings.Contains(list, fmt.Sprintf("%q", name)) {
					t.Errorf("%s was taken, and is gone", name)
				}
				p.wants(name.(string), "GET", "/api/files/"+url.PathEscape(name.(string))+"/download", nil)
				return true
			})
		}
		if m.folder != "" {
			m.sweeps(again)
		}
	})
}

// workbook is one with a cell.
func workbook(t *testing.T) string {
	t.Helper()
	w := excelize.NewFile()
	defer func() { _ = w.Close() }()
	var text strings.Builder
	if err := errors.Join(w.SetCellInt("Sheet1", "A1", 1), w.Write(&text)); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// sweeps holds that a content that a killed server left goes, and no other one.
func (m *machines) sweeps(a *place) {
	m.t.Helper()
	kept, _ := filepath.Glob(filepath.Join(m.folder, "*", "files", "*", "*.content")) // the pattern is sound
	if len(kept) < 3 {
		m.t.Fatalf("kept are %q", kept)
	}
	left := filepath.Join(filepath.Dir(kept[0]), strings.Repeat("0a", 32)+"-"+strings.Repeat("b", 16)+".content")
	of := filepath.Dir(filepath.Dir(filepath.Dir(left)))
	foreign := filepath.Join(m.folder, strings.TrimPrefix(left, of)) // where another state would be that has no id
	if err := errors.Join(os.MkdirAll(filepath.Dir(foreign), 0o700), os.WriteFile(left, []byte("x"), 0o600), os.WriteFile(foreign, []byte("x"), 0o600)); err != nil {
		m.t.Fatal(err)
	}
	old := time.Now().Add(-48 * time.Hour)
	for _, file := range append(kept, left, foreign) {
		if err := os.Chtimes(file, old, old); err != nil {
			m.t.Fatal(err)
		}
	}
	c := a.with("DA_SERVER=" + m.serve("c", nil).get("DA_SERVER")) // sweeps with its first request that finds it up to date
	c.wants("may.csv", "GET", "/api/files", nil)
	c.wants("may.csv", "GET", "/api/files", nil)
	if _, err := os.Stat(left); err == nil {
		m.t.Error("what a killed server left is still there")
	}
	if _, err := os.Stat(foreign); err != nil {
		m.t.Errorf("what is of another state was swept: %v", err)
	}
	var list struct{ Files []workspace.File }
	if err := json.Unmarshal([]byte(c.wants("may.csv", "GET", "/api/files", nil)), &list); err != nil {
		m.t.Fatal(err)
	}
	for _, f := range list.Files {
		c.wants("", "GET", "/api/files/"+f.ID+"/download", nil)
	}
}

// TestFilesOfAServerThatWasAlone takes over the files that a server kept for itself.
func TestFilesOfAServerThatWasAlone(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{TCP: true})
	m := &machines{cluster: cluster, model: providertest.NewServer(t, remoteCount("airports"))}
	m.place = newPlace(t).with(fmt.Sprintf("STATE=postgres://%s@127.0.0.1:%d/postgres", pgtest.User, cluster.Port))
	m.blobs = "{}"
	var killA, killB func()
	a := m.serve("a", &killA).as("ann")
	a.upload("of-a.txt", "a")
	id := a.ask("How many airports?", "")
	b := a.with("DA_SERVER=" + m.serve("b", &killB).get("DA_SERVER"))
	b.upload("of-b.txt", "b")
	killA()
	killB()
	m.blobs = fmt.Sprintf("{ at: %s }", filepath.Join(m.dir, "blobs"))
	a = a.with("DA_SERVER=" + m.serve("a", nil).get("DA_SERVER"))
	a.wants("of-a.txt", "GET", "/api/files", nil)
	a.wants(id, "GET", "/api/agent/conversations", nil)
	b = a.with("DA_SERVER=" + m.serve("b", nil).get("DA_SERVER"))
	if list := b.wants("of-a.txt", "GET", "/api/files", nil); strings.Contains(list, "of-b.txt") {
		t.Errorf("%s", list)
	}
	b.wants("How many airports?", "GET", "/api/agent/conversations/"+id, nil)
	if aside, _ := filepath.Glob(filepath.Join(m.dir, "b", "files", "*", "alone-*", "data", "*")); len(aside) != 1 {
		t.Errorf("of the files that only b had, kept are %q", aside)
	}
}

// ask asks the model, and returns the conversation.
func (p *place) ask(message, conversation string) string {
	p.t.Helper()
	var reply agenthttp.ChatReply
	text := p.wants("There are", "POST", "/api/agent/chat", agenthttp.ChatRequest{Message: message, Conversation: conversation})
	if err := json.Unmarshal([]byte(text), &reply); err != nil {
		p.t.Fatal(err)
	}
	return reply.Answer.Conversation
}

// TestAConversationOfTwoMachines begins at one server and goes on at another, also when the
// first is killed in the middle of an answer.
func TestAConversationOfTwoMachines(t *testing.T) {
	t.Parallel()
	var slow atomic.Bool
	asked := make(chan bool, 10)
	hang := make(chan bool)
	count := remoteCount("airports")
	onMachines(t, func(r providertest.Request) providertest.Reply {
		if slow.Load() {
			asked <- true
			<-hang
		}
		return count(r)
	}, func(t *testing.T, m *machines) {
		slow.Store(false)
		var kill func()
		admin := m.serve("a", &kill)
		a, eve := admin.as("ann"), admin.as("eve")
		other := m.serve("b", nil).get("DA_SERVER")
		b := a.with("DA_SERVER=" + other)
		id := a.ask("How many airports?", "")
		b.wants(id, "GET", "/api/agent/conversations", nil)
		b.wants("How many airports?", "GET", "/api/agent/conversations/"+id, nil)
		b.ask("And now?", id)
		a.wants("And now?", "GET", "/api/agent/conversations/"+id, nil)
		spent := a.wants("spent_today", "GET", "/api/agent/health", nil)
		if there := b.wants("spent_today", "GET", "/api/agent/health", nil); there != spent {
			t.Errorf("what the model has cost: %s and %s", spent, there)
		}

		admin.ok("admin", "grant", "--user", "ann", "--table", "airports")
		admin.ok("admin", "grant", "--user", "eve", "--table", "airports")
		var kept api.KeptResult
		text := a.wants("id", "POST", "/api/page/results", api.KeepResult{SQL: "SELECT iata FROM airports"})
		if err := json.Unmarshal([]byte(text), &kept); err != nil {
			t.Fatal(err)
		}
		rows := func(p *place) (int, string) {
			return p.request("POST", "/api/page/results/"+kept.ID+"/rows", api.ResultWindow{Limit: 5})
		}
		_, here := a.request("POST", "/api/page/results/"+kept.ID+"/summaries", api.SummarizeResult{Columns: []int{0}})
		if there := b.wants("", "POST", "/api/page/results/"+kept.ID+"/summaries", api.SummarizeResult{Columns: []int{0}}); there != here {
			t.Errorf("of a result of the page one server says %s, another %s", here, there)
		}
		if status, text := rows(eve.with("DA_SERVER=" + other)); status != 412 {
			t.Errorf("of a result of somebody else: %d %s", status, text)
		}
		if status, text := rows(b); status != 200 {
			t.Errorf("the rows at another server: %d %s", status, text)
		}

		slow.Store(true)
		cut := make(chan bool)
		go func() {
			_, _, _ = a.tryRequest("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "Once more?", Conversation: id})
			close(cut)
		}()
		<-asked
		if status, text := b.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "Me, too", Conversation: id}); status != 503 || !strings.Contains(text, "conversation_busy") {
			t.Errorf("while it goes on at the other server: %d %s", status, text)
		}
		kill()
		<-cut
		slow.Store(false)
		hang <- true
		b.wants("Once more?", "GET", "/api/agent/conversations/"+id, nil)
		if out, err := m.cluster.Command("psql", "-qc", "UPDATE da.conversations SET held_until = 0", "-d", strings.TrimPrefix(m.get("STATE")[strings.LastIndex(m.get("STATE"), "/"):], "/")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		b.ask("", id) // goes on with what was cut
		b.wants("deleted", "POST", "/api/agent/reset", agenthttp.ConversationRequest{Conversation: id})
		again := a.with("DA_SERVER=" + m.serve("a", nil).get("DA_SERVER"))
		if status, text := again.request("GET", "/api/agent/conversations/"+id, nil); status != 400 {
			t.Errorf("one that was deleted at the other server: %d %s", status, text)
		}
	})
}

// TestADeletedUserLeavesNothingOnMachines holds for files and conversations, and for copies of
// them at servers that were not up.
func TestADeletedUserLeavesNothingOnMachines(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{TCP: true})
	m := &machines{cluster: cluster, model: providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "There are some." },
		[]provider.Call{providertest.Call("a", "send_data_to_ui_as_df", map[string]any{"logical_name": "all", "path": "may.csv", "sql": "SELECT * FROM data"})}))}
	m.place = newPlace(t).with(fmt.Sprintf("STATE=postgres://%s@127.0.0.1:%d/postgres", pgtest.User, cluster.Port))
	m.folder = filepath.Join(m.dir, "blobs")
	m.blobs = fmt.Sprintf("{ at: %s }", m.folder)
	var killA, killB func()
	admin := m.serve("a", &killA)
	ann, eve := admin.as("ann"), admin.as("eve")
	b := m.serve("b", &killB).get("DA_SERVER")
	for _, user := range []*place{ann, eve} {
		user.upload("may.csv", "region,sales\nnorth,3\n")
		id := user.ask("How many airports?", "")
		there := user.with("DA_SERVER=" + b)
		there.wants("north", "GET", "/api/files/may.csv/download", nil)
		there.wants("airports", "GET", "/api/agent/conversations/"+id, nil)
	}
	kept := func() (n [6]int) {
		for i, pattern := range []string{"blobs/*/files/*/*", "blobs/*/agent/*/*/*", "a/files/*", "a/agent/*", "b/files/*", "b/agent/*"} {
			all, _ := filepath.Glob(filepath.Join(m.dir, pattern)) // the pattern is sound
			n[i] = len(all)
		}
		return n
	}
	both := kept()
	t.Cleanup(func() { t.Log(both, kept()) })
	if slices.Contains(both[:], 0) {
		t.Fatalf("before: %v", both)
	}
	killA()
	killB()
	m.ok("admin", "user", "delete", "ann", "--instance", filepath.Join(m.dir, "instance.yaml"))
	m.serve("a", nil)
	m.serve("b", nil)
	until(t, func() bool {
		for i, n := range kept() {
			if n == 0 || n*2 != both[i] {
				return false
			}
		}
		return true
	})
}
