package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sessionPages are the pages whose stories are recorded: in make test the first, with
// DA_SESSIONS set all.
var sessionPages = []string{
	"agents", "README", "agent", "checks", "caveats", "files", "guide", "metrics", "operating", "reports", "scripting",
}

// TestSessionsReproduce records what readers of pages type, and runs the scripts of the
// answers that it gave: each is the same, or names what has moved.
func TestSessionsReproduce(t *testing.T) {
	var answers, same, moved, steps, left int
	for _, p := range docPagesOf(t) {
		name := strings.TrimSuffix(filepath.Base(p.name), ".md")
		at := -1
		for i, s := range sessionPages {
			if s == name {
				at = i
			}
		}
		if at < 0 || at > 0 && os.Getenv("DA_SESSIONS") == "" {
			continue
		}
		r := newReader(t)
		r.typed("export DA_SESSION=" + name)
		p.typeAll(r)
		r.typed("unset DA_SESSION DA_AGENT")
		shown, _ := r.typed("cd; da session show " + name + " --json --max-tokens 0 2> /dev/null")
		var doc struct {
			Steps []struct {
				Step, Bytes int
				Command     string
				ExitCode    int `json:"exit_code"`
			}
		}
		if err := json.Unmarshal(shown.Bytes(), &doc); err != nil {
			t.Logf("%s: no session: %v: %.200s", p.name, err, shown)
			continue
		}
		// The answers of a session: up to twelve queries, from its end.
		n := 0
		for i := len(doc.Steps) - 1; i >= 0 && n < 12; i-- {
			s := doc.Steps[i]
			if s.ExitCode != 0 || s.Bytes == 0 || s.Command != "query" && s.Command != "check" && s.Command != "table query" && s.Command != "metric query" {
				continue
			}
			n++
			script := fmt.Sprintf("answer%d.sh", s.Step)
			r.typed(fmt.Sprintf("da session export %s --answer %d > %s", name, s.Step, script))
			out, _ := r.typed("sh " + script + " > /dev/null")
			text, _ := os.ReadFile(filepath.Join(r.home, script))
			kept := strings.Count(string(text), "\n# step ")
			answers, steps, left = answers+1, steps+len(doc.Steps), left+kept
			switch {
			case r.code == 0:
				same++
			case r.code == 10 && strings.Contains(out.String(), "moved: "):
				same, moved = same+1, moved+1
				t.Logf("%s, answer %d: an input has moved: %s", p.name, s.Step, out)
			default:
				t.Logf("%s, answer %d: exit %d: %s\n%s", p.name, s.Step, r.code, out, text[bytes.Index(text, []byte("\n# step")):])
			}
		}
		r.close()
	}
	t.Logf("%d of %d answers reproduce, %d of them by naming what has moved, with %d of %d commands", same, answers, moved, left, steps)
	if answers == 0 || same*100 < answers*95 || left*3 > steps {
		t.Errorf("%d of %d answers reproduce, with %d of %d commands", same, answers, left, steps)
	}
}

// typeAll types all that a page shows, whatever it prints.
func (p *page) typeAll(r *reader) {
	for _, b := range p.blocks {
		switch {
		case b.notRun != "":
		case b.lang == "sh":
			r.typed(p.text(b))
		case b.lang == "console":
			steps, err := p.steps(b)
			if err != nil {
				r.t.Fatal(err)
			}
			for _, s := range steps {
				r.typed(s.command)
				if strings.HasSuffix(s.command, "&") {
					r.awaits(strings.Join(p.lines[s.out:s.end], "\n"))
				}
			}
		}
	}
}
