package worker

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/agnes-data/da/api"
)

// CallsArg is the first argument of a process that serves calls. The program's
// own arguments follow it, so that it has the settings of its parent.
const CallsArg = "__calls"

// maxCalls bounds the calls that run at once.
const maxCalls = 8

// Calls runs calls in processes of this program. One process serves one call at
// a time. It stays for the next call, as its start costs more than most calls,
// until it has crashed, grown or been cancelled. It may be used concurrently.
type Calls struct {
	program string
	args    []string
	env     []string
	log     io.Writer
	slots   chan struct{}

	mu   sync.Mutex
	idle *server // at most one
}

// NewCalls returns what runs calls in processes with the given arguments and
// environment. They inherit the working folder. What they log goes to log.
func NewCalls(args, env []string, log io.Writer) (*Calls, error) {
	program, err := ownProgram()
	if err != nil {
		return nil, err
	}
	return &Calls{program: program, args: append([]string{CallsArg}, args...), env: env, log: log, slots: make(chan struct{}, maxCalls)}, nil
}

// order is one call on its way to a process, a line of JSON.
type order struct {
	Memory  int64 // bytes beyond the program; 0: no hard limit
	Request json.RawMessage
}

// line is what a process says: how a call goes on, or its answer.
type line struct {
	Say    string          `json:",omitempty"`
	Answer json.RawMessage `json:",omitempty"`
	Last   bool            `json:",omitempty"` // the process serves no further call
}

// Call sends a request, which is JSON, to a process and returns its answer.
// memory is how many bytes the call may take beyond the program, where the
// system can bound that. say is told how the call goes on. The end of ctx asks
// the process to end, and soon kills it. An *api.Error says that the process has
// died.
func (p *Calls) Call(ctx context.Context, request json.RawMessage, memory int64, say func(string)) (json.RawMessage, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s, err := p.take()
	if err != nil {
		return nil, err
	}
	uncancel := context.AfterFunc(ctx, s.stop)
	_ = json.NewEncoder(s.in).Encode(order{memory, request}) // a process that has died says nothing
	for l := range s.said {
		if l.Answer == nil {
			say(l.Say)
			continue
		}
		if uncancel() && !l.Last {
			p.keep(s)
		} else {
			s.end()
		}
		return l.Answer, ctx.Err()
	}
	uncancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, s.died(memory)
}

// take returns the process that waits for a call, or a new one.
func (p *Calls) take() (*server, error) {
	p.mu.Lock()
	s := p.idle
	p.idle = nil
	p.mu.Unlock()
	if s != nil {
		select {
		case <-s.said: // it has died meanwhile
		default:
			s.crash.forget()
			return s, nil
		}
	}
	return p.start()
}

// keep lets a process wait for the next call, unless another does.
func (p *Calls) keep(s *server) {
	p.mu.Lock()
	if p.idle == nil {
		p.idle, s = s, nil
	}
	p.mu.Unlock()
	if s != nil {
		s.end()
	}
}

// Close ends the process that waits.
func (p *Calls) Close() {
	p.mu.Lock()
	s := p.idle
	p.idle = nil
	p.mu.Unlock()
	if s != nil {
		s.end()
	}
}

// server is a process that serves calls.
type server struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	said  chan line // closed when the process has ended
	crash head
}

func (p *Calls) start() (*server, error) {
	s := &server{cmd: exec.Command(p.program, p.args...), said: make(chan line), crash: head{copy: p.log}}
	s.cmd.Args[0], s.cmd.Env, s.cmd.Stderr = "da", p.env, &s.crash
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		s.in, err = s.cmd.StdinPipe()
	}
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, noProcess(err)
	}
	go s.listen(out)
	return s, nil
}

// listen passes on what the process says until it ends.
func (s *server) listen(out io.Reader) {
	lines := json.NewDecoder(out)
	for {
		var l line
		if lines.Decode(&l) != nil {
			break
		}
		s.said <- l
	}
	s.kill() // what it says is not understood, if it has not ended
	_ = s.in.Close()
	_ = s.cmd.Wait() // the state tells
	close(s.said)
}

// grace is how long a process may take to end when it is asked to, so that it
// gives back what it holds, such as its share of a quota.
const grace = 2 * time.Second

// stop asks the process to end, and kills it if it does not.
func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	time.AfterFunc(grace, s.kill)
}

func (s *server) kill() { _ = s.cmd.Process.Kill() } // it may have ended

// end lets a process that is idle go, and waits until it has gone.
func (s *server) end() {
	_ = s.in.Close()
	for range s.said { // nobody waits for it
	}
}

// died says why a process has ended in the middle of a call.
func (s *server) died(memory int64) error {
	how := errors.New("the process of a call ended: " + s.cmd.ProcessState.String())
	if outOfMemory(s.cmd.ProcessState, s.crash.String(), memory) {
		return api.OutOfMemory(how)
	}
	return &api.Error{Code: api.CodeUnexpected, Kind: api.KindEngineCrashed, Err: how,
		Message: "the engine crashed during the call", Hint: "Unchanged it would crash again: ask in another way. Other calls work as before."}
}
