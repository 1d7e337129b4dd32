package sse

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

func (f *Feed) sayN(n int, size int) {
	for range n {
		f.Say("step", func(seq int) []byte { return fmt.Appendf(nil, `{"seq":%d}%s`, seq, strings.Repeat(" ", size)) })
	}
}

func ids(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			out = append(out, strings.TrimSpace(id))
		}
	}
	return strings.Join(out, " ")
}

// TestAClientThatComesBackMissesNothing cuts a stream after each of its events, over
// real connections, and reads the rest: every event arrives once, in order.
func TestAClientThatComesBackMissesNothing(t *testing.T) {
	f := NewFeed(time.Hour, func() { t.Error("the feed was abandoned") })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave, err := f.Enter()
		if err != nil {
			t.Error(err)
			return
		}
		defer leave()
		seq, _ := strconv.Atoi(r.Header.Get("Last-Event-ID"))
		if _, err := f.Follow(r.Context(), w, seq); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	f.sayN(1, 0)
	go func() {
		f.sayN(18, 0)
		f.sayN(1, 0)
		f.End()
	}()
	for seq := 0; seq < 20; seq++ {
		r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Last-Event-ID", strconv.Itoa(seq))
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("id: %d\n", seq+1)
		if seq > 0 {
			want = ": the events of what runs\n\n" + want
		}
		got := make([]byte, len(want))
		for n := 0; n < len(got); {
			m, err := res.Body.Read(got[n:])
			if n += m; err != nil {
				break
			}
		}
		res.Body.Close() // the line is cut
		if string(got) != want {
			t.Errorf("after %d: %q", seq, got)
		}
	}
	w := httptest.NewRecorder()
	if begun, err := f.Follow(t.Context(), w, 17); !begun || err != nil || ids(w.Body.String()) != "18 19 20" {
		t.Errorf("the end of a feed that is over: %v %v %q", begun, err, w.Body)
	}
}

func TestAFeedKeepsSoMuch(t *testing.T) {
	f := NewFeed(time.Hour, func() {})
	f.sayN(100, maxKept/10)
	f.End()
	if f.bytes > maxKept {
		t.Errorf("%d bytes are kept", f.bytes)
	}
	for _, seq := range []int{0, 50, 101, -1} {
		if begun, err := f.Follow(t.Context(), httptest.NewRecorder(), seq); begun || !errors.Is(err, ErrGone) {
			t.Errorf("after %d: %v %v", seq, begun, err)
		}
	}
	if _, err := f.Follow(t.Context(), httptest.NewRecorder(), 98); err != nil {
		t.Error(err)
	}
	f.sayN(1, 2*maxKept)
	if len(f.kept) != 1 {
		t.Errorf("of an event that is larger than all that is kept, %d are there", len(f.kept))
	}
}

func TestAFeedThatNobodyFollowsIsAbandoned(t *testing.T) {
	abandoned := make(chan struct{}, 9)
	f := NewFeed(time.Millisecond, func() { abandoned <- struct{}{} })
	var leave []func()
	for range MaxFollowers {
		l, err := f.Enter()
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	if _, err := f.Enter(); !errors.Is(err, ErrTooMany) {
		t.Errorf("one too many: %v", err)
	}
	for _, l := range leave {
		l()
		l() // counts once
	}
	<-abandoned
	l, err := f.Enter()
	if err != nil {
		t.Fatal(err)
	}
	f.Hurry() // somebody follows
	f.End()
	l()
	select {
	case <-abandoned:
		t.Error("a feed that is over, or followed, was abandoned")
	default:
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if begun, err := NewFeed(time.Hour, func() {}).Follow(ctx, httptest.NewRecorder(), 0); begun || err != nil {
		t.Errorf("a feed without events: %v %v", begun, err)
	}
}
