package toolbox

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/internal/humanize"
)

// progressEvery is how often a client that asked is told how a call goes on.
const progressEvery = time.Second

// progress tells a client how a long call goes on, if it asked for it. A nil
// progress tells nobody.
type progress struct {
	send func(message string)
	now  func() time.Time
	stop context.CancelFunc
	done chan struct{}

	bytes atomic.Int64 // that more was told of

	mu   sync.Mutex
	last time.Time
	what string
}

// startProgress begins to tell. It ends with end, or with ctx.
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

// beat repeats what was last told, so that a client knows that the call lives.
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

// rows tells how many rows and bytes have come.
func (p *progress) rows(rows, bytes int64) {
	if p == nil {
		return
	}
	text := humanize.Plural(rows, "row", "rows")
	if bytes > 0 {
		text += ", " + humanize.Bytes(bytes)
	}
	p.say(text)
}

// more tells that bytes have come. Several may tell at once.
func (p *progress) more(bytes int64) {
	if p == nil {
		return
	}
	p.say(humanize.Bytes(p.bytes.Add(bytes)))
}

// say tells something, unless it has told something just now.
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

// end stops telling; nothing is sent after it.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.stop()
	<-p.done
}
