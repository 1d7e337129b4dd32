package cli

import (
	"io"
	"sync"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/client"
)

// TestTheQueueIsTold asks a server that may write one file at a time for ten.
func TestTheQueueIsTold(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.instance("limits: { memory: 600MB }")
	p.writeBig(60, 1)
	at := p.served()
	c, err := client.New(client.Options{URL: at.get("DA_SERVER"), Token: at.get("DA_TOKEN")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var mu sync.Mutex
	told := map[int]bool{}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			file, err := c.ScanFile(t.Context(), api.FileRequest{Scan: api.ScanRequest{TableID: "big"}, OnQueue: func(place int) {
				mu.Lock()
				defer mu.Unlock()
				told[place] = true
			}})
			if err != nil {
				t.Error(err)
				return
			}
			defer file.Close()
			if _, err := io.Copy(io.Discard, file.Data); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(told) == 0 {
		t.Error("nobody was told of the queue")
	}
	for place := range told {
		if place < 1 || place > 9 {
			t.Errorf("somebody was told to be number %d of 9 who wait", place)
		}
	}
}
