package python

import (
	"sync"
	"time"

	"github.com/agnes-data/da/api"
)

// idleTime is how long a process waits for the next turn of its conversation.
const idleTime = 10 * time.Minute

// Pool keeps the processes of several conversations between their turns. There
// are at most so many at once: where another one is needed, the one that has been
// idle longest ends. It may be used concurrently.
type Pool struct {
	*Interpreter
	folder func() (dir string, remove func(), err error)
	most   int
	idle   time.Duration

	mu     sync.Mutex
	live   int              // processes
	kept   map[string]*kept // idle sessions by conversation
	turns  int              // orders them
	closed bool
}

// kept is the session of a conversation between two turns.
type kept struct {
	session *Session
	remove  func()
	turn    int
	timer   *time.Timer
}

// Pool returns one of at most so many processes. folder makes a folder for one,
// and returns what removes it. The caller closes it.
func (i *Interpreter) Pool(most int, folder func() (dir string, remove func(), err error)) *Pool {
	return &Pool{Interpreter: i, folder: folder, most: most, idle: idleTime, kept: map[string]*kept{}}
}

// Take returns the session of a conversation for one turn, and what the caller
// calls when the turn is over. ran says that the conversation has run code before:
// if its process has ended since, the model is told that its variables are gone.
func (p *Pool) Take(conversation string, ran bool) (*Session, func(), error) {
	k := p.forget(conversation, nil)
	if k == nil {
		dir, remove, err := p.folder()
		if err != nil {
			return nil, nil, err
		}
		session, err := p.Open(dir)
		if err != nil {
			remove()
			return nil, nil, err
		}
		session.enter, session.leave = p.enter, p.leave
		if ran {
			session.Resumed()
		}
		k = &kept{session: session, remove: remove}
	}
	return k.session, func() { p.keep(conversation, k) }, nil
}

// keep holds a session for the next turn of its conversation, if it has a process.
func (p *Pool) keep(conversation string, k *kept) {
	if !k.session.alive() {
		k.close()
		return
	}
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.turns++
		k.turn = p.turns
		k.timer = time.AfterFunc(p.idle, func() { p.end(conversation, k) })
		p.kept[conversation] = k
	}
	p.mu.Unlock()
	if closed {
		k.close()
	}
}

// forget returns the idle session of a conversation and keeps it no longer; nil if
// absent. If only is given, it must be that one.
func (p *Pool) forget(conversation string, only *kept) *kept {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.kept[conversation]
	if k == nil || only != nil && k != only {
		return nil
	}
	k.timer.Stop()
	delete(p.kept, conversation)
	return k
}

// end ends an idle session.
func (p *Pool) end(conversation string, only *kept) {
	if k := p.forget(conversation, only); k != nil {
		k.close()
	}
}

// Drop ends the process of a conversation that is deleted.
func (p *Pool) Drop(conversation string) { p.end(conversation, nil) }

// Close ends all idle processes. Those of turns end with their turn.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	var all []string
	for name := range p.kept {
		all = append(all, name)
	}
	p.mu.Unlock()
	for _, name := range all {
		p.end(name, nil)
	}
}

func (k *kept) close() {
	k.session.Close()
	k.remove()
}

// enter makes room for one more process: CodeUnavailable if all belong to turns
// that run.
func (p *Pool) enter() error {
	for {
		p.mu.Lock()
		if p.live < p.most {
			p.live++
			p.mu.Unlock()
			return nil
		}
		name, oldest := "", (*kept)(nil)
		for n, k := range p.kept {
			if oldest == nil || k.turn < oldest.turn {
				name, oldest = n, k
			}
		}
		p.mu.Unlock()
		if oldest == nil {
			return &api.Error{Code: api.CodeUnavailable, Kind: api.KindPythonBusy, Message: "Python is busy with other conversations",
				Hint: "Try again later, or compute it in SQL."}
		}
		p.end(name, oldest)
	}
}

func (p *Pool) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live--
}
