package source

import "context"

// Prober is a source that can be tried without a request: whether its place is
// there and lets the server in. All sources of the registry are; sourcetest
// holds them to it.
type Prober interface {
	Source
	// Probe reaches the place with the source's credentials. It reads no relation
	// and is billed nothing, and may be called at any time. Its errors are those
	// that a request would meet.
	Probe(ctx context.Context) error
}
