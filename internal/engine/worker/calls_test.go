package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agnes-data/da/api"
)

// answerTest is what a process of the tests answers: its id, when it has done
// what the request says.
func answerTest(request json.RawMessage, say func(string)) json.RawMessage {
	var what string
	_ = json.Unmarshal(request, &what)
	id := strconv.Itoa(os.Getpid())
	switch what {
	case "hang":
		say(id)
		select {}
	case "grow":
		for size := 64 << 20; ; size *= 2 {
			b := make([]byte, size)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			held = append(held, b)
		}
	case "hold":
		held = append(held, make([]byte, maxResident))
		for i := 0; i < maxResident; i += 4096 {
			held[0][i] = 1
		}
	}
	return json.RawMessage(id)
}

// held is memory that a test process never frees.
var held [][]byte

func calls(t *testing.T) *Calls {
	t.Helper()
	p, err := NewCalls([]string{"mcp"}, os.Environ(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// ask calls and returns the id of the process that answered.
func (p *Calls) ask(ctx context.Context, what string, say func(string)) (int, error) {
	answer, err := p.Call(ctx, json.RawMessage(strconv.Quote(what)), 700<<20, say)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(answer))
}

func (p *Calls) must(t *testing.T, what string) int {
	t.Helper()
	id, err := p.ask(t.Context(), what, nil)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return id
}

func TestOneProcessServesOneCallAfterTheOther(t *testing.T) {
	p := calls(t)
	first := p.must(t, "")
	if second := p.must(t, ""); second != first {
		t.Errorf("the second call ran in %d, the first in %d", second, first)
	}
	p.Close()
	if err := syscall.Kill(first, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d after the end: %v", first, err)
	}
}

func TestAProcessThatHasGrownIsReplaced(t *testing.T) {
	p := calls(t)
	if grown := p.must(t, "hold"); p.must(t, "") == grown {
		t.Error("the process that has grown serves on")
	}
}

func TestACrashIsTheFailureOfOneCall(t *testing.T) {
	p := calls(t)
	for _, signal := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGKILL} {
		_, err := p.ask(t.Context(), "hang", func(id string) {
			pid, _ := strconv.Atoi(id)
			_ = syscall.Kill(pid, signal)
		})
		if !errors.Is(err, &api.Error{Code: api.CodeUnexpected, Kind: api.KindEngineCrashed}) {
			t.Errorf("%v: %v", signal, err)
		}
		idle := p.must(t, "")
		_ = syscall.Kill(idle, signal)
		for range p.idle.said { // until it has ended
		}
		if p.must(t, "") == idle {
			t.Errorf("%v: a dead process answers", signal)
		}
	}
}

func TestTheMemoryOfACallIsBounded(t *testing.T) {
	p := calls(t)
	if _, err := p.ask(t.Context(), "grow", nil); !errors.Is(err, &api.Error{Code: api.CodeBudget, Kind: "memory"}) {
		t.Errorf("%v", err)
	}
	p.must(t, "")
}

func TestACancelledCallKillsItsProcess(t *testing.T) {
	p := calls(t)
	ctx, cancel := context.WithCancel(t.Context())
	var pid int
	_, err := p.ask(ctx, "hang", func(id string) {
		pid, _ = strconv.Atoi(id)
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := syscall.Kill(pid, 0); pid == 0 || !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d: %v", pid, err)
	}
	p.must(t, "")
}

func TestTooManyCallsWait(t *testing.T) {
	p := calls(t)
	for range maxCalls {
		p.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.ask(ctx, "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestAServedProcessEndsWithItsParent cuts the input of a process, idle and not.
func TestAServedProcessEndsWithItsParent(t *testing.T) {
	for _, what := range []string{"", "hang"} {
		t.Run(what, func(t *testing.T) {
			p := calls(t)
			s, err := p.start()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(s.in, `{"Request":%q}`, what)
			if l := <-s.said; strings.TrimSpace(l.Say+string(l.Answer)) == "" {
				t.Fatalf("%+v", l)
			}
			s.end() // returns when it has ended
		})
	}
}
