package flightsql

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/api"
)

func sourceError(kind, message, hint string, err error) *api.Error {
	return &api.Error{Code: api.CodeSource, Kind: kind, Message: message, Hint: hint, Err: err}
}

// failure turns an error of the engine, or of the connection to it, into one of
// the vocabulary. seesAll says that nothing in the relation is hidden from the
// caller. Only then is the engine's message included, because it may quote values.
func failure(ctx context.Context, err error, seesAll bool) error {
	if settled, ok := api.Settled(ctx, err, "the engine"); ok {
		return settled
	}
	s, ok := status.FromError(err)
	if !ok {
		return sourceError(api.KindUnexpectedAnswer, "the engine has sent rows that cannot be read", "", err)
	}
	said := func(message string) string {
		if seesAll {
			message += ": " + sentence(s)
		}
		return message
	}
	switch s.Code() {
	case codes.DeadlineExceeded:
		return api.TookTooLong("the engine", err)
	case codes.Canceled, codes.Unavailable, codes.Aborted, codes.DataLoss:
		return sourceError(api.KindUnreachable, "the engine cannot be reached, or the connection to it broke",
			api.InServerLog, err)
	case codes.Unauthenticated:
		return sourceError(api.KindBadCredentials, "the engine refuses the server's credentials",
			"The operator must correct the token, or the user and password, of the source.", withoutText(s))
	case codes.PermissionDenied:
		return sourceError(api.KindPermissionDenied, "the engine does not let the server read this",
			"The operator must let the source's user read the relation.", err)
	case codes.ResourceExhausted:
		return sourceError(api.KindOutOfResources, said("the engine has not enough resources"), "", err)
	case codes.NotFound:
		return sourceError(api.KindNoRelation, said("the engine has no such relation"), "", err)
	}
	return &api.Error{Code: api.CodeQueryFailed, Kind: strings.ToLower(s.Code().String()), Message: said("the engine refuses the request"),
		Err: err}
}

// withoutText keeps only the code of an error about credentials, because its text
// may quote them.
func withoutText(s *status.Status) error { return status.Error(s.Code(), "refused") }

// sentence returns the engine's message.
func sentence(s *status.Status) string {
	return api.Clip(strings.ReplaceAll(s.Message(), "\n", "; "), 300)
}

func missing(name string) error {
	return sourceError(api.KindNoRelation, fmt.Sprintf("the engine has no relation %s", api.Clip(name, 200)),
		"The relation of a table is its name, with schema and catalog before it: sales.orders.", nil)
}

func unexpected(what string) error {
	return sourceError(api.KindUnexpectedAnswer, "the engine's answer is not understood: "+what, "", nil)
}
