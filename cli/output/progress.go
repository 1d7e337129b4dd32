package output

import (
	"io"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/internal/printable"
	"github.com/agnes-data/da/internal/textwidth"
)

// Clock is where Progress gets time from.
type Clock interface {
	Now() time.Time
	// Ticks sends the time every d until stop is called.
	Ticks(d time.Duration) (ticks <-chan time.Time, stop func())
}

// WallClock is the real one.
type WallClock struct{}

// Now implements Clock.
func (WallClock) Now() time.Time { return time.Now() }

// Ticks implements Clock.
func (WallClock) Ticks(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// redrawEvery is often enough to look alive. Work that ends sooner shows
// nothing at all.
const redrawEvery = 200 * time.Millisecond

// ProgressOptions say what is shown, and where.
type ProgressOptions struct {
	// Active is set if the stream is a terminal; else nothing is ever drawn.
	Active bool
	// Width is how many columns the terminal has.
	Width int
	// Label names the work, as in "fetch flights".
	Label string
	// TotalBytes is how many bytes there will be; 0 if that is unknown.
	TotalBytes int64
	// Clock is WallClock unless set.
	Clock Clock
}

// Progress is one line about work that goes on: rows, bytes, rate, time. It is
// redrawn by a ticker, never by the work itself, and leaves no trace. All
// methods may be called from any goroutine.
type Progress struct {
	w       io.Writer
	o       ProgressOptions
	started time.Time
	stop    func()
	stopped sync.WaitGroup

	mu          sync.Mutex
	rows, bytes int64
	drawn       int // columns that the line takes on the terminal now
}

// StartProgress begins. Stop must be called before anything else, other than
// through Progress itself, is written to w.
func StartProgress(w io.Writer, o ProgressOptions) *Progress {
	if o.Clock == nil {
		o.Clock = WallClock{}
	}
	p := &Progress{w: w, o: o, started: o.Clock.Now(), stop: func() {}}
	if !o.Active {
		return p
	}
	ticks, stopTicks := o.Clock.Ticks(redrawEvery)
	done := make(chan struct{})
	p.stop = sync.OnceFunc(func() {
		stopTicks()
		close(done)
	})
	p.stopped.Go(func() {
		for {
			select {
			case now := <-ticks:
				p.draw(now)
			case <-done:
				return
			}
		}
	})
	return p
}

// Set tells how much has been done so far.
func (p *Progress) Set(rows, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows, p.bytes = rows, bytes
}

// Write passes text on to the stream, above the line. It is how warnings are
// printed while the line is shown.
func (p *Progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	return p.w.Write(text)
}

// Stop ends the line and removes it. It may be called more than once.
func (p *Progress) Stop() {
	p.stop()
	p.stopped.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) draw(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := p.line(now)
	if p.o.Width > 0 {
		line, _ = textwidth.Clip(line, p.o.Width-1, "") // in the last column, some terminals wrap
	}
	width := textwidth.Of(line)
	rest := max(p.drawn-width, 0)
	p.put("\r" + line + strings.Repeat(" ", rest) + strings.Repeat("\b", rest))
	p.drawn = width
}

// line words what is known.
func (p *Progress) line(now time.Time) string {
	elapsed := now.Sub(p.started)
	parts := []string{}
	if p.rows > 0 {
		parts = append(parts, humanize.PluralCount(p.rows, "row", "rows"))
	}
	switch total := p.o.TotalBytes; {
	case total > 0:
		parts = append(parts, humanize.Bytes(p.bytes)+" of "+humanize.Bytes(total))
	case p.bytes > 0:
		parts = append(parts, humanize.Bytes(p.bytes))
	}
	if rate := humanize.Rate(p.bytes, elapsed); p.bytes > 0 && rate != "" {
		parts = append(parts, rate)
	}
	parts = append(parts, humanize.Elapsed(elapsed))
	return printable.Line(p.o.Label) + ": " + strings.Join(parts, ", ")
}

func (p *Progress) clear() {
	if p.drawn > 0 {
		p.put("\r" + strings.Repeat(" ", p.drawn) + "\r")
		p.drawn = 0
	}
}

// put writes to the terminal. A line about progress that cannot be drawn is no
// reason for the work to fail.
func (p *Progress) put(text string) { _, _ = io.WriteString(p.w, text) }
