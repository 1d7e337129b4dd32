package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/agnes-data/da/server/fault"
)

// statusClientGone is logged for requests whose client had gone away; it is never
// sent.
const statusClientGone = 499

// logRequest writes the line about a request.
func (h *router) logRequest(r *http.Request, res *response, took time.Duration, err error, aborted bool) {
	route := res.route
	if route == "" {
		route = "-"
	}
	status, gone := res.status, r.Context().Err() != nil
	if status == 0 && gone {
		status = statusClientGone
	}
	attrs := []slog.Attr{
		slog.String("method", r.Method), slog.String("route", route), slog.Int("status", status),
		slog.Duration("duration", took), slog.Int64("bytes", res.bytes),
		slog.String("request_id", res.id),
	}
	if res.trace.ID != "" {
		attrs = append(attrs, slog.String("trace_id", res.trace.ID))
	}
	if res.user != "" {
		attrs = append(attrs, slog.String("user", res.user))
	}
	level := slog.LevelInfo
	if aborted {
		attrs = append(attrs, slog.Bool("aborted", true))
	}
	if gone {
		attrs = append(attrs, slog.Bool("client_gone", true))
	}
	if err != nil {
		known := fault.Visible(err)
		attrs = append(attrs, slog.String("code", string(known.Code)))
		if known.Kind != "" {
			attrs = append(attrs, slog.String("kind", known.Kind))
		}
		// For the caller's mistakes, log only the code, because the cause quotes
		// the caller. Log causes of internal errors and of source errors.
		if !gone && known.Code.HTTPStatus() >= http.StatusInternalServerError {
			level = slog.LevelError
			attrs = append(attrs, slog.String("cause", fault.Cause(err)))
			var p *fault.Panic
			if errors.As(err, &p) {
				attrs = append(attrs, slog.String("stack", string(p.Stack)))
			}
		}
	}
	h.log.LogAttrs(context.WithoutCancel(r.Context()), level, "request", attrs...)
}
