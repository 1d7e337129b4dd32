package snowflake

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

// Exception is an error of the service.
type Exception struct {
	Number      int
	State, Text string
}

func (e *Exception) Error() string { return fmt.Sprintf("%06d (%s): %s", e.Number, e.State, e.Text) }

func sourceError(kind, message, hint string, err error) *api.Error {
	return &api.Error{Code: api.CodeSource, Kind: kind, Message: message, Hint: hint, Err: err}
}

// meanings are the numbers of errors that mean more than "the statement failed".
var meanings = map[int]string{
	390100: api.KindBadCredentials, 390101: api.KindBadCredentials, 390144: api.KindBadCredentials, 390303: api.KindBadCredentials,
	390318: api.KindBadCredentials, 390195: api.KindBadCredentials, 390111: api.KindBadCredentials, 390112: api.KindBadCredentials,
	390114: api.KindBadCredentials, 390115: api.KindBadCredentials, 390104: api.KindBadCredentials, 390186: api.KindBadCredentials,
	390189: api.KindBadCredentials, 261004: api.KindBadCredentials, 260008: api.KindUnreachable,
	390420: api.KindPermissionDenied, 390422: api.KindPermissionDenied, 390201: api.KindNoDatabase,
	2003: api.KindNoRelation, 2043: api.KindNoRelation, 3001: api.KindPermissionDenied, 606: api.KindOutOfResources,
	630: api.KindStatementTimeout, 604: api.KindConnectionLost, 90073: api.KindOutOfResources, 261000: api.KindUnreachable,
}

// failure turns an error of the service, or of the connection to it, into one of the
// vocabulary. seesAll says that nothing in the relation is hidden from the caller. Only
// then is the service's message included, because it may quote values.
func failure(ctx context.Context, err error, seesAll bool) error {
	if settled, ok := api.Settled(ctx, err, "Snowflake"); ok {
		return settled
	}
	var e *Exception
	if !errors.As(err, &e) {
		return sourceError(api.KindUnreachable, "Snowflake cannot be reached", api.InServerLog, err)
	}
	said := func(message string) string {
		if seesAll {
			message += ": " + api.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(e.Text, "?")), " "), 300)
		}
		return message
	}
	kind := meanings[e.Number]
	switch {
	case kind == api.KindBadCredentials:
		return sourceError(kind, "Snowflake refuses the server's credentials, or they have run out",
			"The operator must check user, role and key of the source, or set a new token.", e)
	case kind == api.KindPermissionDenied:
		return sourceError(kind, said("Snowflake does not let the server read this"),
			"The operator must let the source's role USE the warehouse, the database and the schema, and SELECT from the relation.", e)
	case kind == api.KindNoRelation, kind == api.KindNoDatabase:
		return sourceError(kind, said("Snowflake has no such relation, or does not let the server read it"), nameHint, e)
	case kind == api.KindStatementTimeout:
		return &api.Error{Code: api.CodeTimeout, Kind: kind, Message: "Snowflake stopped the statement: it took too long", Err: e,
			Hint: "Ask for fewer rows or columns; the operator can raise statement_timeout of the source, or that of the warehouse."}
	case e.Number == 606:
		return sourceError(kind, "no warehouse runs the statement", "The operator must set warehouse of the source, and let its role USE it.", e)
	case kind == api.KindUnreachable:
		return sourceError(kind, "Snowflake cannot be reached", api.InServerLog, e)
	case kind != "":
		return sourceError(kind, said("Snowflake could not complete the statement"), "", e)
	}
	return &api.Error{Code: api.CodeQueryFailed, Kind: fmt.Sprintf("snowflake_%d", e.Number), Err: e,
		Message: said("Snowflake refuses the request")}
}

// broken is the error of rows that do not come to their end.
func broken(ctx context.Context, err error, seesAll bool) error {
	var e *Exception
	if _, settled := api.Settled(ctx, err, "Snowflake"); settled || errors.As(err, &e) {
		return failure(ctx, err, seesAll)
	}
	return sourceError(api.KindConnectionLost, "the rows of Snowflake broke off", "", err)
}

const nameHint = "The relation of a table is its name, with its schema, or its database and schema, before it where they are not those of the source. Without quotes names are read in upper case, as Snowflake does; a name in double quotes is taken as it is."

// unreadable is the error for a value that cannot be passed on as it is.
func unreadable(column, why string) error {
	return &api.Error{Code: api.CodeQueryFailed, Kind: api.KindUnreadableValue, Details: map[string]any{"column": column},
		Message: fmt.Sprintf("a value of column '%s' cannot be read: %s", api.Clip(column, 80), why),
		Hint:    "Select the other columns, or leave out such rows with a predicate. The operator can offer a view that casts it."}
}
