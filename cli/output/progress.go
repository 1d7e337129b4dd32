package output

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/internal/words/textwidth"
)

// Clock is Progress's source of time.
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

// redrawEvery is short enough to look alive. Work that ends sooner shows nothing.
const redrawEvery = 200 * time.Millisecond

// ProgressOptions say what is shown and where.
type ProgressOptions struct {
	// Active is set if the stream is a terminal; otherwise nothing is drawn.
	Active bool
	// Width is how many columns the terminal has.
	Width int
	// Label describes the work, as in "fetch flights".
	Label string
	// Over is a line that is running already. It is not drawn while this one is.
	Over *Progress
	// Clock is WallClock unless set.
	Clock Clock
}

// Progress is one line about running work: rows, bytes, rate, time. A ticker
// redraws it, never the work itself, and it is removed at the end. All methods
// are safe for concurrent use.
type Progress struct {
	w       io.Writer
	o       ProgressOptions
	started time.Time
	stop    func()
	stopped sync.WaitGroup

	mu          sync.Mutex
	rows, bytes int64
	total       int64 // expected rows; 0: unknown
	totalBytes  int64 // likewise
	drawn       int   // columns that the line takes on the terminal now
	place       int   // in a queue; 0: in none
	covered     int   // lines that are drawn instead of this one
	ended       bool
}

// StartProgress starts the line. Until Stop is called, write to w only through
// Progress.
func StartProgress(w io.Writer, o ProgressOptions) *Progress {
	if o.Clock == nil {
		o.Clock = WallClock{}
	}
	for o.Over.over() {
		o.Over = o.Over.o.Over
	}
	p := &Progress{w: w, o: o, started: o.Clock.Now(), stop: func() {}}
	if !o.Active {
		return p
	}
	ticks, stopTicks := o.Clock.Ticks(redrawEvery)
	done := make(chan struct{})
	o.Over.cover(1)
	p.stop = sync.OnceFunc(func() {
		stopTicks()
		close(done)
		o.Over.cover(-1)
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

// Set sets how much has been done so far.
func (p *Progress) Set(rows, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows, p.bytes = rows, bytes
}

// Queued sets the place of the work in a queue, until some of it has been done.
func (p *Progress) Queued(place int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.place = place
}

// Expect sets the expected number of rows, for the percentage and the remaining
// time; 0 if unknown.
func (p *Progress) Expect(rows int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total = rows
}

// ExpectBytes is Expect for work that is measured in bytes.
func (p *Progress) ExpectBytes(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totalBytes = bytes
}

// Write prints text above the line. Warnings use it while the line is shown.
func (p *Progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	if p.o.Over != nil {
		return p.o.Over.Write(text)
	}
	return p.w.Write(text)
}

// cover removes the line while another one is drawn.
func (p *Progress) cover(by int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.covered += by
	p.clear()
}

// Stop ends the line and removes it. It can be called more than once.
func (p *Progress) Stop() {
	p.stop()
	p.stopped.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.ended = true
}

// over reports whether the line was there and has ended.
func (p *Progress) over() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

func (p *Progress) draw(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.covered > 0 {
		return
	}
	line := p.line(now)
	if p.o.Width > 0 {
		line, _ = textwidth.Clip(line, max(p.o.Width-1-len(echo), 1), "") // some terminals wrap at the last column
	}
	width := textwidth.Of(line)
	rest := max(p.drawn-width, 0)
	p.put("\r" + line + strings.Repeat(" ", rest) + strings.Repeat("\b", rest))
	p.drawn = width
}

// line returns the text of the line.
func (p *Progress) line(now time.Time) string {
	elapsed := now.Sub(p.started)
	parts := []string{}
	done := 0.0 // the finished share; 0: unknown
	switch {    // if there is more than expected, the share is unknown
	case p.rows > 0 && p.rows <= p.total:
		done = float64(p.rows) / float64(p.total)
		parts = append(parts, fmt.Sprintf("%d%% of %s", p.rows*100/p.total, humanize.PluralCount(p.total, "row", "rows")))
	case p.rows == 0 && p.bytes == 0 && p.place > 0:
		parts = append(parts, fmt.Sprintf("waits as number %d in the server's queue", p.place))
	case p.rows > 0:
		parts = append(parts, humanize.PluralCount(p.rows, "row", "rows"))
	}
	switch {
	case p.bytes > 0 && p.bytes <= p.totalBytes:
		done = float64(p.bytes) / float64(p.totalBytes)
		parts = append(parts, fmt.Sprintf("%d%% of %s", int64(done*100), humanize.Bytes(p.totalBytes)))
	case p.bytes > 0:
		parts = append(parts, humanize.Bytes(p.bytes))
	}
	if rate := humanize.Rate(p.bytes, elapsed); p.bytes > 0 && rate != "" {
		parts = append(parts, rate)
	}
	parts = append(parts, humanize.Elapsed(elapsed))
	if done > 0 && elapsed >= time.Second {
		left := time.Duration(float64(elapsed) * (1 - done) / done)
		parts = append(parts, humanize.Elapsed(left.Round(time.Second))+" left")
	}
	return printable.Line(p.o.Label) + ": " + strings.Join(parts, ", ")
}

// echo is what a terminal prints after the line when the user interrupts.
const echo = "^C"

func (p *Progress) clear() {
	if p.drawn > 0 {
		p.put("\r" + strings.Repeat(" ", p.drawn+len(echo)) + "\r")
		p.drawn = 0
	}
}

// put writes to the terminal and ignores errors: the work must not fail because
// progress cannot be drawn.
func (p *Progress) put(text string) { _, _ = io.WriteString(p.w, text) }
