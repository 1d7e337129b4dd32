package flightsql

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/api"
)

// The kinds of the errors of CodeSource.
const (
	kindUnreachable = "unreachable"
	kindCredentials = "bad_credentials"
	kindPermission  = "permission_denied"
	kindMissing     = "no_relation"
	kindResources   = "out_of_resources"
	kindAnswer      = "unexpected_answer"
)

func sourceError(kind, message, hint string, err error) *api.Error {
	return &api.Error{Code: api.CodeSource, Kind: kind, Message: message, Hint: hint, Err: err}
}

// failure turns an error of the engine or of the connection to it into one of
// the vocabulary. ctx is asked first: who was stopped reports all sorts of
// things. seesAll says that nothing of the relation is hidden from the caller,
// who may then read what the engine says: it may quote values.
func failure(ctx context.Context, err error, seesAll bool) error {
	var known *api.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	switch cause := ctx.Err(); {
	case errors.Is(cause, context.DeadlineExceeded):
		return tooSlow(cause)
	case cause != nil:
		return &api.Error{Code: api.CodeInterrupted, Message: "interrupted", Err: cause}
	}
	s, ok := status.FromError(err)
	if !ok {
		return sourceError(kindAnswer, "the engine has sent rows that cannot be read", "", err)
	}
	switch s.Code() {
	case codes.DeadlineExceeded:
		return tooSlow(err)
	case codes.Canceled, codes.Unavailable, codes.Aborted, codes.DataLoss:
		return sourceError(kindUnreachable, "the engine cannot be reached, or the connection to it broke",
			"The operator finds the reason in the server's log.", err)
	case codes.Unauthenticated:
		return sourceError(kindCredentials, "the engine refuses the server's credentials",
			"The operator must correct the token, or the user and password, of the source.", withoutText(s))
	case codes.PermissionDenied:
		return sourceError(kindPermission, "the engine does not let the server read this",
			"The operator must let the source's user read the relation.", err)
	case codes.ResourceExhausted:
		return sourceError(kindResources, "the engine has not enough resources: "+sentence(s), "", err)
	case codes.NotFound:
		return sourceError(kindMissing, "the engine has no such relation: "+sentence(s), "", err)
	}
	out := &api.Error{Code: api.CodeQueryFailed, Kind: strings.ToLower(s.Code().String()), Message: "the engine refuses the request", Err: err}
	if seesAll {
		out.Message += ": " + sentence(s)
	}
	return out
}

func tooSlow(err error) error {
	return &api.Error{Code: api.CodeTimeout, Message: "the engine took too long", Hint: "Ask for fewer rows or columns.", Err: err}
}

// withoutText keeps the code of an error about credentials, which may quote
// them.
func withoutText(s *status.Status) error { return status.Error(s.Code(), "refused") }

// sentence is the engine's own.
func sentence(s *status.Status) string {
	return api.Clip(strings.ReplaceAll(s.Message(), "\n", "; "), 300)
}

func missing(name string) error {
	return sourceError(kindMissing, fmt.Sprintf("the engine has no relation %s", api.Clip(name, 200)),
		"The relation of a table is its name, with schema and catalog before it: sales.orders.", nil)
}

func unknownColumn(name string) error {
	return &api.Error{Code: api.CodeUnknownColumn, Message: fmt.Sprintf("unknown column '%s'", api.Clip(name, 80)), Details: map[string]any{"column": name}}
}
