package app

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/iostreams"
)

// paged writes lines through page, on a terminal of ten lines.
func paged(t *testing.T, lines int, env map[string]string, change func(*iostreams.Streams)) (string, error) {
	t.Helper()
	var out bytes.Buffer
	streams := &iostreams.Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard, InTerminal: true, OutTerminal: true, OutWidth: 40, OutHeight: 10}
	if change != nil {
		change(streams)
	}
	a := &App{Env: Env{IO: streams, Getenv: func(name string) string { return env[name] }}, Ctx: t.Context()}
	err := a.Page(func(w io.Writer) error {
		for i := range lines {
			if _, err := fmt.Fprintf(w, "line %d\n", i); err != nil {
				return err
			}
		}
		return nil
	})
	return out.String(), err
}

func numbered(prefix string, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%sline %d\n", prefix, i)
	}
	return b.String()
}

func TestPager(t *testing.T) {
	mark := map[string]string{config.EnvPager: "sed 's/^/> /'", "PAGER": "false"}
	for name, tt := range map[string]struct {
		lines  int
		env    map[string]string
		change func(*iostreams.Streams)
		want   string
	}{
		"long goes through":         {lines: 30, env: mark, want: numbered("> ", 30)},
		"short does not":            {lines: 9, env: mark, want: numbered("", 9)},
		"PAGER counts":              {lines: 10, env: map[string]string{"PAGER": "sed 's/^/> /'"}, want: numbered("> ", 10)},
		"cat is none":               {lines: 30, env: map[string]string{config.EnvPager: "cat", "PAGER": "false"}, want: numbered("", 30)},
		"dumb terminals have none":  {lines: 30, env: map[string]string{config.EnvPager: "false", "TERM": "dumb"}, want: numbered("", 30)},
		"nobody to press keys":      {lines: 30, env: mark, change: func(s *iostreams.Streams) { s.InTerminal = false }, want: numbered("", 30)},
		"pipes have none":           {lines: 30, env: mark, change: func(s *iostreams.Streams) { s.OutTerminal = false }, want: numbered("", 30)},
		"one that is not there":     {lines: 30, env: map[string]string{config.EnvPager: "da-no-such-pager"}, want: numbered("", 30)},
		"one that fails at once":    {lines: 30000, env: map[string]string{config.EnvPager: "exit 3"}, want: numbered("", 30000)},
		"one that fails at its end": {lines: 30, env: map[string]string{config.EnvPager: "cat >/dev/null; exit 3"}, want: numbered("", 30)},
		"one that is left":          {lines: 300000, env: map[string]string{config.EnvPager: "head -n 3"}, want: numbered("", 3)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := paged(t, tt.lines, tt.env, tt.change)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %d bytes, not %d: %.200q", len(got), len(tt.want), got)
			}
		})
	}
}

// TestPagerLosesNothingUnsaid has a pager fail when all cannot be shown again.
func TestPagerLosesNothingUnsaid(t *testing.T) {
	_, err := paged(t, 2_000_000, map[string]string{config.EnvPager: "cat >/dev/null; exit 3"}, nil)
	if !api.CodeWriteFailed.Is(err) {
		t.Errorf("got %v", err)
	}
}

// TestPagerKeepsTheError makes sure that a result's own error is not taken for
// the reader's leave.
func TestPagerKeepsTheError(t *testing.T) {
	var out bytes.Buffer
	a := &App{Env: Env{
		IO:     &iostreams.Streams{Out: &out, Err: io.Discard, InTerminal: true, OutTerminal: true, OutWidth: 40, OutHeight: 3},
		Getenv: func(name string) string { return map[string]string{config.EnvPager: "cat -"}[name] },
	}}
	want := &api.Error{Code: api.CodeStreamCut}
	err := a.Page(func(w io.Writer) error {
		_, _ = io.WriteString(w, numbered("", 5))
		return want
	})
	if !api.CodeStreamCut.Is(err) || out.String() != numbered("", 5) {
		t.Errorf("got %v and %q", err, out.String())
	}
}
