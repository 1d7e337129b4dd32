package cli

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/cli/demo"
	"github.com/agnes-data/da/internal/testing/doctest"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestAMondayInOnePage does what a new user asks for: put this workbook in, add a
// sheet with last month's numbers from the catalog, make a one-page memo with a
// chart. The workbook is one that another program made. It is done from the terminal
// and through MCP; both give the same cells, leave the workbook's own parts as they
// were, and LibreOffice opens what comes of it.
func TestAMondayInOnePage(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "pdfinfo")
	books := doctest.Foreign(t, ".xlsx")
	book, err := os.ReadFile(books[slices.IndexFunc(books, func(path string) bool { return strings.HasSuffix(path, "examples/styles/out.xlsx") })])
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	if err := demo.Write(filepath.Join(p.dir, "demo")); err != nil {
		t.Fatal(err)
	}
	p = p.with("DA_INSTANCE=" + filepath.Join(p.dir, "demo", demo.InstanceFile))
	if err := os.WriteFile(filepath.Join(p.dir, "plan.xlsx"), book, 0o600); err != nil {
		t.Fatal(err)
	}
	const (
		figures = "SELECT origin, count(*) AS flights, round(avg(delay), 1) AS delay FROM june GROUP BY ALL ORDER BY flights DESC LIMIT 5"
		chart   = "SELECT origin, count(*) AS flights FROM june GROUP BY ALL ORDER BY flights DESC LIMIT 5"
		memo    = `[{"op": "append_heading", "text": "June"}, {"op": "append_paragraph", "text": "Chicago leads."}]`
	)

	p.ok("files", "put", "plan.xlsx")
	p.ok("fetch", "flights", "--where", "month = 6", "--select", "origin,delay", "--as", "june")
	p.ok("files", "add", "plan.xlsx", figures, "--sheet", "June", "--table", "june")
	p.ok("files", "edit", "memo.docx", "--create", "--operations", memo)
	p.ok("files", "add", "memo.docx", chart, "--plot", "bar")
	byHand := p.ok("files", "read", "plan.xlsx", "--sheet", "June", "--json")
	made := map[string][]byte{}
	p.fileOfWorkspace(made, "plan.xlsx")
	p.fileOfWorkspace(made, "memo.docx")

	s := p.with("DA_HOME="+filepath.Join(p.dir, "other")).mcp("--tools", "data,files,documents,fine")
	do := func(tool string, arguments map[string]any) map[string]any {
		t.Helper()
		text, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		doc, failed := s.call(tool, string(text))
		answer := map[string]any{}
		if err := json.Unmarshal(doc, &answer); err != nil || failed {
			t.Fatalf("%s %s: %s, %v", tool, text, doc, err)
		}
		return answer
	}
	do("file_create", map[string]any{"name": "agent.xlsx"})
	do("file_write_bytes", map[string]any{"id": "agent.xlsx", "offset": 0, "base64data": base64.StdEncoding.EncodeToString(book)})
	found := do("catalog_search", map[string]any{"query": "flights"})["tables"].([]any)
	table := fmt.Sprint(found[0].(map[string]any)["id"])
	do("fetch", map[string]any{"table_id": table, "where": "month = 6", "select": []string{"origin", "delay"}, "as": "june"})
	do("add_result", map[string]any{"path": "agent.xlsx", "sql": figures, "sheet": "June", "table": "june"})
	do("docx_operations", map[string]any{"path": "agent.docx", "create_if_missing": true, "operations": json.RawMessage(memo)})
	do("add_result", map[string]any{"path": "agent.docx", "sql": chart, "plot": "bar"})
	byModel := do("read_file", map[string]any{"path": "agent.xlsx", "sheet": "June"})
	q := p.with("DA_HOME=" + filepath.Join(p.dir, "other"))
	q.fileOfWorkspace(made, "agent.xlsx")
	q.fileOfWorkspace(made, "agent.docx")

	var hand map[string]any
	if err := json.Unmarshal([]byte(byHand), &hand); err != nil || fmt.Sprint(hand["cells"]) != fmt.Sprint(byModel["cells"]) || !strings.Contains(fmt.Sprint(hand["cells"]), "ORD 2857 12.2") {
		t.Errorf("%v: by hand %s, by the model %v", err, byHand, byModel)
	}
	for _, name := range []string{"plan.xlsx", "agent.xlsx"} {
		if same := !slices.Contains(doctest.Differing(t, book, made[name]), "xl/worksheets/sheet1.xml"); !same {
			t.Errorf("%s: the sheet that was there is another now", name)
		}
	}
	for name, data := range doctest.Convert(t, made, "pdf") {
		if !strings.HasSuffix(name, ".docx") {
			continue
		}
		path := filepath.Join(t.TempDir(), "memo.pdf")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.CommandContext(t.Context(), "pdfinfo", path).Output(); err != nil || !strings.Contains(strings.Join(strings.Fields(string(said)), " "), "Pages: 1 ") {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
	}
}

// fileOfWorkspace reads a file of the workspace into made.
func (p *place) fileOfWorkspace(made map[string][]byte, name string) {
	p.t.Helper()
	p.ok("files", "get", name, "--to", "got-"+name)
	data, err := os.ReadFile(filepath.Join(p.dir, "got-"+name))
	if err != nil {
		p.t.Fatal(err)
	}
	made[name] = data
}
