package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The rule of this file, for whoever writes a page: every command in README.md
// and docs/*.md is run, word for word, in order, one shell a page, in a fresh
// home with da in the path and nothing else. So a page starts its own servers
// and makes its own files; `da demo --dir DIR` gives it data.
//
//   - A ```sh block is commands that succeed; their output is not looked at.
//   - A ```console block is a terminal: "$ " before each command, "> " before
//     its further lines, and below it all that it prints, on both streams. … in
//     a line stands for any text, a line of nothing but … for any lines.
//     Times, ages and sizes in KB and more, and the width of columns, may
//     differ; see differing. A command that ends in & is waited for until it
//     has printed what is shown. One that fails is followed by "$ echo $?".
//   - What cannot be run stands below a line that begins with notRunMark, says
//     why, and is counted here, so that none appears unnoticed.
//   - Any other block (```text, ```yaml, …) holds no commands; every block says
//     its language.
//   - Ports 8400 to 8499 of 127.0.0.1 become free ones.
//   - `da demo` ends as soon as its data are there; the guide runs all of it.
//
// With UPDATE_DOCS=1 the test writes outputs that differ into the pages: read
// what it wrote.
var notRun = map[string]int{"README.md": 3, "docs/guide.md": 1, "docs/operating.md": 2, "docs/postgres.md": 1, "docs/mariadb.md": 1, "docs/clickhouse.md": 1, "docs/trino.md": 1, "docs/snowflake.md": 1, "docs/spark.md": 1, "docs/databricks.md": 1}

// prepared are the pages whose commands need what the page does not make: the
// generated one shows the examples of --help, each on its own. What they need
// is made by a script, and each block gets it fresh.
var prepared = map[string]string{"docs/cli.md": "testdata/docs/cli.sh"}

// notTyped are the lines of prepared pages that are not run; the page says so.
var notTyped = map[string]string{
	"da source add spark://spark.example.com:15002 --name lakehouse":          "there is no such server",
	"da source add env:CRM_DSN --name crm":                                    "there is no such database",
	"source <(da completion zsh)":                                             "another shell",
	"da completion fish | source":                                             "another shell",
	"da completion powershell | Out-String | Invoke-Expression":               "another shell",
	"da login https://data.example.com":                                       "there is no such server",
	"da login https://data.example.com --with-token < token.txt":              "there is no such server",
	"DA_TOKEN=da_… da login https://data.example.com --name prod":             "there is no such server",
	"da files download https://example.com/data/may.csv --as reports/may.csv": "there is no such server",
	"da files render budget.xlsx --sheet May --out may.png":                   "it takes LibreOffice",
	"da files render talk.pptx --slide 3":                                     "it takes LibreOffice",
	"da files render talk.pptx --out talk.pdf":                                "it takes LibreOffice",
	"da admin state move":                                                     "it takes PostgreSQL",
	"da schedule remove job.yaml":                                             "there is no timer",
	"da admin token revoke ID":                                                "an id is random",
	`da ask "How many flights are there?" --provider compatible --base-url http://localhost:11434/v1 --model qwen3 -o json`: "there is no model",
	`da ask "Now by month" --continue`:                                        "there is no model",
	`da ask "Which airport has the most late departures, and how many?"`:      "there is no model",
	`da ask "Which airport has the most late departures?" --estimate`:         "there is no model",
	`da ask "Which products sold best?" --file sales.csv --budget 0.20`:       "there is no model",
	`da ask "Translate the headings into English" --file prices.xlsx --apply`: "there is no model",
	"da ask --test questions.yaml --report answers.xml":                       "there is no model",
	"da chat":            "there is no model",
	"da chat --continue": "there is no model",
	"da conversations delete 1f2e3d4c5b6a7988":                             "an id is random",
	"da conversations export 1f2e3d4c5b6a7988 > talk.jsonl":                "an id is random",
	"da conversations show 1f2e3d4c5b6a7988":                               "an id is random",
	"da receipt replay 1f2e3d4c5b6a7988-1 --out bundle":                    "an id is random",
	"da receipt show 1f2e3d4c5b6a7988-1":                                   "an id is random",
	"da receipt verify 1f2e3d4c5b6a7988-1":                                 "an id is random",
	"da receipt verify bundle/receipt.json":                                "an id is random",
	"da files open reports/may.xlsx":                                       "there is no desktop",
	"da open late":                                                         "there is no desktop",
	"da open late --format xlsx":                                           "there is no desktop",
	"da ui":                                                                "goes on until it is ended",
	"da ui --no-open --instance instance.yaml":                             "goes on until it is ended",
	"da serve --instance instance.yaml":                                    "goes on until it is ended",
	"da serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem": "goes on until it is ended",
}

func TestDocs(t *testing.T) {
	for _, p := range docPagesOf(t) {
		t.Run(strings.TrimSuffix(filepath.Base(p.name), ".md"), func(t *testing.T) {
			t.Parallel()
			marked := 0
			for _, b := range p.blocks {
				if b.notRun != "" {
					marked++
				}
			}
			if marked != notRun[p.name] {
				t.Errorf("%s has %d blocks that are marked as not run, the list says %d: can they not be run?", p.name, marked, notRun[p.name])
			}
			if script := prepared[p.name]; script != "" {
				p.tryExamples(t, script)
			} else {
				p.follow(t)
			}
		})
	}
}

// follow reads a page with a shell at hand, which the options may change.
func (p *page) follow(t *testing.T, options ...func(*reader)) {
	var r *reader // starts with the first command
	for i := range p.blocks {
		b := p.blocks[i]
		isCommands := b.lang == "sh" || b.lang == "console"
		switch {
		case b.lang == "":
			t.Errorf("%s:%d: the block does not say its language", p.name, b.first)
		case !isCommands && b.notRun == "":
			p.holdsNoCommand(t, b)
		}
		if !isCommands || b.notRun != "" {
			continue
		}
		if r == nil {
			r = newReader(t)
			r.wholeDemo = p.name == "docs/guide.md"
			for _, o := range options {
				o(r)
			}
		}
		if b.lang == "sh" {
			if out, failed := r.reads(p.text(b)); failed != "" || r.code != 0 {
				t.Fatalf("%s:%d: failed: %s (exit %d)\n%s", p.name, b.first+1, failed, r.code, out)
			}
			continue
		}
		p.followConsole(t, r, i)
	}
}

func (p *page) followConsole(t *testing.T, r *reader, i int) {
	steps, err := p.steps(p.blocks[i])
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(steps); n++ {
		s := steps[n]
		out, _ := r.reads(s.command)
		if r.code != 0 && !s.codeShown {
			t.Fatalf("%s:%d: exit %d\n%s", p.name, s.at+1, r.code, out)
		}
		shown := strings.Join(p.lines[s.out:s.end], "\n")
		if strings.HasSuffix(s.command, "&") && r.awaits(shown) {
			continue
		}
		if shows(shown, out.String()) {
			continue
		}
		if os.Getenv("UPDATE_DOCS") == "" {
			t.Errorf("%s:%d: shows\n%s\nand prints\n%s", p.name, s.at+1, shown, out)
			continue
		}
		p.put(t, s, out.String())
		if steps, err = p.steps(p.blocks[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// put writes an output in place of what a page shows.
func (p *page) put(t *testing.T, s step, out string) {
	t.Helper()
	var lines []string
	if out = strings.TrimRight(out, "\n"); out != "" {
		lines = strings.Split(out, "\n")
	}
	more := len(lines) - (s.end - s.out)
	p.lines = append(p.lines[:s.out:s.out], append(lines, p.lines[s.end:]...)...)
	for i := range p.blocks {
		if b := &p.blocks[i]; b.first > s.at {
			b.first += more
		}
		if b := &p.blocks[i]; b.last > s.at {
			b.last += more
		}
	}
	if err := os.WriteFile(filepath.Join("..", p.name), []byte(strings.Join(p.lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s:%d: written anew", p.name, s.at+1)
}

// tryExamples runs each block of examples in a copy of what a script made.
func (p *page) tryExamples(t *testing.T, script string) {
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	first := newReader(t) // its servers run until the test ends
	if out, failed := first.typed(string(text)); failed != "" || first.code != 0 {
		t.Fatalf("%s failed: %s (exit %d)\n%s", script, failed, first.code, out)
	}
	passedOver := map[string]bool{}
	for _, b := range p.blocks {
		if b.lang == "" {
			t.Errorf("%s:%d: the block does not say its language", p.name, b.first)
		}
		if b.lang != "sh" {
			continue
		}
		r := newReader(t)
		r.typed("cp -a " + first.home + "/. .")
		for _, line := range p.lines[b.first:b.last] {
			if notTyped[line] != "" {
				passedOver[line] = true
			} else if out, failed := r.typed(line); failed != "" || r.code != 0 {
				t.Errorf("%s:%d: failed: %s (exit %d)\n%s", p.name, b.first+1, line, r.code, out)
			}
		}
		r.close()
	}
	if len(passedOver) != len(notTyped) {
		t.Errorf("%s has %d of the %d lines that are passed over: remove the others from the list", p.name, len(passedOver), len(notTyped))
	}
}

var looksLikeCommand = regexp.MustCompile(`(?m)^\s*(\$ |da [a-z])`)

// holdsNoCommand refuses commands in a block that is not run.
func (p *page) holdsNoCommand(t *testing.T, b block) {
	t.Helper()
	if found := looksLikeCommand.FindString(p.text(b)); found != "" {
		t.Errorf("%s:%d: a block of %s holds a command (%s…), which nobody runs", p.name, b.first, b.lang, strings.TrimSpace(found))
	}
}

var (
	codeSpan = regexp.MustCompile("`(da [a-z][^`\n]*)`")
	flagName = regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)`)
	mdLink   = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)
)

// TestDocsNameRealCommands looks at the commands in running text: they and
// their flags exist.
func TestDocsNameRealCommands(t *testing.T) {
	t.Parallel()
	root := referenceRoot(t)
	for _, p := range docPagesOf(t) {
		for i, line := range p.lines {
			for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
				checkCommand(t, root, p.name, i+1, m[1])
			}
		}
	}
}

func checkCommand(t *testing.T, root *cobra.Command, page string, line int, text string) {
	t.Helper()
	var words []string
	for _, w := range strings.Fields(text)[1:] {
		if !regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(w) {
			break
		}
		words = append(words, w)
	}
	cmd, _, err := root.Find(words)
	if err != nil || (cmd == root && len(words) > 0) || cmd.HasSubCommands() && len(words) > strings.Count(cmd.CommandPath(), " ") {
		t.Errorf("%s:%d: there is no command `%s`", page, line, text)
		return
	}
	for _, m := range flagName.FindAllStringSubmatch(text, -1) {
		if cmd.Flag(m[1]) == nil && m[1] != "help" {
			t.Errorf("%s:%d: `%s`: %s has no flag --%s", page, line, text, cmd.CommandPath(), m[1])
		}
	}
}

// TestDocsTables holds that each row of a table is below a header: behind a blank
// line, readers show rows as text.
func TestDocsTables(t *testing.T) {
	t.Parallel()
	for _, p := range docPagesOf(t) {
		before, fenced := "", false
		for i, line := range p.lines {
			fenced = fenced != strings.HasPrefix(line, "```")
			if !fenced && strings.HasPrefix(line, "|") && !strings.HasPrefix(before, "|") && (i+1 == len(p.lines) || !strings.HasPrefix(p.lines[i+1], "|-")) {
				t.Errorf("%s:%d: a row without a header above it", p.name, i+1)
			}
			before = line
		}
	}
}

// TestDocsLinks follows the links within the tree.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	for _, p := range docPagesOf(t) {
		for i, line := range p.lines {
			for _, m := range mdLink.FindAllStringSubmatch(line, -1) {
				if _, err := os.Stat(filepath.Join("..", filepath.Dir(p.name), m[1])); err != nil {
					t.Errorf("%s:%d: links to %s, which is not there", p.name, i+1, m[1])
				}
			}
		}
	}
}
