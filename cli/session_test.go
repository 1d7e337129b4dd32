package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// stories are what sessions are made of: what readers of pages type, and the walk of an
// agent. In make test the first two are, with DA_SESSIONS as many as it says.
var stories = []string{
	"agents", "walk", "guide", "scripting", "checks", "guide", "README", "walk", "caveats", "guide", "files", "metrics", "agent", "reports", "operating",
}

// asides are commands that lead nowhere, between those of a story.
var asides = []string{
	"query 'SELECT avg(dealy) FROM flights'", "fetch airports --as aside --force", "query 'SELECT count(*) FROM aside'", "schema flights",
	"catalog", "snapshot list", "query --remote 'SELECT max(iata) FROM airports'", "fetch nothing --as nothing", "query 'SELECT 1 FROM nothing'",
}

// told is how the answers of sessions came out.
type told struct {
	sync.Mutex
	answers, same, moved, steps, left int
}

// TestSessionsReproduce records sessions with dead ends in them, and runs the scripts of
// answers that they gave: each is the same, or names what has moved.
func TestSessionsReproduce(t *testing.T) {
	n := 2
	if many, err := strconv.Atoi(os.Getenv("DA_SESSIONS")); err == nil {
		n = many
	}
	pages := map[string]*page{}
	for _, p := range docPagesOf(t) {
		pages[strings.TrimSuffix(filepath.Base(p.name), ".md")] = p
	}
	var all told
	t.Run("sessions", func(t *testing.T) {
		for i := range n {
			story := stories[i%len(stories)]
			t.Run(fmt.Sprintf("%d-%s", i, story), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(40, uint64(i)))
				if story == "walk" {
					all.recordWalk(t, rng)
				} else {
					all.recordPage(t, rng, pages[story])
				}
			})
		}
	})
	t.Logf("%d of %d answers reproduce, %d of them by naming what has moved, with %d of %d commands", all.same, all.answers, all.moved, all.left, all.steps)
	if all.answers < n || all.same*100 < all.answers*95 || all.left*3 > all.steps {
		t.Errorf("%d of %d answers reproduce, with %d of %d commands", all.same, all.answers, all.left, all.steps)
	}
}

// recordPage types a page with dead ends between its commands.
func (all *told) recordPage(t *testing.T, rng *rand.Rand, p *page) {
	r := newReader(t)
	defer r.close()
	r.before = func(string) {
		for rng.IntN(2) == 0 {
			r.typed("da " + asides[rng.IntN(len(asides))])
		}
	}
	r.after = func(commands string) {
		if rng.IntN(6) == 0 && strings.HasPrefix(commands, "da query ") {
			r.typed(commands)
		}
	}
	r.typed("export DA_SESSION=story")
	p.typeAll(r)
	r.typed("unset DA_SESSION DA_AGENT; cd")
	all.judge(t, rng, func(command string) (string, int) {
		out, _ := r.typed(command)
		return out.String(), r.code
	})
}

// recordWalk lets an agent without a model answer its questions, with dead ends.
func (all *told) recordWalk(t *testing.T, rng *rand.Rand) {
	shell := func(p *place, command string) (string, int) {
		cmd := p.command()
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", command}
		out := finish(t, cmd)
		return out.stdout + out.stderr, out.code
	}
	p := walk(t, newPlace(t).with("DA_SESSION=story"), func(p *place) {
		for rng.IntN(2) == 0 {
			shell(p, "da "+asides[rng.IntN(len(asides))])
		}
	})
	after := p.with("DA_SESSION=", "CLAUDECODE=")
	all.judge(t, rng, func(command string) (string, int) { return shell(after, command) })
}

// judge exports three of the last twelve answers of a session, and runs the scripts.
func (all *told) judge(t *testing.T, rng *rand.Rand, shell func(string) (string, int)) {
	shown, _ := shell("da session show story --json --max-tokens 0 2> /dev/null")
	var doc struct {
		Steps []struct {
			Step, Bytes int
			Command     string
			ExitCode    int `json:"exit_code"`
		}
	}
	if err := json.Unmarshal([]byte(shown), &doc); err != nil {
		t.Fatalf("no session: %v: %.200s", err, shown)
	}
	var answers []int
	for i := len(doc.Steps) - 1; i >= 0 && len(answers) < 12; i-- {
		s := doc.Steps[i]
		if s.ExitCode == 0 && s.Bytes > 0 && (s.Command == "query" || s.Command == "check" || s.Command == "table query" || s.Command == "metric query") {
			answers = append(answers, s.Step)
		}
	}
	rng.Shuffle(len(answers), func(i, j int) { answers[i], answers[j] = answers[j], answers[i] })
	for _, answer := range answers[:min(3, len(answers))] {
		text, _ := shell(fmt.Sprintf("da session export story --answer %d > answer.sh; cat answer.sh", answer))
		out, code := shell("sh answer.sh > answer.txt")
		all.Lock()
		all.answers, all.steps, all.left = all.answers+1, all.steps+len(doc.Steps), all.left+strings.Count(text, "\n# step ")
		switch {
		case code == 0:
			all.same++
		case code == 10 && strings.Contains(out, "moved: "):
			all.same, all.moved = all.same+1, all.moved+1
			t.Logf("answer %d: an input has moved: %s", answer, out)
		default:
			t.Logf("answer %d: exit %d: %s\n%s", answer, code, out, text[max(0, strings.Index(text, "\n# step")):])
		}
		all.Unlock()
	}
}

// typeAll types all that a page shows, whatever it prints.
func (p *page) typeAll(r *reader) {
	for _, b := range p.blocks {
		switch {
		case b.notRun != "":
		case b.lang == "sh":
			r.reads(p.text(b))
		case b.lang == "console":
			steps, err := p.steps(b)
			if err != nil {
				r.t.Fatal(err)
			}
			for _, s := range steps {
				r.reads(s.command)
				if strings.HasSuffix(s.command, "&") {
					r.awaits(strings.Join(p.lines[s.out:s.end], "\n"))
				}
			}
		}
	}
}
