package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/workspace/content"
)

// translator reads a workbook step by step and writes it anew, with English words
// and prices in USD.
func translator() func(providertest.Request) providertest.Reply {
	words := map[string]string{"Produkt": "Product", "Preis EUR": "Price USD", "Tee": "Tea", "Kaffee": "Coffee"}
	call := providertest.Call
	return func(r providertest.Request) providertest.Reply {
		said := 0
		for _, m := range r.Messages[lastQuestion(r.Messages):] {
			if m.Role == provider.Assistant {
				said++
			}
		}
		reply := providertest.Reply{Usage: provider.Usage{Input: 1000, Output: 50}}
		switch said {
		case 0:
			reply.Text, reply.Calls = "I look what there is.", []provider.Call{call("a", "list_files", map[string]any{}), call("b", "get_file_info", map[string]any{"path": "preise.xlsx"})}
		case 1:
			reply.Text, reply.Calls = "I read the file first.", []provider.Call{call("c", "read_file", map[string]any{"path": "preise.xlsx"})}
		case 2:
			var read content.Reading
			_ = json.Unmarshal([]byte(r.Results()[0].Text), &read)
			values := read.Cells.Values
			for _, row := range values {
				for i, v := range row {
					switch v := v.(type) {
					case string:
						row[i] = words[v]
					case float64:
						row[i] = v * 1.5
					}
				}
			}
			reply.Text, reply.Calls = "I create the translated copy.", []provider.Call{call("d", "xlsx_operations", map[string]any{"path": "prices_english.xlsx", "create_if_missing": true,
				"operations": []any{map[string]any{"op": "ensure_sheet", "sheet": "Prices"}, map[string]any{"op": "set_range", "sheet": "Prices", "start": "A1", "values": values}}})}
		default:
			reply.Text = "Done! I've created prices_english.xlsx."
		}
		return reply
	}
}

// TestAskTranslatesAWorkbook lets a model write a workbook. It lies in a draft
// until the user applies it.
func TestAskTranslatesAWorkbook(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*place{"embedded": newPlace(t), "served": newPlace(t).served()} {
		t.Run(name, func(t *testing.T) {
			p.workbook(filepath.Join(p.dir, "preise"), "Produkt,Preis EUR\nTee,2\nKaffee,3\n")
			model := providertest.NewServer(t, translator())
			p := p.withModel(model, provider.OpenAI)
			var answer agent.Answer
			if err := json.Unmarshal([]byte(p.ok("ask", "Translate this workbook, prices to USD", "--file", "preise.xlsx", "-o", "json")), &answer); err != nil {
				t.Fatal(err)
			}
			if text := p.ok("conversations", "show", answer.Conversation); !strings.Contains(text, "with preise.xlsx (") {
				t.Errorf("the question has no file: %s", text)
			}
			if !answer.Whole() || answer.Calls != 4 || answer.Draft == nil || answer.Draft.Applied || len(answer.Draft.Changes) != 1 || answer.Draft.Changes[0].File != "prices_english.xlsx" {
				t.Fatalf("answer %+v, draft %+v", answer, answer.Draft)
			}
			if files := p.ok("files", "list"); strings.Contains(files, "english") || !strings.Contains(files, "preise.xlsx") {
				t.Errorf("before it is applied the workspace has\n%s", files)
			}
			draft := answer.Draft.Name
			if diff := p.ok("files", "draft", "diff", draft); !strings.Contains(diff, "prices_english.xlsx") {
				t.Errorf("diff:\n%s", diff)
			}
			p.ok("files", "draft", "apply", draft)
			var read content.Reading
			if err := json.Unmarshal([]byte(p.ok("files", "read", "prices_english.xlsx", "--sheet", "Prices", "--json")), &read); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(read.Cells.Values); got != "[[Product Price USD] [Tea 3] [Coffee 4.5]]" {
				t.Errorf("cells %s", got)
			}
		})
	}
}

// TestAskApplies makes changes at the end of a turn where the call or the config
// says so, and says why where it cannot.
func TestAskApplies(t *testing.T) {
	t.Parallel()
	writes := func(file string) *providertest.Server {
		return providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "written" },
			[]provider.Call{providertest.Call("a", "write_text_file", map[string]any{"path": file, "content": "of the model\n"})}))
	}
	for _, c := range []struct {
		file    string
		config  string
		flags   []string
		applied bool
	}{
		{"reports/a.md", "", nil, false},
		{"reports/a.md", "", []string{"--apply"}, true},
		{"reports/a.md", "apply: reports/**", nil, true},
		{"notes/a.md", "apply: reports/**", nil, false},
	} {
		p := newPlace(t).withModel(writes(c.file), provider.Anthropic, c.config)
		o := p.run(append([]string{"ask", "write"}, c.flags...)...)
		says := "Changed in the workspace: 1 file: created " + c.file
		if !c.applied {
			says = "In draft ask_"
		}
		there := p.run("files", "read", c.file).stdout
		if o.code != 0 || !strings.Contains(o.stderr, says) || (there == "of the model\n") != c.applied {
			t.Errorf("%+v: exit %d: %s\nread: %s", c, o.code, o.stderr, there)
		}
	}
	p := newPlace(t).withModel(writes("a.md"), provider.Anthropic)
	p.ok("files", "write", "a.md", "--content", "first")
	p.ok("ask", "write")
	p.ok("files", "write", "a.md", "--content", "second")
	if o := p.run("ask", "again", "--continue", "--apply"); o.code == 0 || o.stdout != "written\n" || !strings.Contains(o.stderr, "was changed since") {
		t.Errorf("a conflict: exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
	if text := p.ok("files", "read", "a.md"); text != "second" {
		t.Errorf("the user's file is %q", text)
	}
}

// TestAskQueriesFilesOfTheWorkspace lets the tools for local files read what the
// conversation has written, and keeps what they write in its draft.
func TestAskQueriesFilesOfTheWorkspace(t *testing.T) {
	t.Parallel()
	call := providertest.Call
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return last[0].Text },
		[]provider.Call{call("a", "table_query", map[string]any{"path": "in/sales.csv", "query": "SELECT sum(n) FROM data"})},
		[]provider.Call{call("b", "write_text_file", map[string]any{"path": "in/sales.csv", "content": "n\n40\n2\n"}),
			call("c", "table_export", map[string]any{"path": "in/sales.csv", "target_path": "out.csv", "query": "SELECT sum(n) AS total FROM data"}),
			call("e", "write_text_file", map[string]any{"path": "in/bare.csv", "content": "Ann,Oslo\nBob,Rome\nCid,Bern\n"}),
			call("f", "table_export", map[string]any{"path": "in/bare.csv", "target_path": "bare2.csv"})},
		[]provider.Call{call("d", "read_file", map[string]any{"path": "out.csv"})}))
	p := newPlace(t).withModel(model, provider.Compatible)
	p.ok("files", "write", "in/sales.csv", "--content", "n\n1\n2\n")
	if text := p.ok("ask", "x"); !strings.Contains(text, "42") {
		t.Errorf("answer %s", text)
	}
	if told := model.Requests()[1].Results()[0].Text; !strings.Contains(told, `integer\n3\n`) {
		t.Errorf("the first count: %s", model.Requests()[1].Results()[0].Text)
	}
	if text := p.ok("files", "read", "in/sales.csv"); text != "n\n1\n2\n" {
		t.Errorf("the workspace was changed: %q", text)
	}
	if diff := p.ok("files", "draft", "diff", "--json"); strings.Count(diff, "may be data") != 1 {
		t.Errorf("the draft does not tell what the export has told: %s", diff)
	}
	var list ask.ConversationList
	if err := json.Unmarshal([]byte(p.ok("conversations", "list", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	p.ok("conversations", "delete", list.Conversations[0].ID)
	if drafts := p.ok("files", "draft", "list", "--json"); strings.Contains(drafts, "ask_") {
		t.Errorf("a deleted conversation leaves %s", drafts)
	}
}

// TestChatPlansAndUndoes refuses changes while it plans, and drops and applies them.
func TestChatPlansAndUndoes(t *testing.T) {
	t.Parallel()
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return last[0].Text },
		[]provider.Call{providertest.Call("a", "write_text_file", map[string]any{"path": "a.md", "content": "x"})}))
	p := newPlace(t).withModel(model, provider.OpenAI)
	cmd := p.command("chat")
	cmd.Stdin = strings.NewReader("/plan write\n/files\nwrite\n/files\n/undo\n/files\nwrite\n/apply\n/undo\n")
	o := finish(t, cmd)
	for _, part := range []string{"asked for a plan only", "The workspace has no files", "a.md\n  created a.md\n", "dropped: created a.md", "applied: created a.md", "has changed no files"} {
		i := strings.Index(o.stdout, part)
		if i < 0 {
			t.Fatalf("exit %d: no %q in order in\n%s\n%s", o.code, part, o.stdout, o.stderr)
		}
		o.stdout = o.stdout[i:]
	}
	if text := p.ok("files", "read", "a.md"); text != "x" {
		t.Errorf("a.md is %q", text)
	}
	if last := model.Requests()[len(model.Requests())-1]; !strings.Contains(string(last.Raw), "has dropped your changes") {
		t.Error("the model was not told that its changes are gone")
	}
}

// TestAskFillsFormsAndScalesPictures lets the model do the single steps on PDF files
// and pictures, within its draft. What it has thought goes to no reader of its records.
func TestAskFillsFormsAndScalesPictures(t *testing.T) {
	t.Parallel()
	call := providertest.Call
	calls := modelSteps(func(last []provider.Result) string { return last[0].Text },
		[]provider.Call{call("a", "open_tools", map[string]any{"set": "steps"})},
		[]provider.Call{call("b", "pdf_get_form_fields", map[string]any{"file_id": "form.pdf"})},
		[]provider.Call{call("c", "pdf_fill_form", map[string]any{"file_id": "form.pdf", "fields": map[string]any{"name.voll": "Ada"}}),
			call("d", "image_resize", map[string]any{"file_id": "p.png", "width": 8, "output_name": "small.png"})},
		[]provider.Call{call("e", "pdf_merge", map[string]any{"file_ids": []string{"form.pdf", "form.pdf"}, "output_name": "both.pdf"}),
			call("f", "image_info", map[string]any{"file_id": "small.png"})})
	model := providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
		reply := calls(r)
		reply.Thinking = "They want a form."
		return reply
	})
	p := newPlace(t).withModel(model, provider.OpenAI)
	form, err := os.ReadFile("../document/pdf/testdata/form.pdf")
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "form.pdf", string(form))
	p.write(t, "p.png", pngWithText("Ada"))
	p.ok("files", "put", "form.pdf", "p.png")
	var answer ask.Answer
	if err := json.Unmarshal([]byte(p.ok("ask", "Fill in the form", "-o", "json")), &answer); err != nil || answer.Draft == nil {
		t.Fatalf("%+v, %v", answer, err)
	}
	var names []string
	for _, c := range answer.Draft.Changes {
		names = append(names, c.File)
	}
	if fmt.Sprint(names) != "[both.pdf form.pdf small.png]" {
		t.Errorf("the draft has %v", names)
	}
	if last := model.Requests()[4].Results(); last[0].Failed || !strings.Contains(last[1].Text, `"width":8`) {
		t.Errorf("answers %+v", last)
	}
	for _, text := range []string{p.ok("conversations", "export", answer.Conversation), p.ok("conversations", "show", answer.Conversation, "--json")} {
		if strings.Contains(text, "encrypted_content") || strings.Contains(text, "They want") || !strings.Contains(text, "pdf_fill_form") {
			t.Errorf("its records have what the model has thought: %s", text)
		}
	}
	p.ok("ask", "Fill in the form", "--continue")
	if raw := string(model.Requests()[5].Raw); !strings.Contains(raw, "encrypted_content") {
		t.Error("the model does not get back what it has thought")
	}
}
