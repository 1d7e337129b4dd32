package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/cli/reference"
	"github.com/agnes-data/da/internal/iostreams"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/internal/words/textwidth"
	"github.com/agnes-data/da/toolbox/fit"
)

// wordless are the commands that do something and print no JSON. What da shell
// prints is of the commands that are typed into it.
var wordless = []string{
	"da ui",
	"da shell", "da demo", "da serve", "da mcp", "da completion", "da skills show", "da conversations export", "da chat", "da session export",
}

func TestEveryCommandSaysWhatItPrints(t *testing.T) {
	t.Parallel()
	outputs, seen := outputs(), map[string]bool{}
	newManual(silentApp(t)).Walk(referenceRoot(t), func(c *cobra.Command) {
		path := c.CommandPath()
		seen[path] = true
		if (outputs[path] == nil) != slices.Contains(wordless, path) {
			t.Errorf("%s: say in outputs what it prints with --json, or in wordless that it prints none", path)
		}
	})
	for path := range outputs {
		if !seen[path] {
			t.Errorf("there is no command %q", path)
		}
	}
}

// schemaBook are the schemas that da help --json gives.
type schemaBook struct {
	commands map[string]*jsonschema.Resolved
	failure  *jsonschema.Resolved
	seen     map[string]bool
}

func openSchemas(t *testing.T, p *place) *schemaBook {
	t.Helper()
	text := p.ok("help", "--json")
	t.Logf("da help --json has %d bytes", len(text))
	var doc struct {
		Commands []struct {
			Path   string
			Output *jsonschema.Schema
		}
		Error *jsonschema.Schema
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	b := &schemaBook{commands: map[string]*jsonschema.Resolved{}, seen: map[string]bool{}}
	resolve := func(s *jsonschema.Schema) *jsonschema.Resolved {
		r, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, c := range doc.Commands {
		if c.Output != nil {
			b.commands[c.Path] = resolve(c.Output)
		}
	}
	b.failure = resolve(doc.Error)
	return b
}

// check holds what a command prints against its schema.
func (b *schemaBook) check(t *testing.T, p *place, args ...string) string {
	t.Helper()
	out := p.run(args...)
	if out.code != 0 && args[0] != "doctor" {
		t.Errorf("da %s: exit %d\n%s", strings.Join(args, " "), out.code, out.stderr)
		return ""
	}
	b.fits(t, args, out.stdout)
	return out.stdout
}

func (b *schemaBook) fits(t *testing.T, args []string, text string) {
	t.Helper()
	path := ""
	for n := len(args); n > 0 && path == ""; n-- {
		if candidate := "da " + strings.Join(args[:n], " "); b.commands[candidate] != nil {
			path = candidate
		}
	}
	if path == "" {
		t.Fatalf("da %s: no schema", strings.Join(args, " "))
	}
	b.seen[path] = true
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Errorf("da %s: %v\n%s", strings.Join(args, " "), err, text)
		return
	}
	if err := b.commands[path].Validate(doc); err != nil {
		t.Errorf("da %s: %v\n%.600s", strings.Join(args, " "), err, text)
	}
}

// onePixel is a white picture.
const onePixel = "\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\x0bIDATx\x9cc\xf8\x0f\x04\x00\x09\xfb\x03\xfd\xfb^k+\x00\x00\x00\x00IEND\xaeB`\x82"

// formPDF is a form with one field; readers find its objects without a table of them.
const formPDF = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DA(/Helv 12 Tf)>>>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Annots[4 0 R]>>endobj\n" +
	"4 0 obj<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/Rect[20 200 200 220]/P 3 0 R/DA(/Helv 12 Tf 0 g)>>endobj\ntrailer<</Root 1 0 R>>\n"

// withDesktop is the place on a desktop whose programs open everything.
func (p *place) withDesktop() *place {
	p.t.Helper()
	bin := p.t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	return p.with("DISPLAY=:0", "PATH="+bin+":"+os.Getenv("PATH"))
}

// TestOutputsFitTheirSchemas runs every command with --json, and again as an
// agent would if an agent gets something else: rows, and what is cut to its size.
func TestOutputsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	const tokens = 600
	p := newPlace(t)
	b := openSchemas(t, p)
	p = p.withDesktop()
	agent := p.with("CLAUDECODE=1", fmt.Sprint("DA_MAX_TOKENS=", tokens))
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("sales.csv", "id,region,amount,day,late\n1,north,10.5,2026-01-02,true\n2,south,,2026-01-03,false\n")
	write("more.csv", "a,b\n"+strings.Repeat("1,"+strings.Repeat("long text ", 50)+"\n", 300))
	write("pixel.png", onePixel)
	write("form.pdf", formPDF)
	var made struct{ ID any } // by the last command
	for _, line := range []string{
		"version", "catalog", "catalog --search delay", "schema flights", "schema types", "schema events", "describe types", "describe events -n 2",
		"quota", "disk-info", "doctor", "help", "help fetch", "help output", "help exit-codes", "help errors", "help environment", "help predicates", "init data --file made.yaml",
		"fetch flights --estimate", "fetch flights --as whole", "fetch types", "fetch many --limit 10 --as few", "fetch many --allow-cut",
		"snapshot list", "snapshot show types", "snapshot refresh few --where n<5", "snapshot refresh --all", "snapshot restore few", "snapshot list --parts", "snapshot import sales.csv --as sales", "sync",
		"snapshot copy sales copied", "snapshot rename copied moved", "snapshot note moved kept", "snapshot tag moved kept", "snapshot pin moved", "snapshot verify moved", "snapshot diff sales moved --key id", "snapshot export moved --out moved.csv", "open moved",
		"snapshot prune --older-than 9d --dry-run", "query SELECT_*_FROM_types", "query SELECT_*_FROM_whole", "query SELECT_1_AS_n_WHERE_false", "query --limit 2 SELECT_*_FROM_whole",
		"metric list", "metric show on_time_rate", "metric query on_time_rate --by origin", "metric query on_time_rate --sql", "metric query on_time_rate --estimate",
		"note flights.delay Minutes.", "note list", "saved add all SELECT_count(*)_AS_n_FROM_flights --question How?", "saved list", "saved show all", "saved approve all", "saved run all", "saved remove all", "note --term late A_flight_with_a_delay.", "note remove 02921de0ba55",
		"query --remote SELECT_*_FROM_flights", "plan SELECT_*_FROM_many,whole", "result list",
		"table map sales.csv", "table describe sales.csv", "table stats sales.csv", "table rows sales.csv", "table query sales.csv SELECT_*_FROM_data",
		"table map more.csv", "table stats more.csv", "table rows more.csv --count 200", "table query more.csv SELECT_*_FROM_data",
		"table export sales.csv --out sales.xlsx", "skills install --dry-run --dir .", "skills list", "config list", "config path", "config set snapshot_quota_gb 9", "config get snapshot_quota_gb", "config unset snapshot_quota_gb",
		"admin user create ann@example.com", "admin user list", "admin group create sales", "admin group add sales ann@example.com", "admin group list",
		"admin group remove sales ann@example.com", "admin token create --user ann@example.com --expires 3d", "admin token list", "admin token revoke ID",
		"admin grant --user ann@example.com --table airports --columns iata,name", "admin grant list", "admin grant revoke ID", "admin table register more --source files --relation many.parquet --mode local",
		"admin table list", "admin table refresh more", "admin table unregister more", "admin quota", "admin doctor", "admin audit", "admin audit prune --before 365d", "admin backup saved.db --force", "admin catalog-refresh", "admin group delete sales", "admin user delete ann@example.com",
		"snapshot drop few", "whoami", "source add spark://h --untried --dry-run", "model import model --dry-run",
		"files put sales.csv", "files put more.csv --draft d", "files list", "files info sales.csv", "files copy sales.csv a.csv", "files rename a.csv b.csv",
		"files versions b.csv", "files get b.csv", "files read b.csv", "files search id b.csv", "files write w.txt --content a", "files replace w.txt --lines 1-1 --content b",
		"files insert w.txt --after 1 --content c", "files edit w.xlsx --create --operations [{\"op\":\"set_range\",\"values\":[[1]]}]", "files edit t.docx --create --operations [{\"op\":\"append_paragraph\",\"text\":\"{{value:1}}\"}]", "files get t.docx", "report t.docx --out r.docx", "report check r.docx", "why r.docx 1", "files delete b.csv", "files restore b.csv", "files draft list", "files draft diff d", "files draft apply d",
		"files diff w.txt", "files add w.xlsx sales --sheet Data", "files import w.xlsx --sheet Data --as data", "files open w.xlsx", "files delete b.csv --draft e", "files draft discard e",
		"files sheet list-sheets w.xlsx", "files sheet get-sheet-summary w.xlsx", "files sheet read-range w.xlsx", "files sheet read-cell w.xlsx --cell A1",
		"files sheet write-range w.xlsx --start-cell A2 --data [[2],[3]]", "files sheet write-cell w.xlsx --cell A4 --value 4", "files sheet add-sheet w.xlsx --name May",
		"files sheet copy-sheet w.xlsx --name May --new-name July", "files sheet rename-sheet w.xlsx --name July --new-name August", "files sheet move-sheet w.xlsx --name August --position 1", "files sheet hide-sheet w.xlsx --name August",
		"files sheet delete-sheet w.xlsx --name May", "files sheet insert-rows w.xlsx --after-row 1", "files sheet delete-rows w.xlsx --start-row 2",
		"files sheet set-format w.xlsx --range A1 --format {\"bold\":true}", "files sheet auto-filter w.xlsx --range A1:A3",
		"files put pixel.png", "files image info pixel.png", "files image resize pixel.png --width 4", "files image crop pixel.png --region {\"left\":0,\"top\":0,\"width\":2,\"height\":2}",
		"files image convert pixel.png --format webp", "files image composite pixel.png --overlays [{\"image\":\"pixel.webp\"}]", "files image to-base64 pixel.png",
		"files pdf add-page a.pdf --create-if-missing", "files pdf add-page a.pdf", "files pdf delete-page a.pdf --page-num 2", "files pdf add-text a.pdf --page 1 --text Hello --position {\"x\":70,\"y\":700}",
		"files pdf add-image a.pdf --page 1 --image-file-id pixel.png --position {\"x\":70,\"y\":600}", "files pdf info a.pdf", "files pdf extract-text a.pdf", "files pdf get-form-fields a.pdf",
		"files put form.pdf", "files pdf fill-form form.pdf --fields {\"name\":\"Weber\"}", "files pdf merge a.pdf a.pdf --output-name b.pdf", "files pdf split-pages b.pdf --ranges 1,2", "files render a.pdf",
	} {
		if strings.HasSuffix(line, " ID") {
			line = strings.TrimSuffix(line, "ID") + fmt.Sprint(made.ID)
		}
		args := append(words(line), "--json")
		text := b.check(t, p, args...)
		if len(text) > tokens*fit.BytesPerToken || slices.Contains(args, "query") {
			b.check(t, agent, args...)
		}
		if strings.HasPrefix(line, "admin ") && strings.HasPrefix(text, "{") {
			if err := json.Unmarshal([]byte(text), &made); err != nil {
				t.Fatal(err)
			}
		}
	}
	put := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	b.check(t, p, "check", "learn", "whole", "--json")
	b.check(t, p, "profile", "whole", "--json")
	b.check(t, p, "where", "flights", "delay > 60", "--json")
	b.check(t, p, "joins", "--verify", "--json")
	b.check(t, p, "context", "late flights by airport", "--json")
	b.check(t, p, "values", "flights.origin", "--json")
	b.check(t, p, "values", "flights.origin", "--estimate", "--json")
	b.check(t, p, "query", "SELECT * FROM whole", "--max-tokens", "400")
	b.check(t, p, "check", put("checks.yaml", "tables: {whole: {checks: [{rows: {min: 1}}, {condition: 'false', severity: warn}]}}"), "--json")
	steps := put("steps.yaml", "steps: [{name: version, run: version}]")
	b.check(t, p, "run", steps, "--json")
	b.check(t, p, "schedule", "add", steps, "--daily", "06:00", "--print", "--json")
	b.check(t, p, "schedule", "list", "--json")
	p.with("DA_SESSION=study").ok("catalog")
	b.check(t, p, "session", "list", "--json")
	b.check(t, p, "session", "show", "study", "--json")
	b.check(t, agent, "fetch", "airports", "--as", "agents", "--json")
	b.check(t, agent, "snapshot", "show", "agents", "--json")
	b.check(t, p, "result", "drop", "--all", "--json")
	b.modelOutputs(t, p)
	b.servedOutputs(t, p)
	for path := range b.commands {
		// They need the web, PostgreSQL, which TestStateMove has, and a timer.
		if !b.seen[path] && path != "da files download" && path != "da admin state move" && path != "da schedule remove" {
			t.Errorf("%s was not run", path)
		}
	}
	for _, args := range [][]string{{"query", "SELECT nope", "--json"}, {"fetch", "flights", "--where", "dela > 1", "--json"}, {"catalog", "--nope", "--json"}, {"help", "nosuch", "--json"}} {
		for _, reader := range []*place{p, agent} {
			out := reader.run(args...)
			var doc any
			lines := strings.Split(strings.TrimSpace(out.stderr), "\n")
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &doc); err != nil || out.code != 2 {
				t.Errorf("%q: exit %d, %v: %s", args, out.code, err, out.stderr)
			} else if err := b.failure.Validate(doc); err != nil {
				t.Errorf("%q: %v", args, err)
			}
		}
	}
}

// modelOutputs runs what needs a model.
func (b *schemaBook) modelOutputs(t *testing.T, p *place) {
	t.Helper()
	p = p.withModel(providertest.NewServer(t, modelSteps(firstCell, []provider.Call{providertest.Call("q", "query", map[string]any{"sql": "SELECT 42 AS n"})})), provider.Anthropic)
	b.check(t, p, "ask", "How much is it?", "--json")
	file := filepath.Join(t.TempDir(), "questions.yaml")
	if err := os.WriteFile(file, []byte("questions: [{ask: How much is it?, expect: {figure: 42}}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	test := p.with("DA_HOME=" + t.TempDir())
	b.check(t, test, "ask", "--test", file, "--json")
	b.receiptOutputs(t, p)
	var list ask.ConversationList
	if err := json.Unmarshal([]byte(b.check(t, p, "conversations", "list", "--json")), &list); err != nil || len(list.Conversations) != 1 {
		t.Fatalf("conversations %+v, %v", list, err)
	}
	b.check(t, p, "conversations", "show", list.Conversations[0].ID, "--json")
	b.check(t, p, "conversations", "delete", list.Conversations[0].ID, "--json")
}

// receiptOutputs follows the answer of the last conversation.
func (b *schemaBook) receiptOutputs(t *testing.T, p *place) {
	t.Helper()
	var list ask.ConversationList
	if err := json.Unmarshal([]byte(p.ok("conversations", "list", "-o", "json")), &list); err != nil || len(list.Conversations) == 0 {
		t.Fatalf("conversations %+v, %v", list, err)
	}
	id := list.Conversations[0].ID + "-1"
	b.check(t, p, "receipt", "show", id, "--json")
	b.check(t, p, "receipt", "verify", id, "--json")
	b.check(t, p, "receipt", "replay", id, "--out", "bundle", "--json")
}

// servedOutputs runs what needs a server.
func (b *schemaBook) servedOutputs(t *testing.T, p *place) {
	t.Helper()
	served := p.served()
	for _, line := range []string{"whoami --json", "catalog --json", "doctor --json", "quota --json", "fetch airports --json", "sync --json", "admin request list --json", "admin request stop 0123456789abcdef --json"} {
		b.check(t, served, strings.Fields(line)...)
	}
	url := served.get("DA_SERVER")
	cmd := served.command("login", url, "--name", "here", "--with-token", "--json")
	cmd.Stdin = bytes.NewBufferString(served.get("DA_TOKEN") + "\n")
	login := finish(t, cmd)
	b.fits(t, []string{"login"}, login.stdout)
	b.check(t, served, "logout", "here", "--json")
}

// TestEveryCommandHasAnExample also holds that an example calls its command.
func TestEveryCommandHasAnExample(t *testing.T) {
	newManual(silentApp(t)).Walk(referenceRoot(t), func(c *cobra.Command) {
		if !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("no example calls '%s':\n%s", c.CommandPath(), c.Example)
		}
	})
}

func TestHelp(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if out := p.run("help", "nosuch"); out.code != 2 || !strings.Contains(out.stderr, "there is no command or topic 'nosuch'") {
		t.Errorf("exit %d: %s", out.code, out.stderr)
	}
	if out := p.run("help", "fetsh"); out.code != 2 || !strings.Contains(out.stderr, "Did you mean 'da help fetch'?") {
		t.Errorf("exit %d: %s", out.code, out.stderr)
	}
	if out := p.run("help", "snapshot", "nosuch"); out.code != 2 {
		t.Errorf("exit %d: %s", out.code, out.stderr)
	}
	if got, want := p.ok("help", "snapshot", "list"), p.ok("snapshot", "list", "--help"); got != want {
		t.Errorf("help prints\n%s\n--help prints\n%s", got, want)
	}
	if got, want := p.ok("help", "fetch", "--json"), p.ok("fetch", "--help", "--json"); got != want || !strings.Contains(got, `"path":"da fetch"`) {
		t.Errorf("help prints\n%s\n--help prints\n%s", got, want)
	}
	for topic, want := range map[string]string{
		"exit-codes": "interrupted by the user", "output": "FROM @r1", "environment": "DA_MAX_TOKENS", "predicates": "date_trunc",
	} {
		if got := p.ok("help", topic); !strings.Contains(got, want) {
			t.Errorf("da help %s does not mention %q:\n%s", topic, want, got)
		}
	}
}

// TestHelpFits holds that readers with a budget get a description that fits, made
// of whole parts, and are told what is missing and how to get it.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	person, agent := map[string]string{}, map[string]string{"CLAUDECODE": "1", "DA_MAX_TOKENS": fmt.Sprint(fit.DefaultTokens)}
	read := func(env map[string]string, args ...string) (doc reference.Document, text string) {
		t.Helper()
		text = printed(t, env, args...)
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		return doc, text
	}
	whole, wholeText := read(person, "help", "--json")
	if whole.LeftOut != nil || len(whole.Commands) < 40 {
		t.Errorf("%d commands, %+v", len(whole.Commands), whole.LeftOut)
	}
	// Each command has a line, and each way out leads there.
	brief, text := read(agent, "help", "--json")
	if len(text) > fit.DefaultTokens*fit.BytesPerToken || len(brief.Index) != len(whole.Commands) || len(brief.Commands) > 0 || len(brief.Topics) == 0 || strings.Contains(text, `"cut":{"lists"`) {
		t.Fatalf("%d bytes: %s", len(text), text)
	}
	for i, c := range whole.Commands {
		if brief.Index[i] != (reference.Line{Path: c.Path, Short: c.Short}) {
			t.Errorf("%+v is not %s", brief.Index[i], c.Path)
		}
	}
	if got := printed(t, agent, strings.Fields(brief.LeftOut.Command)[1:]...); got != wholeText {
		t.Errorf("%q prints another description", brief.LeftOut.Command)
	}
	for _, part := range []string{"commands", "global_flags", "environment"} {
		if !slices.Contains(brief.LeftOut.Parts, part) {
			t.Errorf("%s is missing in silence", part)
		}
	}
	for _, c := range whole.Commands {
		one := strings.Replace(brief.LeftOut.One, "COMMAND", strings.TrimPrefix(c.Path, "da "), 1)
		doc, text := read(agent, strings.Fields(one)[1:]...)
		if len(text) > fit.DefaultTokens*fit.BytesPerToken || !slices.ContainsFunc(doc.Commands, func(d reference.Command) bool { return d.Path == c.Path && d.Usage == c.Usage }) {
			t.Errorf("%q: %d bytes\n%s", one, len(text), text)
		}
	}
	// Less and less, and always as much as is allowed.
	for _, x := range []struct {
		args           []string
		tokens         int
		has, lacks     string
		shared, output bool
	}{
		{[]string{"help", "fetch", "--json"}, 3400, `"path":"da fetch"`, `"left_out"`, true, true},
		{[]string{"help", "fetch", "--json"}, 2600, `"parts":["global_flags","error","around"]`, `"cut":{"lists"`, false, true},
		{[]string{"fetch", "--help", "--json"}, 1000, `"commands.output"`, `"cut":{"lists"`, false, false},
		{[]string{"help", "table", "--json"}, 4400, `"path":"da table map","usage"`, `"cut":{"lists"`, false, false},
		{[]string{"help", "table", "--json"}, 500, `"index":[{"path":"da table`, `"usage"`, false, false},
		{[]string{"help", "predicates", "--json"}, 4000, `"text":`, `"cut":{"lists"`, false, false},
		{[]string{"help", "--json"}, 300, `"cut":`, `"usage"`, false, false},
	} {
		doc, text := read(person, append(x.args, "--max-tokens", fmt.Sprint(x.tokens))...)
		output := slices.ContainsFunc(doc.Commands, func(c reference.Command) bool { return c.Output != nil })
		if len(text) > x.tokens*fit.BytesPerToken || !strings.Contains(text, x.has) || strings.Contains(text, x.lacks) || (doc.GlobalFlags != nil) != x.shared || output != x.output {
			t.Errorf("%v in %d tokens: %d bytes\n%s", x.args, x.tokens, len(text), text)
		}
	}
}

// printed is what da prints with some variables, in this process: a process
// for each of all commands takes ten times as long.
func printed(t *testing.T, env map[string]string, args ...string) string {
	t.Helper()
	streams, _, out, errs := iostreams.Test()
	if code := Main(t.Context(), args, app.Env{IO: streams, Getenv: func(name string) string { return env[name] }, Dir: t.TempDir(), Now: time.Now}); code != 0 {
		t.Fatalf("da %q: exit %d\n%s", args, code, errs)
	}
	return out.String()
}

// TestHelpFitsATerminal holds that no line of a page of help is wider than 80
// columns, since a terminal breaks those inside words.
func TestHelpFitsATerminal(t *testing.T) {
	t.Parallel()
	pages := 0
	look := func(c *cobra.Command) {
		pages++
		for line := range strings.Lines(printed(t, nil, append([]string{"help"}, strings.Fields(c.CommandPath())[1:]...)...)) {
			if strings.HasPrefix(line, "  da ") { // a command is copied whole
				continue
			}
			if width := textwidth.Of(strings.TrimRight(line, "\n")); width > 80 {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), width, line)
			}
		}
	}
	root := referenceRoot(t)
	reference.Walk(root, look)
	for _, topic := range root.Commands() {
		if topic.IsAdditionalHelpTopicCommand() {
			look(topic)
		}
	}
	if pages < 40 {
		t.Errorf("%d pages", pages)
	}
}
