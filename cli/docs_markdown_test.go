package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// page is a Markdown file of the documentation.
type page struct {
	// name is its path from the root of the tree, as in docs/guide.md.
	name   string
	lines  []string
	blocks []block
}

// block is a fenced block of a page.
type block struct {
	lang string
	// first and last are the indexes of the lines between the fences, last not
	// included.
	first, last int
	// notRun is why the tests do not run it, as the page says; empty: they do.
	notRun string
}

// step is a command of a console block and the output that is shown for it.
type step struct {
	command string
	// at is the index of the command's first line in the page, out that of the
	// first line of its output, end the one behind its last.
	at, out, end int
	// codeShown says that the next command shows the exit code.
	codeShown bool
}

// notRunMark starts the sentence above a block that the tests do not run.
const notRunMark = "*Not tested: "

// docPagesOf reads README.md and docs/*.md.
func docPagesOf(t *testing.T) []*page {
	t.Helper()
	files, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var pages []*page
	for _, file := range append(files, "../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := parsePage(strings.TrimPrefix(file, "../"), string(text))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, p)
	}
	return pages
}

func parsePage(name, text string) (*page, error) {
	p := &page{name: name, lines: strings.Split(text, "\n")}
	open := -1 // line of the fence that is open
	for i, line := range p.lines {
		if !strings.HasPrefix(strings.TrimLeft(line, " \t>"), "```") {
			continue
		}
		if !strings.HasPrefix(line, "```") {
			return nil, fmt.Errorf("%s:%d: a fenced block starts in the first column, so that it is seen", name, i+1)
		}
		if open < 0 {
			open = i
			continue
		}
		if line != "```" {
			return nil, fmt.Errorf("%s:%d: the block of line %d is not closed", name, i+1, open+1)
		}
		lang := strings.TrimPrefix(p.lines[open], "```")
		p.blocks = append(p.blocks, block{lang: lang, first: open + 1, last: i, notRun: reasonAbove(p.lines[:open])})
		open = -1
	}
	if open >= 0 {
		return nil, fmt.Errorf("%s:%d: the block is not closed", name, open+1)
	}
	return p, nil
}

// reasonAbove returns why a block is not run, if the paragraph right above it
// says so.
func reasonAbove(above []string) string {
	for i := len(above) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(above[i]); line != "" {
			reason, marked := strings.CutPrefix(line, notRunMark)
			if !marked {
				return ""
			}
			return strings.TrimSuffix(reason, "*")
		}
	}
	return ""
}

func (p *page) text(b block) string { return strings.Join(p.lines[b.first:b.last], "\n") }

// steps are the commands of a console block: lines that begin with "$ ", those
// that begin with "> " going on with the one before.
func (p *page) steps(b block) ([]step, error) {
	var steps []step
	for i := b.first; i < b.last; i++ {
		line := p.lines[i]
		if command, is := strings.CutPrefix(line, "$ "); is {
			steps = append(steps, step{command: command, at: i, out: i + 1, end: i + 1})
			continue
		}
		if len(steps) == 0 {
			return nil, fmt.Errorf("%s:%d: a console block begins with a command", p.name, i+1)
		}
		last := &steps[len(steps)-1]
		if more, is := strings.CutPrefix(line, "> "); is && last.out == i {
			last.command += "\n" + more
			last.out = i + 1
		}
		last.end = i + 1
	}
	for i := range steps {
		s := &steps[i]
		for s.end > s.out && p.lines[s.end-1] == "" {
			s.end-- // a blank line before the next command is for the eye
		}
		s.codeShown = i+1 < len(steps) && steps[i+1].command == showCode
	}
	return steps, nil
}

// differing are the parts of an output that differ from run to run and machine
// to machine, and stand in the pages as they once were. Data of ours ends in
// 2001: later dates are those of the run.
var differing = []struct {
	name string
	re   *regexp.Regexp
}{
	{"TIME", regexp.MustCompile(`20[2-9]\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?)?( ?UTC|Z)?`)},
	{"AGE", regexp.MustCompile(`just now|\d+ (second|minute)s? ago`)},
	{"TOOK", regexp.MustCompile(`\b\d+(\.\d+)? ?[mµ]?s\b`)},
	{"SIZE", regexp.MustCompile(`\b\d+(\.\d+)? [KMGT]B\b`)},
}

// widths are runs of blanks, or of the rules of a table.
var widths = regexp.MustCompile(`( |─)[ ─]*`)

// plain is output without what differs, with blanks and rules of one width:
// columns are as wide as the texts in them.
func plain(text string) string {
	for _, d := range differing {
		text = d.re.ReplaceAllString(text, d.name)
	}
	text = widths.ReplaceAllString(text, "$1")
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// shows reports whether an output is what a page shows for it: a line of
// nothing but … stands for any lines, … in a line for any text.
func shows(shown, output string) bool {
	shown, output = plain(shown), plain(output)
	if shown == "" {
		return output == ""
	}
	var pattern strings.Builder
	pattern.WriteString(`^`)
	for _, line := range strings.Split(shown, "\n") {
		if line == "…" {
			pattern.WriteString(`(.*\n)*?`)
			continue
		}
		parts := strings.Split(line, "…")
		for j, part := range parts {
			if j > 0 {
				pattern.WriteString(`.*`)
			}
			pattern.WriteString(regexp.QuoteMeta(part))
		}
		pattern.WriteString(`\n`)
	}
	pattern.WriteString(`$`)
	return regexp.MustCompile(pattern.String()).MatchString(output + "\n")
}

func TestShownOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		shown, output string
		want          bool
	}{
		{"a  b", "a b\n", true},
		{"a b", "a c", false},
		{"a b", "a b\nc", false},
		{"a …\nz", "a whatever\nz", true},
		{"a\n…\nz", "a\nb\nc\nz", true},
		{"a\n…", "a", true},
		{"a\n…", "b", false},
		{"", "", true},
		{"", "x", false},
		{"2026-01-02 10:00 UTC", "2031-11-02 11:59 UTC", true},
		{"2001-01-02", "2001-01-03", false},
		{"25.1 KB, 12 rows", "26 KB, 12 rows", true},
		{"25.1 KB, 12 rows", "25.1 KB, 13 rows", false},
		{"│ ab │\n├────┤", "│ ab  │\n├─────┤", true},
	} {
		if got := shows(tt.shown, tt.output); got != tt.want {
			t.Errorf("shows(%q, %q) is %v", tt.shown, tt.output, got)
		}
	}
}
