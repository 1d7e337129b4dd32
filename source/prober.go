package source

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agnes-data/da/api"
)

// Prober is a source that can be tried without a request: whether it can be
// reached and accepts the server. All sources of the registry implement it;
// sourcetest checks that.
type Prober interface {
	Source
	// Probe connects with the source's credentials. It reads no relation, costs
	// nothing, and can be called at any time. Its errors are those that a request
	// would get.
	Probe(ctx context.Context) error
}

// Try probes a source with a time limit, even if the source ignores its context.
func Try(ctx context.Context, most time.Duration, p Prober) error {
	tooLong := &api.Error{Code: api.CodeSource, Kind: api.KindUnreachable, Message: fmt.Sprintf("the source did not answer within %s", most),
		Hint: "Check the address of the source, and that nothing between drops what is sent there."}
	ctx, cancel := context.WithTimeoutCause(ctx, most, tooLong)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- p.Probe(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil && errors.Is(context.Cause(ctx), tooLong) {
		return tooLong
	}
	return err
}
