package httpapi

import (
	"net/http"
	"strconv"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/server/core"
)

// origin reads from a request's headers what it says about its caller.
func origin(r *http.Request, requestID string) (core.Origin, error) {
	o := core.Origin{RequestID: requestID, Agent: r.Header.Get(wire.HeaderClient), Session: r.Header.Get(wire.HeaderSession)}
	var err error
	if o.MaxScanBytes, err = headerBytes(r, wire.HeaderMaxScanBytes); err != nil {
		return o, err
	}
	if o.SessionBudget, err = headerBytes(r, wire.HeaderSessionBudget); err != nil {
		return o, err
	}
	return o, o.Check()
}

// headerBytes parses a header with a number of bytes; nil if it is missing.
func headerBytes(r *http.Request, name string) (*int64, error) {
	text := r.Header.Get(name)
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return nil, badBody(api.KindHeader, "the header %s must be a number of bytes", name)
	}
	return &n, nil
}

func setLeft(h http.Header, left api.Remaining) {
	for name, n := range map[string]*int64{wire.HeaderQuotaRemaining: left.QuotaBytes, wire.HeaderSessionRemaining: left.SessionBytes} {
		if n != nil {
			h.Set(name, strconv.FormatInt(*n, 10))
		}
	}
}
