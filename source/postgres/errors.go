package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

func sourceError(kind, message, hint string, err error) *api.Error {
	return &api.Error{Code: api.CodeSource, Kind: kind, Message: message, Hint: hint, Err: err}
}

// asking is the context that decides how a failure is reported.
type asking struct {
	// seesAll says that nothing in the relation is hidden from the caller. Only
	// then can the engine's message be shown, because it may quote values.
	seesAll bool
	// shown are the columns that a statement's caller can see.
	shown source.Shown
	// at is the position of the failure in the statement, if known.
	at placed
}

// wording returns the message for a failure, with the engine's message if the caller
// can see it.
func (a asking) wording(message string, e *pgconn.PgError) string {
	if a.seesAll {
		message += ": " + quoted(e)
	}
	return message
}

// failure turns an error of the engine or of the connection to it into one of
// the vocabulary.
func failure(ctx context.Context, err error, asked asking) error {
	if settled, ok := api.Settled(ctx, err, "the database"); ok {
		return settled
	}
	var e *pgconn.PgError
	var connecting *pgconn.ConnectError
	var shut *closed
	if errors.As(err, &shut) {
		return shut.refusal(asked)
	}
	switch said := errors.As(err, &e); {
	case errors.As(err, &connecting) && said:
		return notConnected(connecting, e)
	case said:
		return refused(e, asked)
	case connecting != nil:
		return sourceError(api.KindUnreachable, "the database cannot be reached", api.InServerLog, err)
	}
	return sourceError(api.KindConnectionLost, "the connection to the database broke", "", err)
}

// refused is an error that the engine itself reports, by its SQLSTATE.
func refused(e *pgconn.PgError, asked asking) error {
	class := e.Code[:min(2, len(e.Code))]
	switch {
	case e.Code == "57014":
		return &api.Error{Code: api.CodeTimeout, Kind: api.KindStatementTimeout, Message: "the database stopped the statement: it took too long",
			Err: e, Hint: "Ask for fewer rows or columns; the operator can raise statement_timeout in the dsn."}
	case class == "28":
		return sourceError(api.KindBadCredentials, "the database refuses the server's credentials",
			"The operator must correct the dsn of the source.", e)
	case e.Code == "42501":
		return sourceError(api.KindPermissionDenied, asked.wording("the database does not let the server read this", e),
			"The operator must GRANT SELECT to the role of the source's dsn.", e)
	case e.Where != "" && (e.Code == "42P01" || e.Code == "42883" || e.Code == "42704"): // in a function
		return sourceError(api.KindFunctionPath, asked.wording("a function that the relation uses does not find a name", e),
			"The operator must give the function a path of its own (ALTER FUNCTION … SET search_path = …), or the names in it their schemas.", e)
	case e.Code == "42P01" && len(asked.shown) == 0, e.Code == "3F000":
		return sourceError(api.KindNoRelation, asked.wording("the database has no such relation", e), "", e)
	case class == "53":
		return sourceError(api.KindOutOfResources, asked.wording("the database has not enough resources", e), "", e)
	case e.Code == "XX000" && strings.HasPrefix(e.Message, "invalid memory alloc request size"):
		return &api.Error{Code: api.CodeQueryFailed, Kind: "sqlstate_" + e.Code, Message: "a value becomes larger than the database can hold",
			Hint: "Put fewer or shorter values into one array or text.", Err: e}
	case class == "08", class == "57", class == "58", class == "XX", class == "F0":
		return sourceError(api.KindConnectionLost, asked.wording("the database failed", e), "", e)
	}
	out := &api.Error{Code: api.CodeQueryFailed, Kind: "sqlstate_" + e.Code, Message: "the database refuses the request", Err: e}
	if class == "22" {
		out.Message = "a value cannot be converted or computed as the request asks"
	}
	if class == "42" && len(asked.shown) > 0 && !asked.seesAll {
		out = asked.shown.Misnamed(out.Kind, e)
	} else {
		out.Message, out.Details = asked.wording(out.Message, e), map[string]any{}
	}
	maps.Copy(out.Details, asked.at.details)
	asked.advise(out, e)
	return out
}

// quoted returns the engine's message. Messages of any class can contain values,
// because functions behind views and policies can raise any text.
func quoted(e *pgconn.PgError) string {
	return api.Clip(strings.ToValidUTF8(strings.ReplaceAll(e.Message, "\n", "; "), "\uFFFD"), 300)
}

func missing(name string) error {
	return sourceError(api.KindNoRelation, fmt.Sprintf("the database has no relation %s", api.Clip(name, 200)),
		"The relation of a table is its name, with its schema before it, as SQL writes it; see the instance file.", nil)
}
