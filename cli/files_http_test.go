package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
)

// upload sends a file to the place's server.
func (p *place) upload(name, text string) (status int, answer string) {
	p.t.Helper()
	return p.uploadTo("/api/files/upload", name, text)
}

func (p *place) uploadTo(path, name, text string) (status int, answer string) {
	p.t.Helper()
	status, answer, err := p.tryUpload(path, name, text)
	if err != nil {
		p.t.Fatal(err)
	}
	return status, answer
}

// tryUpload is uploadTo for a server that may be gone.
func (p *place) tryUpload(path, name, text string) (status int, answer string, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return 0, "", err
	}
	_, _ = io.WriteString(part, text) // into memory
	_ = form.Close()
	r, err := http.NewRequestWithContext(p.t.Context(), "POST", p.get("DA_SERVER")+path, &body)
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer "+p.get("DA_TOKEN"))
	r.Header.Set("Content-Type", form.FormDataContentType())
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, "", err
	}
	return res.StatusCode, string(data), nil
}

// TestFilesOnAServer keeps files of two users on a served instance, each to
// themselves, and on one that was not told to keep any.
func TestFilesOnAServer(t *testing.T) {
	t.Parallel()
	plain := newPlace(t).served().as("ann")
	if status, text := plain.request("GET", "/api/files", nil); status != 503 || !strings.Contains(text, "files_off") {
		t.Errorf("a server that keeps no files: %d %s", status, text)
	}
	admin := newPlace(t)
	if err := os.WriteFile(filepath.Join(admin.dir, "instance.yaml"), []byte("files: { max_file_mb: 1 }\n"+fixtureInstance), 0o600); err != nil {
		t.Fatal(err)
	}
	admin = admin.served()
	ann, bob := admin.as("ann"), admin.as("bob")
	status, text := ann.upload("may.csv", "region,sales\nnorth,3\n")
	var f workspace.File
	if err := json.Unmarshal([]byte(text), &f); err != nil || status != 201 || f.Name != "may.csv" || f.MIMEType != "text/csv" {
		t.Fatalf("upload: %d %s", status, text)
	}
	if status, text := ann.request("GET", "/api/files/"+f.ID+"/download", nil); status != 200 || text != "region,sales\nnorth,3\n" {
		t.Errorf("download: %d %s", status, text)
	}
	if status, text := bob.request("GET", "/api/files/"+f.ID+"/download", nil); status != 404 {
		t.Errorf("bob, whose file it is not: %d %s", status, text)
	}
	if status, text := ann.upload("large.bin", strings.Repeat("x", 1_100_000)); status != 413 || !strings.Contains(text, "file_size") {
		t.Errorf("too large: %d %s", status, text)
	}
	if status, text := ann.request("GET", "/api/files?patern=x", nil); status != 400 || !strings.Contains(text, "there is no parameter 'patern'") {
		t.Errorf("a parameter that is not known: %d %s", status, text)
	}
	if status, text := ann.request("DELETE", "/api/files/"+f.ID, nil); status != 200 {
		t.Errorf("delete: %d %s", status, text)
	}
	ann.filesOverMCP(bob)
	if _, err := plain.overHTTP(bearer{}, "?tools=files"); err == nil {
		t.Error("a server that keeps no files serves tools for them")
	}
	var audit []api.AuditEvent
	if err := json.Unmarshal([]byte(admin.ok("admin", "audit", "--user", "ann", "--json")), &audit); err != nil {
		t.Fatal(err)
	}
	var did []string
	for _, e := range audit {
		if e.Data.Subject == f.ID && e.Data.FileName != f.Name {
			t.Errorf("the audit calls %s %q", f.Name, e.Data.FileName)
		}
		if e.EventType == api.EventFile && (e.Data.Subject == f.ID || e.Data.Status != api.StatusOK) {
			did = append(did, e.Data.Action+" "+e.Data.Status)
		}
	}
	if got := strings.Join(did, ", "); got != "upload ok, download ok, upload quota_exceeded, delete ok, spreadsheet_write_cell rejected, spreadsheet_write_range rejected, table_query error, table_query error, table_query error, read_file rejected" {
		t.Errorf("the audit: %s", got)
	}
}

// filesOverMCP has a model work on the caller's files, in the workspace and in a
// draft; other does not see them.
func (p *place) filesOverMCP(other *place) {
	p.t.Helper()
	ask := func(q *place, query, tool string, arguments map[string]any) (text string, failed bool) {
		p.t.Helper()
		s, err := q.overHTTP(bearer{}, query)
		if err != nil {
			p.t.Fatal(err)
		}
		defer s.Close()
		r, err := s.CallTool(p.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			return err.Error(), true
		}
		return r.Content[0].(*mcp.TextContent).Text, r.IsError
	}
	const all = "?tools=data,files,documents,fine"
	cells := []map[string]any{{"op": "set_range", "values": [][]any{{"region"}, {"north"}}}}
	if text, failed := ask(p, all, "xlsx_operations", map[string]any{"path": "plan.xlsx", "create_if_missing": true, "operations": cells}); failed {
		p.t.Errorf("a workbook: %s", text)
	}
	if text, failed := ask(p, all, "read_file", map[string]any{"path": "plan.xlsx"}); failed || !strings.Contains(text, "north") {
		p.t.Errorf("its cells: %s", text)
	}
	ask(p, all, "write_text_file", map[string]any{"path": "sales.csv", "content": "region,id\n"})
	for _, write := range []string{"spreadsheet_write_cell", "spreadsheet_write_range"} {
		in := map[string]any{"file_id": "sales.csv", "cell": "A1", "value": "x"}
		if write == "spreadsheet_write_range" {
			in = map[string]any{"file_id": "sales.csv", "start_cell": "A1", "data": [][]any{{"x"}}}
		}
		if text, failed := ask(p, all, write, in); !failed || !strings.Contains(text, "A CSV file has no cells") {
			p.t.Errorf("cells of CSV: %s", text)
		}
	}
	p.tablesOverMCP(func(tool string, arguments map[string]any) (string, bool) { return ask(p, all, tool, arguments) })
	if text, failed := ask(p, all+"&draft=idea", "file_delete", map[string]any{"id": "plan.xlsx"}); failed {
		p.t.Errorf("in a draft: %s", text)
	}
	if status, text := p.request("GET", "/api/files/plan.xlsx", nil); status != 200 || !strings.Contains(text, `"rows":2`) {
		p.t.Errorf("beside the draft: %d %s", status, text)
	}
	if text, failed := ask(other, all, "list_files", nil); failed || strings.Contains(text, "plan.xlsx") {
		p.t.Errorf("another user's list: %s", text)
	}
	for tool, query := range map[string]string{"list_files": "", "table_query": "", "add_result": all, "snapshot_import": all} {
		if text, failed := ask(p, query, tool, nil); !failed || !strings.Contains(text, "unknown tool") {
			p.t.Errorf("%s is there: %s", tool, text)
		}
	}
	if text, failed := ask(p, all, "read_file", map[string]any{"path": "none.txt"}); !failed || !strings.Contains(text, "there is no file") {
		p.t.Errorf("a file that is not there: %s", text)
	}
	if _, err := p.overHTTP(bearer{}, "?tools=fils"); err == nil {
		p.t.Error("a set that is not there")
	}
}

// tablesOverMCP reads the caller's files as tables, and writes one from rows.
func (p *place) tablesOverMCP(ask func(tool string, arguments map[string]any) (string, bool)) {
	p.t.Helper()
	ask("write_text_file", map[string]any{"path": "in/may.csv", "content": "region,n\nnorth,1\nsouth,3\n"})
	for _, call := range []struct {
		tool, want string
		in         map[string]any
	}{
		{"table_query", `"rows":[[4]]`, map[string]any{"path": "in/may.csv", "query": "SELECT sum(n) AS n FROM data"}},
		{"table_query", `"rows":[[1]]`, map[string]any{"path": "in/may.csv", "query": "SELECT count(*) AS n FROM data JOIN o USING (region)",
			"tables": map[string]any{"o": map[string]any{"path": "plan.xlsx"}}}},
		{"get_dataset_info", `"row_count":1`, map[string]any{"name": "plan.xlsx"}},
		{"list_datasets", `"in/may.csv"`, nil},
		{"table_export", `"row_count":1`, map[string]any{"path": "in/may.csv", "query": "SELECT * FROM data WHERE n > 1", "target_path": "out/big.csv"}},
		{"file_read_text", "south,3", map[string]any{"id": "out/big.csv"}},
	} {
		if text, failed := ask(call.tool, call.in); failed || !strings.Contains(text, call.want) {
			p.t.Errorf("%s %v: %s", call.tool, call.in, text)
		}
	}
	for _, path := range []string{"/etc/passwd", "../../state.db", "in/none.csv"} {
		if text, failed := ask("table_query", map[string]any{"path": path, "query": "SELECT * FROM data"}); !failed || strings.Contains(text, `"internal"`) || strings.Contains(text, "scratch") {
			p.t.Errorf("%s: %s", path, text)
		}
	}
}
