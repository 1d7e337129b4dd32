package ask

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/markdown"
	"github.com/agnes-data/da/internal/words/printable"
)

// steps prints the events of a turn.
type steps struct {
	app    *app.App
	format output.Format
	out    io.Writer
	failed error
	// calls are those that run, in words, by their ids. working stops the line that is
	// shown meanwhile.
	calls   map[string]string
	working func()
	// said is what the model has said since its last call. On a terminal drawing
	// draws it meanwhile; told is the last text that was drawn whole.
	said    strings.Builder
	drawing *markdown.Writer
	told    string
	// start shows a line of running work until it is stopped. thinking stops the one
	// that says for how long the model has not said anything; nil if there is none.
	start    func(what string) (stop func())
	thinking func()
	// frames and charts collect those of the turn.
	frames []agent.DataFrame
	charts []agent.Chart
}

// take prints one event: as a JSON line on standard output, or in words on
// standard error.
func (s *steps) take(e agent.Event) {
	if s.format == output.NDJSON {
		line, err := json.Marshal(e)
		if err == nil {
			_, err = fmt.Fprintf(s.out, "%s\n", printable.Line(string(line)))
		}
		s.failed = cmp.Or(s.failed, err)
		return
	}
	if e.Type != agent.EventPartial && e.Type != agent.EventThinking {
		s.failed = cmp.Or(s.failed, s.drawn())
	}
	if e.Type == agent.EventToolCall || e.Type == agent.EventReply || e.Type == agent.EventPartial && s.draws() {
		s.thinks(false) // it would be drawn between the words
	}
	switch e.Type {
	case agent.EventDataFrame:
		s.frames = append(s.frames, *e.Table)
		s.failed = cmp.Or(s.failed, s.table(e.Table))
	case agent.EventChart:
		s.charts = append(s.charts, *e.Chart)
		s.failed = cmp.Or(s.failed, s.chart(e.Chart))
	case agent.EventRejected:
		s.app.Note("    no chart: " + clipped(e.Text))
	case agent.EventPartial:
		s.says(e.Text)
	case agent.EventReply:
		s.said.Reset() // it is printed as the answer, unless it is drawn
	case agent.EventToolCall:
		if text := strings.TrimSpace(s.said.String()); text != "" && !s.draws() {
			s.app.Note(printable.Text(text))
		}
		s.said.Reset()
		s.calls[e.ID] = inWords(e.Tool, e.Arguments)
		s.works()
	case agent.EventToolResult:
		what := humanize.Bytes(int64(e.Bytes))
		if e.Failed {
			what = "failed: " + clipped(failureIn(e.Text))
		}
		step := cmp.Or(s.calls[e.ID], e.Tool)
		delete(s.calls, e.ID)
		s.works()
		s.app.Note("  " + step + ": " + what + ", " + humanize.Elapsed(time.Duration(e.Millis)*time.Millisecond))
		s.thinks(len(s.calls) == 0)
	case agent.EventRestart:
		s.said.Reset()
		s.app.Note("  " + clipped(e.Text))
		s.thinks(true)
	case agent.EventNotice:
		s.app.Note("  " + clipped(e.Text))
	}
}

// thinks shows on a terminal that the model is waited for, and for how long.
func (s *steps) thinks(on bool) {
	if s.thinking != nil {
		s.thinking()
		s.thinking = nil
	}
	if on && s.format != output.NDJSON {
		s.thinking = s.start("the model thinks")
	}
}

// works shows on a terminal which calls run, and for how long.
func (s *steps) works() {
	if s.working != nil {
		s.working()
		s.working = nil
	}
	for _, step := range s.calls {
		if what := api.Clip(step, 60); s.working == nil {
			s.working = s.start(what)
		}
	}
}

// draws reports whether texts are drawn while they come.
func (s *steps) draws() bool { return s.format == output.Table && s.app.IO.OutTerminal }

// says takes a piece of what the model says.
func (s *steps) says(piece string) {
	s.said.WriteString(piece)
	if !s.draws() || s.drawing == nil && strings.TrimSpace(piece) == "" {
		return
	}
	if s.drawing == nil {
		s.drawing = s.markdown()
	}
	s.drawing.Write(piece)
}

func (s *steps) markdown() *markdown.Writer {
	return markdown.New(s.out, s.app.IO.OutWidth, s.app.IO.OutColor)
}

// drawn ends the text that is drawn.
func (s *steps) drawn() error {
	if s.drawing == nil {
		return nil
	}
	err := s.drawing.Close()
	s.drawing, s.told = nil, onOneLine(s.said.String())
	return err
}

// answer prints the answer, unless it has been drawn.
func (s *steps) answer(text string) error {
	switch {
	case text == "" || s.draws() && onOneLine(text) == s.told:
		return nil
	case s.draws():
		w := s.markdown()
		w.Write(text)
		return w.Close()
	}
	_, err := fmt.Fprintln(s.out, printable.Text(text))
	return err
}
