package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox"
)

// mcpSession is a client of a running da mcp.
type mcpSession struct {
	*mcp.ClientSession
	t      testing.TB
	stderr *bytes.Buffer
	tools  map[string]*mcp.Tool
	told   chan *mcp.ProgressNotificationParams
	listed string // the last answer to tools/list, as it was sent
}

// mcp starts da mcp at the place, and ends it with the test.
func (p *place) mcp(args ...string) *mcpSession {
	p.t.Helper()
	s := &mcpSession{t: p.t, stderr: &bytes.Buffer{}, tools: map[string]*mcp.Tool{}, told: make(chan *mcp.ProgressNotificationParams, 1000)}
	cmd := p.command(append([]string{"mcp"}, args...)...)
	cmd.Stderr = s.stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { s.told <- r.Params },
	})
	var err error
	var heard bytes.Buffer
	transport := &mcp.LoggingTransport{Transport: &mcp.CommandTransport{Command: cmd}, Writer: &heard}
	if s.ClientSession, err = client.Connect(p.t.Context(), transport, nil); err != nil {
		p.t.Fatalf("da mcp: %v\n%s", err, s.stderr)
	}
	p.t.Cleanup(s.end)
	for tool, err := range s.Tools(p.t.Context(), nil) {
		if err != nil {
			p.t.Fatal(err)
		}
		s.tools[tool.Name] = tool
	}
	for line := range strings.Lines(heard.String()) {
		if message, is := strings.CutPrefix(line, "read: "); is && strings.Contains(message, `"tools":[`) {
			s.listed = message
		}
	}
	return s
}

// end closes da's input, upon which it ends.
func (s *mcpSession) end() { _ = s.Close() }

// call calls a tool. What it answers has been held against the schema that the
// tool's resource has.
func (s *mcpSession) call(tool, arguments string) (doc []byte, failed bool) {
	s.t.Helper()
	r, err := s.CallTool(s.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", tool, arguments, err, s.stderr)
	}
	if picture, ok := r.Content[len(r.Content)-1].(*mcp.ImageContent); ok && bytes.HasPrefix(picture.Data, []byte("\x89PNG")) {
		r.Content = r.Content[:len(r.Content)-1]
	}
	if len(r.Content) != 1 {
		s.t.Fatalf("%s %s: %d contents", tool, arguments, len(r.Content))
	}
	text := []byte(r.Content[0].(*mcp.TextContent).Text)
	if r.IsError {
		if r.StructuredContent != nil {
			s.t.Errorf("%s %s: an error with structured content", tool, arguments)
		}
		return text, true
	}
	s.fits(tool, r.StructuredContent)
	var same any
	if err := json.Unmarshal(text, &same); err != nil || fmt.Sprint(same) != fmt.Sprint(r.StructuredContent) {
		s.t.Errorf("%s %s: text and structured content differ: %v\n%s", tool, arguments, err, text)
	}
	return text, false
}

// fits holds an answer against the schema that the tool has announced.
func (s *mcpSession) fits(tool string, v any) {
	s.t.Helper()
	r, err := s.ReadResource(s.t.Context(), &mcp.ReadResourceParams{URI: "da://tool/" + tool})
	if err != nil {
		s.t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(r.Contents[0].Text), &schema); err != nil {
		s.t.Fatal(err)
	}
	if schema.Type != "object" {
		s.t.Errorf("%s does not answer with an object: %+v", tool, schema)
	}
	resolved, err := schema.Resolve(nil)
	if err == nil {
		err = resolved.Validate(v)
	}
	if err != nil {
		s.t.Errorf("%s answers what its schema does not allow: %v", tool, err)
	}
}

// TestMCPTranscripts runs the conversations of testdata/mcp, one a tool, with a
// real da mcp for a user of a real server. In a transcript
//
//	door [VARIABLE=VALUE …] [--flag …]   starts da mcp anew with these
//	> TOOL {ARGUMENTS}                   calls a tool; its answer follows
//	# TITLE                              says of the next call what comes of it:
//	                                     success, repairable or refused
//
// and the files of the archive lie in the working folder. UPDATE_TRANSCRIPTS=1
// writes the answers anew: read what it wrote.
func TestMCPTranscripts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cities := "  - { id: cities, source: files, path: airports.csv, query_mode: local, public: true, description: Cities with airports }\n"
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(fixtureInstance+cities), 0o600); err != nil {
		t.Fatal(err)
	}
	admin := p.served()
	files, err := filepath.Glob("testdata/mcp/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		told = append(told, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := &transcript{t: t, tool: name, seen: map[string]bool{}}
			tr.run(file, admin.userPlace(t, name))
		})
	}
	s := admin.mcp("--tools", "data,files,documents,fine")
	for name := range s.tools {
		if !slices.Contains(told, name) {
			t.Errorf("tool %s has no transcript", name)
		}
	}
	if len(told) != len(s.tools) {
		t.Errorf("%d transcripts for %d tools", len(told), len(s.tools))
	}
}

// userPlace returns the place of a new user, with a home and a folder of their
// own, for a parallel test.
func (p *place) userPlace(t *testing.T, user string) *place {
	t.Helper()
	q := (&place{t: t, dir: p.dir, env: p.env}).as(user)
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(p.dir, "data"), filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	q.dir = dir
	return q.with("DA_HOME="+filepath.Join(dir, "home"), "DA_AGENT=test")
}

type transcript struct {
	t     testing.TB
	tool  string
	title string
	place *place
	door  *mcpSession
	seen  map[string]bool
	told  bool // what the marks mean
	out   strings.Builder
}

// lean bounds what of an answer says nothing of the data. The notice comes once in
// a conversation. The marks around the data are at most 64 bytes, which is more
// than a quarter of very short answers only.
func lean(t testing.TB, doc []byte) {
	t.Helper()
	var e map[string]json.RawMessage
	if err := json.Unmarshal(doc, &e); err != nil {
		t.Fatal(err)
	}
	envelope := 0
	for _, field := range []string{"notice", "begin", "end"} {
		if value, ok := e[field]; ok {
			envelope += len(`"":,`) + len(field) + len(value)
		}
	}
	if envelope > max(64, len(doc)/4) {
		t.Errorf("%d of %d bytes are envelope: %s", envelope, len(doc), doc)
	}
}

func (tr *transcript) run(file string, p *place) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		tr.t.Fatal(err)
	}
	for _, f := range archive.Files {
		if err := os.WriteFile(filepath.Join(p.dir, f.Name), f.Data, 0o600); err != nil {
			tr.t.Fatal(err)
		}
	}
	tr.place = p
	for line := range strings.Lines(string(archive.Comment)) {
		tr.line(strings.TrimSuffix(line, "\n"))
	}
	for _, title := range []string{"success", "repairable", "refused"} {
		if !tr.seen[title] { // of the tool that the file is named after
			tr.t.Errorf("no call is titled %s", title)
		}
	}
	got := tr.out.String()
	if got == string(archive.Comment) {
		return
	}
	if os.Getenv("UPDATE_TRANSCRIPTS") == "" {
		tr.t.Errorf("%s is not what was said:\n%s", file, got)
		return
	}
	archive.Comment = []byte(got)
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *transcript) line(line string) {
	switch {
	case strings.HasPrefix(line, "# "):
		tr.title = strings.TrimPrefix(line, "# ")
	case line == "door", strings.HasPrefix(line, "door "):
		var flags, env []string
		for _, w := range strings.Fields(line)[1:] {
			if strings.HasPrefix(w, "--") {
				flags = append(flags, w)
			} else {
				env = append(env, w)
			}
		}
		if tr.door != nil {
			tr.door.end()
		}
		tr.door, tr.told = tr.place.with(env...).mcp(flags...), false
	case strings.HasPrefix(line, "> "):
		tr.out.WriteString(line + "\n")
		tr.call(strings.TrimPrefix(line, "> "))
		return
	case line != "":
		return // an answer of before
	}
	tr.out.WriteString(line + "\n")
}

// call runs a call and checks that what comes of it is what its title says.
func (tr *transcript) call(text string) {
	tool, arguments, _ := strings.Cut(text, " ")
	if tr.door == nil {
		tr.door = tr.place.mcp()
	}
	doc, failed := tr.door.call(tool, arguments)
	if !failed && tr.told {
		lean(tr.t, doc)
	}
	tr.told = tr.told || strings.HasPrefix(string(doc), `{"notice"`)
	if want := tr.title == "repairable" || tr.title == "refused"; failed != want {
		tr.t.Errorf("%s: failed is %v, titled %q\n%s", text, failed, tr.title, doc)
	}
	if tr.title == "repairable" {
		var e struct {
			Next  any
			Error struct{ Hint string }
		}
		if err := json.Unmarshal(doc, &e); err != nil || e.Error.Hint == "" && e.Next == nil {
			tr.t.Errorf("%s: no hint how to repair it: %s", text, doc)
		}
	}
	if spoken := commandLine.Find(forOthers.ReplaceAll(doc, nil)); spoken != nil {
		tr.t.Errorf("%s: speaks of the command line: %q\n%s", text, spoken, doc)
	}
	tr.seen[tr.title] = tr.seen[tr.title] || tool == tr.tool
	tr.title = ""
	tr.out.WriteString(tr.normal(doc))
}

// commandLine finds what only makes sense at a command line, forOthers what
// only those do there who start da, or run a server.
var (
	commandLine = regexp.MustCompile(`\bda [a-z-]+ |--[a-z]`)
	forOthers   = regexp.MustCompile(`da (?:login|admin) |--max-scan-bytes`)
)

// changing are the parts of answers that differ from run to run.
var changing = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`data-[0-9a-f]{12}`), "data-0"},
	{regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`), `"TIME"`},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`(document|sheet|presentation)","size":\d+`), `$1","size":"SIZE"`}, // receipts have the time in them
	{regexp.MustCompile(`"sha256":"[0-9a-f]{64}"`), `"sha256":"HASH"`},
	{regexp.MustCompile(`"content_hash":"[^"]+"`), `"content_hash":"HASH"`},
	{regexp.MustCompile(`deleted on [0-9-]+ [0-9:]+ UTC`), "deleted on DAY"},
	{regexp.MustCompile(`"day":"[0-9-]+"`), `"day":"DAY"`},
	{regexp.MustCompile(`"request_id":"[0-9a-f]+"`), `"request_id":"ID"`},
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), "URL"},
	{regexp.MustCompile(`"(bytes_local|used_bytes|free_bytes|query_elapsed_ms|estimated_scan_bytes|size_bytes|result_bytes|retry_after_seconds|quota_bytes|current)":\d+`), `"$1":0`},
	{regexp.MustCompile(`fetched (?:just now|\d+ \w+ ago)`), "fetched THEN"},
	{regexp.MustCompile(`would read \d+ bytes`), "would read N bytes"},
}

// normal writes an answer with a line for each of its fields, and in place of
// what changes something that does not.
func (tr *transcript) normal(doc []byte) string {
	text := strings.ReplaceAll(string(doc), tr.place.dir, "DIR")
	for _, c := range changing {
		text = c.re.ReplaceAllString(text, c.to)
	}
	var row api.Row
	if err := json.Unmarshal([]byte(text), &row); err != nil {
		tr.t.Fatalf("no JSON object: %v\n%s", err, text)
	}
	var b strings.Builder
	b.WriteString("{\n")
	for i, key := range row.Columns {
		var v bytes.Buffer
		enc := json.NewEncoder(&v)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(row.Values[i]); err != nil {
			tr.t.Fatal(err)
		}
		fmt.Fprintf(&b, "  %q: %s", key, v.String())
	}
	return b.String() + "}\n"
}

// TestMCPToolsAreDescribed holds what clients decide by before they call a tool.
func TestMCPToolsAreDescribed(t *testing.T) {
	t.Parallel()
	s := newPlace(t).mcp()
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		a := tool.Annotations
		if tool.Title == "" || tool.Description == "" || tool.InputSchema == nil || a == nil || (a.DestructiveHint == nil) != a.ReadOnlyHint {
			t.Errorf("%s lacks a title, a description, a schema or an annotation: %+v", tool.Name, tool)
		}
	}
}

// TestMCPToolsTogetherAreShortToList bounds the list of all tools at 9,000 tokens, and
// holds that calls take what it leaves out.
func TestMCPToolsTogetherAreShortToList(t *testing.T) {
	t.Parallel()
	s := newPlace(t).mcp("--tools", strings.Join(toolbox.Sets(), ","))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if most := 9000 * 43 / 10; len(s.listed) > most || len(list.Tools) < 80 {
		t.Errorf("%d tools in %d bytes, over %d", len(list.Tools), len(s.listed), most)
	}
	for _, tool := range list.Tools {
		if a := tool.Annotations; tool.Description == "" || tool.InputSchema == nil || a == nil || (a.DestructiveHint == nil) != a.ReadOnlyHint {
			t.Errorf("%s lacks a description, a schema or an annotation: %+v", tool.Name, tool)
		}
	}
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "catalog_search", Arguments: map[string]any{"max_tokens": 1000}})
	if err != nil || r.IsError {
		t.Errorf("with max_tokens: %+v, %v", r, err)
	}
	if told := s.InitializeResult().Instructions; !strings.Contains(told, "max_tokens") {
		t.Errorf("instructions: %s", told)
	}
}

// TestMCPToolsOpen holds that further tools are listed once they were asked for, or
// called.
func TestMCPToolsOpen(t *testing.T) {
	t.Parallel()
	s := newPlace(t).mcp()
	listed := func(names ...string) {
		t.Helper()
		list, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			name, there := strings.CutPrefix(name, "+")
			if has := slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == name }); has != there {
				t.Errorf("%s is listed: %t", name, has)
			}
		}
	}
	listed("+query", "fetch", "disk_info", "xlsx_operations")
	if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "disk_info"}); err != nil || r.IsError {
		t.Errorf("a tool that is not listed: %+v, %v", r, err)
	}
	listed("+query", "+fetch", "+disk_info", "xlsx_operations")
	for set, failed := range map[string]bool{"office": false, "nothing": true} {
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "open_tools", Arguments: map[string]any{"set": set}})
		if err != nil || r.IsError != failed {
			t.Errorf("%s: %+v, %v", set, r, err)
		}
	}
	listed("+fetch", "+xlsx_operations", "table_stats")
}

// TestMCPNarrowed leaves tools out.
func TestMCPNarrowed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	names := func(args ...string) []string {
		var all []string
		for name := range p.mcp(args...).tools {
			all = append(all, name)
		}
		slices.Sort(all)
		return all
	}
	all := names()
	readOnly := names("--read-only")
	for _, name := range all {
		writes := slices.Contains([]string{"fetch", "snapshot_refresh", "snapshot_restore", "snapshot_drop", "snapshot_import", "catalog_sync", "table_export"}, name)
		if slices.Contains(readOnly, name) == writes {
			t.Errorf("with --read-only, %s is there: %v", name, !writes)
		}
	}
	if got := names("--tools", "query,catalog_search"); !slices.Equal(got, []string{"catalog_search", "query"}) {
		t.Errorf("--tools leaves %v", got)
	}
	o := p.run("mcp", "--tools", "fetchh", "--json")
	if e := o.lastJSON(t); o.code != 2 || !strings.Contains(e.Hint, "fetch") || o.stdout != "" {
		t.Errorf("an unknown tool: %+v", o)
	}
	if o := p.run("mcp", "--read-only", "--tools", "fetch", "--json"); o.code != 2 || !strings.Contains(o.lastJSON(t).Hint, "--read-only") {
		t.Errorf("no tool left: %+v", o)
	}
	s := p.mcp("--read-only")
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "fetch", Arguments: map[string]any{"table_id": "flights"}}); err == nil {
		t.Error("a tool that was left out can be called")
	}
	if in, err := json.Marshal(s.tools["query"].InputSchema); err != nil || strings.Contains(string(in), `"fetch"`) || !strings.Contains(string(in), `"max_tokens"`) {
		t.Errorf("with --read-only, query takes %s, %v", in, err)
	}
	// A call fails only if all of its statements failed.
	for sql, failed := range map[string]bool{"SELECT nope; SELECT 1 FROM nothere": true, "SELECT nope; SELECT 1": false} {
		if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "query", Arguments: map[string]any{"sql": sql}}); err != nil || r.IsError != failed {
			t.Errorf("%s: %v, %v", sql, r, err)
		}
	}
}

// TestMCPSpeaksOnlyProtocolOnStdout sends what no client should, and wants
// nothing but messages back, and a good end.
func TestMCPSpeaksOnlyProtocolOnStdout(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cmd := p.command("mcp")
	cmd.Stdin = strings.NewReader(strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"no_such","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"query","arguments":[]}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT error('x')"}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"da://schema/nothere"}}`,
	}, "\n") + "\n")
	o := finish(t, cmd)
	if o.code != 0 {
		t.Errorf("exit %d\n%s", o.code, o.stderr)
	}
	answered := map[int]bool{}
	for line := range strings.Lines(o.stdout) {
		var m struct {
			JSONRPC string
			ID      int
			Result  json.RawMessage
			Error   *struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" || (m.Result == nil) == (m.Error == nil) {
			t.Errorf("no message: %v: %s", err, line)
		}
		answered[m.ID] = true
	}
	for id := 1; id <= 6; id++ {
		if !answered[id] {
			t.Errorf("request %d has no answer:\n%s", id, o.stdout)
		}
	}
}

// TestMCPTellsProgress fetches and wants to hear of it.
func TestMCPTellsProgress(t *testing.T) {
	t.Parallel()
	s := newPlace(t).mcp()
	params := &mcp.CallToolParams{Name: "fetch", Arguments: map[string]any{"table_id": "flights"}}
	params.SetProgressToken("mine")
	r, err := s.CallTool(t.Context(), params)
	if err != nil || r.IsError {
		t.Fatalf("%v %+v", err, r)
	}
	last, rows := 0.0, false
	for !rows { // they arrive in order; the last may be on its way still
		n := <-s.told
		if n.ProgressToken != "mine" || n.Progress <= last {
			t.Fatalf("progress %+v after %v", n, last)
		}
		last = n.Progress
		rows = strings.Contains(n.Message, "600 rows")
	}
}

// TestMCPResourcesAndPrompt reads schemas as resources and gets the prompt.
func TestMCPResourcesAndPrompt(t *testing.T) {
	t.Parallel()
	s := newPlace(t).mcp()
	var uris []string
	for r, err := range s.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		uris = append(uris, r.URI)
	}
	if !slices.Contains(uris, "da://schema/flights") || !slices.IsSorted(uris) {
		t.Errorf("resources: %v", uris)
	}
	templates, err := s.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 2 || templates.ResourceTemplates[0].URITemplate != "da://schema/{id}" || templates.ResourceTemplates[1].URITemplate != "da://tool/{name}" {
		t.Errorf("templates: %v %+v", err, templates)
	}
	r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "da://schema/flights"})
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		TableID string `json:"table_id"`
		Begin   string `json:"begin"`
		Columns []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(r.Contents[0].Text), &schema); err != nil || schema.TableID != "flights" || len(schema.Columns) != 5 || schema.Begin == "" {
		t.Errorf("schema: %v %s", err, r.Contents[0].Text)
	}
	for _, uri := range []string{"da://schema/nothere", "da://schema/..%2fx", "da://other/flights"} {
		if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s can be read", uri)
		}
	}
	done, err := s.Complete(t.Context(), &mcp.CompleteParams{
		Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "da://schema/{id}"}, Argument: mcp.CompleteParamsArgument{Name: "id", Value: "fl"},
	})
	if err != nil || !slices.Equal(done.Completion.Values, []string{"flights"}) {
		t.Errorf("completion: %v %+v", err, done)
	}
	prompt, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "analyze", Arguments: map[string]string{"question": "Which origin is late?"}})
	if err != nil {
		t.Fatal(err)
	}
	text := prompt.Messages[0].Content.(*mcp.TextContent).Text
	for name := range s.tools {
		if name != "open_tools" && !strings.HasPrefix(name, "table_") && !strings.HasPrefix(name, "snapshot_") && !strings.Contains(text, name) {
			t.Errorf("the prompt says nothing of %s:\n%s", name, text)
		}
	}
	if !strings.Contains(text, "Which origin is late?") {
		t.Errorf("the question is not in the prompt:\n%s", text)
	}
}

// TestMCPEndsWithItsInput ends da mcp in the middle of a call.
func TestMCPEndsWithItsInput(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("fetch", "many", "--limit", "5000")
	cmd := p.command("mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(out)
	send := func(text string) {
		if _, err := io.WriteString(in, text+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	next := func() string {
		var m json.RawMessage
		if err := lines.Decode(&m); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		return string(m)
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	next()
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT count(*) FROM many a, many b, many c, many d WHERE a.n + b.n + c.n + d.n < 0"},"_meta":{"progressToken":1}}}`)
	if told := next(); !strings.Contains(told, "notifications/progress") {
		t.Fatalf("the call has not begun: %s", told)
	}
	in.Close()
	for next() != "" {
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("da mcp ended with %v", err)
	}
}

// TestMCPRunIsAConversation holds a run of da mcp to the budget of a session,
// also if nobody has named it, and begins the next run anew.
func TestMCPRunIsAConversation(t *testing.T) {
	t.Parallel()
	for what, p := range map[string]*place{"embedded": newPlace(t), "served": newPlace(t).served()} {
		p = p.with("DA_SESSION_BUDGET=4000")
		for _, run := range []string{"one", "two"} {
			s := p.mcp()
			if doc, failed := s.call("fetch", `{"table_id":"flights","as":"a","force":true,"fresh":true}`); failed {
				t.Fatalf("%s, run %s: the first fetch: %s", what, run, doc)
			}
			doc, failed := s.call("fetch", `{"table_id":"flights","as":"b","force":true,"fresh":true}`)
			if !failed || !strings.Contains(string(doc), `"kind":"session_bytes"`) {
				t.Errorf("%s, run %s: the second fetch: %s", what, run, doc)
			}
		}
	}
}
