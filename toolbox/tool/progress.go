package tool

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/internal/words/humanize"
)

// progressEvery is the interval of progress messages.
const progressEvery = time.Second

// progress sends progress messages to a client that asked for them. A nil
// progress sends nothing.
type progress struct {
	send func(message string)
	now  func() time.Time
	stop context.CancelFunc
	done chan struct{}

	bytes atomic.Int64 // bytes reported through more

	mu   sync.Mutex
	last time.Time
	what string
}

// startProgress starts sending messages, until end is called or ctx is done.
func startProgress(ctx context.Context, say func(message string), now func() time.Time) *progress {
	ctx, stop := context.WithCancel(ctx)
	p := &progress{now: now, stop: stop, done: make(chan struct{}), what: "started"}
	var sending sync.Mutex
	p.send = func(message string) {
		sending.Lock()
		defer sending.Unlock()
		say(message)
	}
	p.send(p.what)
	go p.beat(ctx)
	return p
}

// beat repeats the last message so that the client knows that the call is still
// running.
func (p *progress) beat(ctx context.Context) {
	defer close(p.done)
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.mu.Lock()
			what, quiet := p.what, p.now().Sub(p.last) >= progressEvery
			p.mu.Unlock()
			if quiet {
				p.send(what)
			}
		}
	}
}

// Rows reports the total of rows and bytes so far.
func (p *progress) Rows(rows, bytes int64) {
	if p == nil {
		return
	}
	text := humanize.Plural(rows, "row", "rows")
	if bytes > 0 {
		text += ", " + humanize.Bytes(bytes)
	}
	p.say(text)
}

// More reports further bytes. It is safe for concurrent use.
func (p *progress) More(bytes int64) {
	if p == nil {
		return
	}
	p.say(humanize.Bytes(p.bytes.Add(bytes)))
}

// say sends a message, unless another was sent just before.
func (p *progress) say(text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.what = text
	now := p.now()
	due := p.last.IsZero() || now.Sub(p.last) >= progressEvery
	if due {
		p.last = now
	}
	p.mu.Unlock()
	if due {
		p.send(text)
	}
}

// end stops the messages; nothing is sent after it returns.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.stop()
	<-p.done
}
