package source

import "context"

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
