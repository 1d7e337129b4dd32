package output

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/words/textwidth"
)

// handClock is moved by hand. A tick is taken only when the line has drawn the
// one before, so that after two ticks the first has been drawn.
type handClock struct {
	now   time.Time
	ticks chan time.Time
	every time.Duration
	ended bool
}

func newHandClock() *handClock {
	return &handClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), ticks: make(chan time.Time)}
}

func (c *handClock) Now() time.Time { return c.now }

func (c *handClock) Ticks(d time.Duration) (<-chan time.Time, func()) {
	c.every = d
	return c.ticks, func() { c.ended = true }
}

func (c *handClock) advance(d time.Duration) {
	c.now = c.now.Add(d)
	c.ticks <- c.now
}

// screen shows one line as a terminal would after text.
func screen(text string) string {
	var line []rune
	at := 0
	for _, r := range text {
		switch r {
		case '\r':
			at = 0
		case '\b':
			at--
		case '\n':
			line, at = nil, 0
		default:
			if at == len(line) {
				line = append(line, ' ')
			}
			line[at] = r
			at++
		}
	}
	return strings.TrimRight(string(line), " ")
}

func TestProgress(t *testing.T) {
	clock := newHandClock()
	var b bytes.Buffer
	p := StartProgress(&b, ProgressOptions{Active: true, Width: 80, Label: "fetch\x1b[2J flights", Clock: clock})
	if clock.every != redrawEvery {
		t.Errorf("ticks every %v", clock.every)
	}
	for range 1000 {
		p.Set(1, 1)
	}
	if b.Len() > 0 {
		t.Errorf("something was drawn without a tick: %q", b.String())
	}
	p.Set(1_234_567, 24_000_000)
	clock.advance(2 * time.Second)
	clock.ticks <- clock.now // the first has been drawn, and this changes nothing
	p.Stop()
	drawn := b.String()
	line := drawn[:strings.LastIndex(drawn, "\r"+strings.Repeat(" ", 10))]
	if got, want := screen(line), `fetch\x1b[2J flights: 1.2M rows, 24 MB, 12 MB/s, 2.0s`; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := screen(drawn); got != "" {
		t.Errorf("after the end the line says %q", got)
	}
	if !strings.HasSuffix(drawn, "\r") || !clock.ended {
		t.Error("the line or the clock was left behind")
	}
	p.Stop()
	if b.String() != drawn {
		t.Error("a second Stop wrote something")
	}
}

func TestProgressShrinks(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{w: &b, o: ProgressOptions{Width: 80, Label: "a"}}
	p.Set(1_200_000, 5_500_000)
	p.draw(p.started.Add(1500 * time.Millisecond))
	if got, want := screen(b.String()), "a: 1.2M rows, 5.5 MB, 3.7 MB/s, 1.5s"; got != want {
		t.Errorf("got %q", got)
	}
	p.Set(0, 76_000_000)
	p.draw(p.started.Add(time.Hour))
	if got, want := screen(b.String()), "a: 76 MB, 21.1 KB/s, 1h 00m"; got != want {
		t.Errorf("got %q", got)
	}
}

// TestProgressTowardsAnEnd holds that a percentage and the time left are shown
// where the number of rows is known, and not where it was wrong.
func TestProgressTowardsAnEnd(t *testing.T) {
	for _, tt := range []struct {
		rows  int64
		after time.Duration
		want  string
	}{
		{0, 3 * time.Second, "a: 3.0s"},
		{90_000, 300 * time.Millisecond, "a: 25% of 360k rows, 300ms"},
		{90_000, 4 * time.Second, "a: 25% of 360k rows, 4.0s, 12s left"},
		{360_000, 9 * time.Second, "a: 100% of 360k rows, 9.0s, 0ms left"},
		{400_000, 9 * time.Second, "a: 400k rows, 9.0s"},
	} {
		p := &Progress{o: ProgressOptions{Label: "a"}}
		p.Expect(360_000)
		p.Set(tt.rows, 0)
		if got := p.line(p.started.Add(tt.after)); got != tt.want {
			t.Errorf("got %q, not %q", got, tt.want)
		}
	}
}

// TestProgressInBytes is the same for work that is measured in bytes.
func TestProgressInBytes(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "a: 4.0s", 25_000_000: "a: 25% of 100 MB, 6.2 MB/s, 4.0s, 12s left", 100_000_001: "a: 100 MB, 25 MB/s, 4.0s",
	} {
		p := &Progress{o: ProgressOptions{Label: "a"}}
		p.ExpectBytes(100_000_000)
		p.Set(0, bytes)
		if got := p.line(p.started.Add(4 * time.Second)); got != want {
			t.Errorf("got %q, not %q", got, want)
		}
	}
}

// TestInterruptedProgress holds that nothing remains of the line, nor of what a
// terminal echoes behind it.
func TestInterruptedProgress(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{w: &b, o: ProgressOptions{Width: 80, Label: "a"}, stop: func() {}}
	p.draw(p.started)
	b.WriteString(echo)
	p.Stop()
	b.WriteString("Error: interrupted.")
	if got := screen(b.String()); got != "Error: interrupted." {
		t.Errorf("got %q", got)
	}
}

func TestProgressFitsTheTerminal(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{w: &b, o: ProgressOptions{Width: 20, Label: strings.Repeat("日本", 20)}}
	p.draw(p.started)
	if w := textwidth.Of(screen(b.String())); w >= 20 {
		t.Errorf("%d columns on a terminal of 20", w)
	}
}

func TestTextAboveProgress(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{w: &b, o: ProgressOptions{Width: 80, Label: "a"}, stop: func() {}}
	p.draw(p.started)
	if _, err := p.Write([]byte("warning: careful\n")); err != nil {
		t.Fatal(err)
	}
	p.draw(p.started)
	p.Stop()
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 2 || screen(lines[0]) != "warning: careful" || screen(lines[1]) != "" {
		t.Errorf("got %q", lines)
	}
}

func TestProgressOnAPipeIsSilent(t *testing.T) {
	var b bytes.Buffer
	p := StartProgress(&b, ProgressOptions{Label: "a"})
	p.Set(1, 1)
	if _, err := p.Write([]byte("note\n")); err != nil {
		t.Fatal(err)
	}
	p.Stop()
	if b.String() != "note\n" {
		t.Errorf("got %q", b.String())
	}
}

func TestProgressOutlivesItsTerminal(t *testing.T) {
	p := &Progress{w: &failingWriter{err: errors.New("gone")}, o: ProgressOptions{Label: "a"}, stop: func() {}}
	p.draw(p.started)
	p.Stop()
}

func TestTheRealClockTicks(t *testing.T) {
	ticks, stop := WallClock{}.Ticks(time.Millisecond)
	defer stop()
	before := WallClock{}.Now()
	if now := <-ticks; now.Before(before) {
		t.Errorf("a tick at %v, before %v", now, before)
	}
}
