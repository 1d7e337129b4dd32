package httpapi

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// TestABodyThatDripsEnds holds that a door which reads its body as it comes does
// not wait for ever for a client that has stopped sending.
func TestABodyThatDripsEnds(t *testing.T) {
	ended := make(chan error, 1)
	h := newHandler(testBackend{&testService{}}, slog.New(slog.DiscardHandler), Door{Path: "/door", Streams: true, Handle: func(_ api.Data, w http.ResponseWriter, r *http.Request) error {
		n, err := io.Copy(io.Discard, r.Body)
		if n != 4 {
			t.Errorf("%d bytes came", n)
		}
		ended <- err
		return badBody("incomplete", "too slow")
	}})
	h.writeLimit = 20 * time.Millisecond
	srv := httptest.NewServer(h)
	defer srv.Close()
	body, send := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL+"/door", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+userToken)
	go func() { _, _ = send.Write([]byte("slow")) }()
	go func() {
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}()
	if err := <-ended; err == nil {
		t.Error("the body has ended well")
	}
	_ = send.Close()
}
