package statement

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// failing is an engine that cannot parse.
type failing struct{ err error }

func (f failing) QueryRow(context.Context, string, []any, ...any) error { return f.err }

// TestWhyATextIsNotParsed tells texts that cost too much, which nobody should send
// again, from those that others' texts have kept waiting.
func TestWhyATextIsNotParsed(t *testing.T) {
	busy := &api.Error{Code: api.CodeUnavailable, Kind: "busy", Err: context.DeadlineExceeded}
	for _, c := range []struct{ is, want error }{
		{context.DeadlineExceeded, &api.Error{Code: api.CodeStatement, Kind: api.KindTooLong}},
		{&duckdb.Error{Type: "Out of Memory"}, &api.Error{Code: api.CodeStatement, Kind: api.KindTooLong}},
		{api.OutOfMemory(nil), &api.Error{Code: api.CodeStatement, Kind: api.KindTooLong}},
		{busy, busy},
	} {
		_, err := Check(t.Context(), failing{fmt.Errorf("the worker: %w", c.is)}, "SELECT 1")
		if !errors.Is(err, c.want) {
			t.Errorf("%v: got %v", c.is, err)
		}
	}
}
