package filehttp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agnes-data/da/workspace"
)

// TestManyStreams opens 500 streams of events as one user: those beyond the user's
// share are refused in words, the others tell of changes, and none of another
// user's reach them.
func TestManyStreams(t *testing.T) {
	s := newSite(t, workspace.Options{})
	open := func(user string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/api/files/events?after=0", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User", user)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	var streams []*http.Response
	refused := 0
	for range 500 {
		switch res := open("1"); res.StatusCode {
		case http.StatusOK:
			streams = append(streams, res)
		case http.StatusServiceUnavailable:
			refused++
			res.Body.Close()
		default:
			t.Fatalf("a stream: %d", res.StatusCode)
		}
	}
	if len(streams) != maxStreams || refused != 500-maxStreams {
		t.Errorf("%d streams are open, %d were refused", len(streams), refused)
	}
	if _, res, text := s.send("2", "", "secret.txt", "of another user"); res.StatusCode != http.StatusCreated {
		t.Errorf("another user: %s", text)
	}
	if res := open("2"); res.StatusCode != http.StatusOK {
		t.Errorf("a stream of another user: %d", res.StatusCode)
	}
	s.send("1", "", "mine.txt", "of this one")
	for i, res := range streams {
		text := make([]byte, 0, 4096)
		for !strings.Contains(string(text), "mine.txt") {
			n, err := res.Body.Read(text[len(text):cap(text)])
			if err != nil {
				t.Fatalf("stream %d: %v", i, err)
			}
			text = text[:len(text)+n]
		}
		if strings.Contains(string(text), "secret") {
			t.Fatalf("stream %d tells of another user's files: %s", i, text)
		}
		res.Body.Close()
	}
	for i := 0; open("1").StatusCode != http.StatusOK; i++ { // the server learns soon that the others are closed
		if i > 100_000 {
			t.Fatal("streams that were closed still count")
		}
	}
}

// TestAnEndlessUploadIsCut sends 2 GB without saying so: the server takes little
// more than a file may have.
func TestAnEndlessUploadIsCut(t *testing.T) {
	s := newSite(t, workspace.Options{MaxFile: 1 << 20})
	whole, kind := form(t, "file", "x.bin", "text")
	sent := &endless{head: strings.NewReader(whole[:strings.Index(whole, "text")])}
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/api/files/upload", sent)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User", "1")
	req.Header.Set("Content-Type", kind)
	// A client that still sends may find the line cut before it reads the answer.
	if res, err := http.DefaultClient.Do(req); err == nil {
		if res.Body.Close(); res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("the answer: %d", res.StatusCode)
		}
	}
	if sent.taken > 64<<20 { // what systems keep in buffers, many times
		t.Errorf("%d bytes were taken", sent.taken)
	}
	if got := s.names("1"); got != "" {
		t.Errorf("stored: %s", got)
	}
}
