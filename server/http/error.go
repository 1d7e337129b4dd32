package httpapi

import (
	"math"
	"net/http"

	"github.com/agnes-data/da/api"
)

var (
	errNoRoute = &api.Error{
		Code: api.CodeBadRequest, Kind: api.KindNoSuchRoute, Message: "there is nothing at this path",
		Hint: "The paths begin with /api/v2/, as in /api/v2/catalog.",
	}
	// A page can give its name the address of this machine, and then passes for a page
	// of this server.
	errForeignHost = &api.Error{
		Code: api.CodeForbidden, Kind: api.KindUnknownHost,
		Message: "this server listens on its own machine alone, and was asked by another name",
		Hint:    "Open it as 127.0.0.1 or localhost. Behind a proxy, name the proxy in server.proxies of the instance file.",
	}
	errNoMethod = &api.Error{
		Code: api.CodeBadRequest, Kind: api.KindMethodNotAllowed, Message: "this path does not answer this method",
		Hint: "The header Allow names the methods that it answers.",
	}
)

// KindStatus is the HTTP status of an error kind that differs from its code's.
type KindStatus struct {
	Code   api.Code
	Kind   string
	Status int
}

// KindStatuses lists the kinds with their own status, by status.
func KindStatuses() []KindStatus {
	return []KindStatus{
		{api.CodeBadRequest, api.KindNoSuchRoute, http.StatusNotFound},
		{api.CodeBadRequest, api.KindMethodNotAllowed, http.StatusMethodNotAllowed},
		{api.CodeBadRequest, api.KindChanged, http.StatusPreconditionFailed},
		{api.CodeUnauthorized, api.KindTooManyFailures, http.StatusTooManyRequests},
	}
}

// statusOf returns the HTTP status for e.
func statusOf(e *api.Error) int {
	for _, k := range KindStatuses() {
		if e.Code == k.Code && e.Kind == k.Kind {
			return k.Status
		}
	}
	return e.Code.HTTPStatus()
}

// retryAfter returns after how many seconds a refused request can be retried.
func retryAfter(details map[string]any) (seconds int64, ok bool) {
	switch v := details["retry_after_seconds"].(type) {
	case int:
		seconds = int64(v)
	case int64:
		seconds = v
	case float64:
		seconds = int64(math.Ceil(v))
	default:
		return 0, false
	}
	return max(0, seconds), true
}
