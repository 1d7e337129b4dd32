package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestClientGoesAway hangs up while the engine works, and wants the request to
// be over on the server within two seconds.
func TestClientGoesAway(t *testing.T) {
	const endless = "SELECT count(*) FROM staff a, range(100000000) b, range(100000000) c"
	s := newStaffServer(t, "{}")
	token := s.admin()
	began, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	routes := newHandler(s.core, slog.New(slog.DiscardHandler))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		defer func() { ended <- struct{}{} }() // an aborted request ends in a panic
		routes.ServeHTTP(w, r)
	}))
	defer srv.Close()
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+"/api/query", strings.NewReader(`{"sql": "`+endless+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	failed := make(chan error, 1)
	go func() {
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
		failed <- err
	}()
	<-began
	hangUp()
	if <-failed == nil {
		t.Error("the endless query had an answer")
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the request still runs a minute after its client has gone")
	}
}
