package bigquery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/googleapi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/api"
)

// errSilent is the cause of a context that ended because BigQuery sent nothing for
// too long.
var errSilent = errors.New("BigQuery did not answer in time")

func isGone(err error) bool {
	return errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindNotFound})
}

// fault is an error of either API, with the reason names of the first.
type fault struct {
	reason  string // as in https://cloud.google.com/bigquery/docs/error-messages
	message string
}

// faultOf returns what BigQuery reported; ok is false if it reported nothing.
func faultOf(err error) (f fault, ok bool) {
	var rest *googleapi.Error
	if errors.As(err, &rest) {
		f = fault{message: rest.Message}
		if len(rest.Errors) > 0 {
			f.reason, f.message = rest.Errors[0].Reason, orText(f.message, rest.Errors[0].Message)
		}
		if f.reason == "" {
			f.reason = reasons[rest.Code]
		}
		return f, true
	}
	var job *bigquery.Error
	if errors.As(err, &job) {
		return fault{reason: job.Reason, message: job.Message}, true
	}
	// errors.As misses some: bigquery.Error is also used as a value.
	if s, known := status.FromError(err); known && s.Code() != codes.Unknown && s.Code() != codes.OK {
		return fault{reason: grpcReasons[s.Code()], message: s.Message()}, true
	}
	return fault{}, false
}

func orText(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// reasons gives the meaning of statuses without a reason. They come from a proxy
// or gateway before BigQuery.
var reasons = map[int]string{
	http.StatusUnauthorized: "authError", http.StatusForbidden: "accessDenied", http.StatusNotFound: "notFound",
	http.StatusTooManyRequests: "rateLimitExceeded", http.StatusBadRequest: "invalid",
}

// grpcReasons translates the Storage API's codes into reasons of the other API.
var grpcReasons = map[codes.Code]string{
	codes.PermissionDenied: "accessDenied", codes.Unauthenticated: "authError", codes.NotFound: "notFound",
	codes.ResourceExhausted: "quotaExceeded", codes.InvalidArgument: "invalid", codes.FailedPrecondition: "invalid",
	codes.Canceled: "stopped", codes.DeadlineExceeded: "timeout",
}

// failure turns an error into one of the vocabulary. what names the requested
// thing, for people. The context is checked first, because after its end Google's
// client reports all kinds of errors.
func failure(ctx context.Context, err error, what string) error {
	if settled, ok := api.Settled(ctx, err, "BigQuery"); ok {
		ended := api.CodeInterrupted.Is(settled) || api.CodeTimeout.Is(settled)
		if ended && errors.Is(context.Cause(ctx), errSilent) { // the caller did not end it
			return &api.Error{Code: api.CodeSource, Kind: api.KindNoAnswer, Err: err, Message: "BigQuery did not answer in time about " + what,
				Hint: "Try again. If it happens again, the operator must check the connection to the source's endpoint."}
		}
		return settled
	}
	f, ok := faultOf(err)
	if !ok {
		return &api.Error{Code: api.CodeSource, Kind: api.KindUnavailable, Err: err, Message: "BigQuery cannot be reached for " + what,
			Hint: "Try again. If it happens again, the operator must check the source's endpoint and credentials."}
	}
	return f.named(err, what)
}

// named chooses the code of a fault.
func (f fault) named(err error, what string) error {
	e := &api.Error{Err: err, Details: map[string]any{"reason": f.reason}}
	switch f.reason {
	case "bytesBilledLimitExceeded":
		e.Code, e.Kind = api.CodeBudget, api.KindBilledBytes
		e.Message = "BigQuery would bill more bytes than this request may cost"
		e.Hint = "Ask for fewer columns or a narrower predicate, best on the partition column. The operator can raise max_bytes_billed of the source."
	case "quotaExceeded", "rateLimitExceeded", "jobRateLimitExceeded", "resourcesExceeded", "billingTierLimitExceeded", "billingNotEnabled":
		e.Code, e.Kind = api.CodeQuota, api.KindWarehouseQuota
		e.Message = "a quota of the project in BigQuery is used up: " + line(f.message)
		e.Hint = "Try again later; the operator finds the quotas in the project's console."
		if f.reason == "resourcesExceeded" {
			e.Code, e.Kind, e.Message, e.Hint = api.CodeQueryFailed, api.KindTooComplex, "the query takes more than BigQuery gives one query",
				"Leave out the order, or ask for fewer rows."
		}
	case "accessDenied", "authError", "forbidden", "insufficientPermissions", "required":
		e.Code, e.Kind = api.CodeSource, api.KindAccessDenied
		e.Message = "BigQuery does not let this server read " + what
		e.Hint = "The operator must give the server's service account the roles BigQuery Data Viewer on the dataset, and BigQuery Job User and BigQuery Read Session User on the project."
	case "notFound":
		e.Code, e.Kind = api.CodeSource, api.KindNotFound
		e.Message = "BigQuery has no such thing as " + what
		e.Hint = "The operator must check project, dataset, location and relation in the instance file."
	case "invalidQuery", "invalid", "badRequest", "parseError", "outOfRange":
		e.Code, e.Kind, e.Message = api.CodeQueryFailed, api.KindInvalidQuery, "BigQuery refuses the query: "+line(f.message)
		if strings.Contains(f.message, "without a filter over column") {
			// There is no reason for this; only the text says so.
			e.Kind, e.Hint = api.KindPartitionFilter, "Add a predicate on the partition column."
			e.Next = []api.Step{api.Do(api.ActionSchema, "see which column that is")}
		}
	case "timeout", "jobTimeout":
		e.Code, e.Message = api.CodeTimeout, "BigQuery has ended the query because it took too long"
		e.Hint = "Ask for fewer rows or columns."
	default:
		e.Code, e.Kind = api.CodeSource, api.KindUnavailable
		e.Message = fmt.Sprintf("BigQuery has failed at %s (%s)", what, orText(f.reason, "no reason given"))
		e.Hint = "Try again."
	}
	return e
}

// line shortens a message of the service to one line of readable length.
func line(s string) string {
	const most = 500
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}
