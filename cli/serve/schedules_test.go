package serve

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/config"
)

// TestADeliveryKeepsToItself: a webhook that hangs does not keep the command, which may leave
// a process behind; nothing follows a redirect; no link or pipe is a file of the steps.
func TestADeliveryKeepsToItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s came with %q", r.Method, r.URL, r.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hangs":
			<-stop
		case "/moved":
			http.Redirect(w, r, elsewhere.URL+"/there", http.StatusTemporaryRedirect)
		case "/away/api/files/upload":
			http.Redirect(w, r, "http://sub."+r.Host+"/there", http.StatusTemporaryRedirect)
		default:
			_, _ = io.Copy(io.Discard, r.Body)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(stop) }) // before the server, which waits
	for name, text := range map[string]string{"night.yaml": "", "good.csv": "a\n1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link.csv")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.csv"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &schedules{patience: time.Second}
	deliver := func(c config.Schedule, at string) (delivery, string) {
		t.Helper()
		c.File = filepath.Join(dir, "night.yaml")
		var done delivery
		err := s.deliver(context.Background(), c, at, "secret", &done)
		if err == nil {
			return done, ""
		}
		return done, err.Error()
	}
	done, err := deliver(config.Schedule{Files: []string{"link.csv", "pipe.csv", "../x", "good.csv"}, Webhook: server.URL + "/hangs",
		Command: []string{"sh", "-c", "cat > told.json; sleep 600 &"}}, server.URL)
	if !slices.Equal(done.Files, []string{"good.csv"}) || strings.Contains(err, server.URL) {
		t.Errorf("delivered %v: %s", done.Files, err)
	}
	for _, file := range []string{"link.csv", "pipe.csv", "../x"} {
		if !strings.Contains(err, "deliver "+file) {
			t.Errorf("%s was delivered: %s", file, err)
		}
	}
	var told struct {
		ExitCode int `json:"exit_code"`
		Message  string
	}
	text, fault := os.ReadFile(filepath.Join(dir, "told.json"))
	if fault != nil || json.Unmarshal(text, &told) != nil || told.ExitCode != notDelivered || !strings.Contains(told.Message, "link.csv") {
		t.Errorf("the command was told %s, %v", text, fault)
	}
	if _, err := deliver(config.Schedule{Webhook: server.URL + "/moved"}, server.URL); !strings.Contains(err, "307") {
		t.Errorf("a webhook that has moved: %s", err)
	}
	if done, err := deliver(config.Schedule{Files: []string{"good.csv"}}, server.URL+"/away"); len(done.Files) > 0 || !strings.Contains(err, "307") {
		t.Errorf("a server that sends elsewhere: %s", err)
	}
}
