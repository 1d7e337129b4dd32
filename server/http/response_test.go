package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// timed is a writer that knows its deadline.
type timed struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

func (w *timed) SetWriteDeadline(t time.Time) error {
	w.deadline = t
	return nil
}

// TestAStreamOfHTTP2MayWait: there a deadline that passes while nothing is written ends
// the stream, so that a statement could not compute for longer than that.
func TestAStreamOfHTTP2MayWait(t *testing.T) {
	for _, framed := range []bool{false, true} {
		under := &timed{ResponseRecorder: httptest.NewRecorder()}
		w := &response{ResponseWriter: under, control: http.NewResponseController(under), limit: time.Hour, framed: framed}
		for _, act := range []func(){func() { _, _ = w.Write([]byte("x")) }, w.flush} {
			if act(); under.deadline.IsZero() != framed {
				t.Errorf("framed %v: the deadline is %v", framed, under.deadline)
			}
		}
	}
}
