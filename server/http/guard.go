package httpapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
)

// The number of failed log-ins of an address after which its unknown tokens are
// no longer checked, and the time after which one failure is forgotten.
const (
	maxFailures   = 20
	forgetFailure = 3 * time.Second
	maxAddresses  = 10_000
	maxKnown      = 10_000
)

// guard slows down attempts to guess tokens. It counts per address of the
// connection. All callers behind a proxy share one, so tokens that were valid
// before are always checked.
type guard struct {
	mu       sync.Mutex
	now      func() time.Time
	most     float64
	failures map[string]*failures
	known    map[[sha256.Size]byte]bool // tokens that were valid at some time
}

// failures is a leaky bucket.
type failures struct {
	count float64
	at    time.Time
}

func newGuard(now func() time.Time) *guard {
	return &guard{now: now, most: maxFailures, failures: map[string]*failures{}, known: map[[sha256.Size]byte]bool{}}
}

// level returns how full the bucket of an address is now.
func (g *guard) level(address string) float64 {
	f := g.failures[address]
	if f == nil {
		return 0
	}
	return max(0, f.count-g.now().Sub(f.at).Seconds()/forgetFailure.Seconds())
}

// check calls authenticate unless the address has failed too often.
func (g *guard) check(ctx context.Context, address, token string,
	authenticate func(context.Context, string) (core.Principal, error)) (core.Principal, error) {
	hash := sha256.Sum256([]byte(token))
	g.mu.Lock()
	refused := !g.known[hash] && g.level(address) >= g.most
	g.mu.Unlock()
	if refused {
		return core.Principal{}, tooMany("too many tokens from this address were not valid", "Wait some seconds, and check DA_TOKEN.")
	}
	who, err := authenticate(ctx, token)
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err == nil:
		if len(g.known) >= maxKnown {
			clear(g.known)
		}
		g.known[hash] = true
	case api.CodeUnauthorized.Is(err):
		g.fail(address)
	}
	return who, err
}

func tooMany(message, hint string) error {
	return &api.Error{Code: api.CodeUnauthorized, Kind: api.KindTooManyFailures, Message: message, Hint: hint,
		Details: map[string]any{"retry_after_seconds": int64(forgetFailure / time.Second)}}
}

// codes calls try unless the address has typed too many codes that no machine waits
// with.
func (g *guard) codes(address string, try func() error) error {
	address = "code " + address
	g.mu.Lock()
	refused := g.level(address) >= g.most
	g.mu.Unlock()
	if refused {
		return tooMany("too many codes from this address were not valid", "Wait some seconds, then type the code as the machine shows it.")
	}
	err := try()
	var known *api.Error
	if errors.As(err, &known) && known.Kind == api.KindUnknownCode {
		_ = g.spare(address)
	}
	return err
}

// spare counts a failure of an address, and reports whether it had few before.
func (g *guard) spare(address string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	few := g.level(address) < g.most
	if few {
		g.fail(address)
	}
	return few
}

// fail counts a failure; the caller holds the lock.
func (g *guard) fail(address string) {
	if len(g.failures) >= maxAddresses {
		for a := range g.failures {
			if g.level(a) == 0 || len(g.failures) >= 2*maxAddresses {
				delete(g.failures, a)
			}
		}
	}
	g.failures[address] = &failures{count: g.level(address) + 1, at: g.now()}
}
