package cli

import (
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/iostreams"
)

// TestPatience runs a command again while that can help, and no longer than it was
// told.
func TestPatience(t *testing.T) {
	t.Parallel()
	busy := &api.Error{Code: api.CodeSnapshotBusy, Message: "in use"}
	refused := &api.Error{Code: api.CodeRejected}
	quota := &api.Error{Code: api.CodeQuota, Details: map[string]any{"retry_after_seconds": 7200.0}}
	for name, c := range map[string]struct {
		patience app.Patience
		prints   bool
		gets     []error
		want     api.Code
	}{
		"waits":                       {app.Patience{Wait: time.Hour}, false, []error{busy, nil}, ""},
		"waits for nothing else":      {app.Patience{Wait: time.Hour}, false, []error{refused}, api.CodeRejected},
		"does not wait by itself":     {app.Patience{}, false, []error{busy}, api.CodeSnapshotBusy},
		"tries again":                 {app.Patience{Retries: 1}, false, []error{busy, nil}, ""},
		"as often as told":            {app.Patience{Retries: 1}, false, []error{busy, busy}, api.CodeSnapshotBusy},
		"not what lasts":              {app.Patience{Retries: 9}, false, []error{refused}, api.CodeRejected},
		"not for hours":               {app.Patience{Retries: 9}, false, []error{quota}, api.CodeQuota},
		"not once something is shown": {app.Patience{Retries: 9, Wait: time.Hour}, true, []error{busy}, api.CodeSnapshotBusy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			streams, _, _, _ := iostreams.Test()
			a := app.New(t.Context(), app.Env{IO: streams, Getenv: func(string) string { return "" }}, nil)
			defer a.Close()
			a.Patience = c.patience
			runs := 0
			err := patiently(t.Context(), a, func() error {
				if c.prints {
					_, _ = a.IO.Out.Write([]byte("row\n"))
				}
				runs++
				return c.gets[runs-1]
			})
			if runs != len(c.gets) || (err == nil) != (c.want == "") || err != nil && !c.want.Is(err) {
				t.Errorf("%v: %v after %d runs", c.gets, err, runs)
			}
		})
	}
}
