package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
)

// Code names a class of failure. Every error body carries it. It decides the HTTP
// status here and the exit code in cli/exit/exit.go.
type Code string

// The error codes. To add one: a constant here, a row in httpStatus, a row in
// cli/exit/exit.go.
const (
	// What the caller wrote is wrong.
	CodeUsage           Code = "usage"              // flags or arguments
	CodeBadRequest      Code = "bad_request"        // a malformed HTTP request
	CodeInvalidName     Code = "invalid_name"       // a table id or snapshot name
	CodeRejected        Code = "validator_rejected" // WHERE, select, order_by; Kind is the reject kind
	CodeStatement       Code = "statement_rejected" // a whole SQL statement
	CodeQueryFailed     Code = "query_failed"       // the engine refused or failed the statement
	CodeUnknownTable    Code = "unknown_table"
	CodeUnknownColumn   Code = "unknown_column"
	CodeUnknownSnapshot Code = "unknown_snapshot"
	CodeUnknownFile     Code = "unknown_file" // a file of the workspace, or a version or draft of one; Kind says which
	CodeNotLocal        Code = "not_local"    // the table must be fetched or synced first
	CodeConfig          Code = "config"       // client config or instance file
	CodeSchemaDrift     Code = "schema_drift"
	CodeTruncated       Code = "truncated"      // a model's reply was cut at its longest
	CodeRefusedCaveat   Code = "caveat_refused" // a strict call refuses a caveat of the result; Kind is the caveat's
	CodeReadFailed      Code = "FILE_READ_FAILED"
	CodeValidation      Code = "VALIDATION_FAILED" // table tools: arguments, formats, columns

	// A limit was reached.
	CodeQuota    Code = "quota_exceeded"
	CodeBudget   Code = "budget_exceeded"
	CodeTooLarge Code = "too_large" // a file or a workspace is too large

	// The local machine refused.
	CodeDiskFull    Code = "disk_full"
	CodeNotWritable Code = "not_writable"
	CodeWriteFailed Code = "FILE_WRITE_FAILED"

	// The server or the source failed; trying again may help.
	CodeInternal    Code = "internal"
	CodeSource      Code = "source_failed" // the warehouse is down, or refuses the server
	CodeTimeout     Code = "timeout"
	CodeUnavailable Code = "unavailable"
	CodeStreamCut   Code = "stream_cut"

	// Something else blocks the operation.
	CodeSnapshotExists Code = "snapshot_exists"
	CodeSnapshotBusy   Code = "snapshot_busy"
	CodeTargetExists   Code = "target_exists"
	CodeConflict       Code = "conflict" // the file has changed since it was read

	// The caller is unknown, or not allowed to do this.
	CodeUnauthorized Code = "unauthorized"
	CodeForbidden    Code = "forbidden"
	CodeSandbox      Code = "SANDBOX_VIOLATION"

	// The server cannot be reached.
	CodeUnreachable Code = "unreachable"
	CodeStalled     Code = "stalled"

	// Everything ran, and the data is not as it should be.
	CodeCheckFailed Code = "check_failed"

	CodeInterrupted Code = "interrupted"
	CodeUnexpected  Code = "unexpected"
)

// Error is a failure in the shared vocabulary. Users only ever see errors of this
// type: any other error becomes CodeInternal (server) or CodeUnexpected (client).
type Error struct {
	Code Code
	// Kind refines the code. It is one of KindsOfErrors, or a name that an engine
	// gave.
	Kind string
	// Message is one sentence without a full stop, for people.
	Message string
	// Hint is advice in full sentences, or empty. It names no command, flag or
	// tool: those belong in Next, which each door words for its users.
	Hint string
	// Next lists possible next steps, best first.
	Next []Step
	// Details are machine-readable facts; never secrets. Those of CodeCheckFailed, which
	// no server sends, have the first rows that are wrong; no others have cell values.
	Details map[string]any
	// RequestID is the server's id of the request; empty if no server was
	// involved.
	RequestID string
	// Err is the cause, for logs. It is never sent to another machine.
	Err error
}

// InServerLog is the hint of errors whose cause only operators can see. When the
// caller is the operator, the cause replaces it.
const InServerLog = "The operator finds the reason in the server's log."

func (e *Error) Error() string { return e.Message }

// Advice returns the hint. An error with neither a hint nor next steps has the usual
// next step of its kind, so that nobody is left with a refusal alone.
func (e *Error) Advice() string {
	if e.Hint != "" || len(e.Next) > 0 || e.Kind == "" {
		return e.Hint
	}
	for _, k := range kinds {
		if k.Kind == e.Kind {
			return k.Next
		}
	}
	return ""
}

// Number returns a detail that is a whole number, 0 if it is absent. The details of
// an error that came as JSON hold numbers of other types than those set here.
func (e *Error) Number(detail string) int {
	switch v := e.Details[detail].(type) {
	case int:
		return v
	case float64:
		return int(v)
	case json.Number:
		n, _ := v.Int64()
		return int(n)
	}
	return 0
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, &Error{Code: c}) compare codes.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && (t.Kind == "" || t.Kind == e.Kind)
}

// Retryable reports whether the same call may succeed later, unchanged.
func (e *Error) Retryable() bool {
	switch e.Code {
	case CodeSource:
		return !slices.Contains(LastingKinds(), e.Kind)
	case CodeInternal, CodeTimeout, CodeUnavailable, CodeStreamCut,
		CodeUnreachable, CodeStalled, CodeSnapshotBusy, CodeQuota:
		return true
	}
	return false
}

// httpStatus is the only mapping from code to HTTP status. A server never sends a
// code that is missing here.
var httpStatus = map[Code]int{
	CodeBadRequest:      http.StatusBadRequest,
	CodeInvalidName:     http.StatusBadRequest,
	CodeRejected:        http.StatusBadRequest,
	CodeStatement:       http.StatusBadRequest,
	CodeQueryFailed:     http.StatusBadRequest,
	CodeUnknownColumn:   http.StatusBadRequest,
	CodeUnknownTable:    http.StatusNotFound,
	CodeUnknownFile:     http.StatusNotFound,
	CodeUnknownSnapshot: http.StatusNotFound, // on the page of one's own machine
	CodeTargetExists:    http.StatusConflict,
	CodeConflict:        http.StatusConflict,
	CodeTooLarge:        http.StatusRequestEntityTooLarge,
	CodeUnauthorized:    http.StatusUnauthorized,
	CodeForbidden:       http.StatusForbidden,
	CodeQuota:           http.StatusTooManyRequests,
	CodeBudget:          http.StatusTooManyRequests,
	CodeInternal:        http.StatusInternalServerError,
	CodeSource:          http.StatusBadGateway,
	CodeUnavailable:     http.StatusServiceUnavailable,
	CodeTimeout:         http.StatusGatewayTimeout,
}

// HTTPStatus returns the HTTP status for the code; 500 for codes that servers
// never send.
func (c Code) HTTPStatus() int {
	if s, ok := httpStatus[c]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// ServedCodes lists the codes that servers send, ordered by status and then by
// name.
func ServedCodes() []Code {
	return slices.SortedFunc(maps.Keys(httpStatus), func(a, b Code) int {
		return cmp.Or(cmp.Compare(httpStatus[a], httpStatus[b]), cmp.Compare(a, b))
	})
}

// Is reports whether err is, or wraps, an *Error of this code.
func (c Code) Is(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == c
}

// ErrorBody is the JSON of an HTTP error.
type ErrorBody struct {
	Code      Code           `json:"error"`
	Kind      string         `json:"kind,omitempty"`
	Message   string         `json:"message"`
	Hint      string         `json:"hint,omitempty"`
	Next      []Step         `json:"next,omitempty"`
	Details   map[string]any `json:"details"`
	RequestID string         `json:"request_id"`
}

// Body returns the error as the JSON body that travels.
func (e *Error) Body() ErrorBody {
	d := e.Details
	if d == nil {
		d = map[string]any{}
	}
	return ErrorBody{Code: e.Code, Kind: e.Kind, Message: e.Message, Hint: e.Advice(), Next: e.Next, Details: d, RequestID: e.RequestID}
}

// Error turns a received body back into the error.
func (b ErrorBody) Error() *Error {
	return &Error{Code: b.Code, Kind: b.Kind, Message: b.Message, Hint: b.Hint, Next: b.Next, Details: b.Details, RequestID: b.RequestID}
}
