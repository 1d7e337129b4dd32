package workspace

import (
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestConcurrentEditsOfOneVersion edits a version 200 times at once: one edit is
// made, and all others are told of it.
func TestConcurrentEditsOfOneVersion(t *testing.T) {
	w := open(t, Options{})
	put(t, w, "log", "")
	var made, refused atomic.Int64
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			_, err := w.Edit(t.Context(), "log", 1, func(_ *Content, out io.Writer) error {
				_, err := io.WriteString(out, "once")
				return err
			})
			switch {
			case err == nil:
				made.Add(1)
			case api.CodeConflict.Is(err):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 || refused.Load() != 199 || read(t, w, "log") != "once" {
		t.Errorf("%d edits were made and %d refused", made.Load(), refused.Load())
	}
}
