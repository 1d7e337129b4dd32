package trino

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/agnes-data/da/api"
)

func sourceError(kind, message, hint string, err error) *api.Error {
	return &api.Error{Code: api.CodeSource, Kind: kind, Message: message, Hint: hint, Err: err}
}

// meanings are the errors of the engine that mean more than "the statement failed";
// StandardErrorCode of the engine lists them.
var meanings = map[string]string{
	"PERMISSION_DENIED": api.KindPermissionDenied,
	"TABLE_NOT_FOUND":   api.KindNoRelation, "SCHEMA_NOT_FOUND": api.KindNoRelation, "CATALOG_NOT_FOUND": api.KindNoDatabase,
	"MISSING_CATALOG_NAME": api.KindNoDatabase,
	"EXCEEDED_TIME_LIMIT":  api.KindStatementTimeout, "EXCEEDED_CPU_LIMIT": api.KindStatementTimeout,
	"QUERY_QUEUE_FULL": api.KindOutOfResources, "CLUSTER_OUT_OF_MEMORY": api.KindOutOfResources,
	"SERVER_SHUTTING_DOWN": api.KindConnectionLost, "ABANDONED_QUERY": api.KindConnectionLost, "SERVER_STARTING_UP": api.KindUnavailable,
	"NO_NODES_AVAILABLE": api.KindUnavailable,
	"CATALOG_NOT_READY":  api.KindUnavailable, "ADMINISTRATIVELY_KILLED": api.KindOutOfResources,
	"ADMINISTRATIVELY_PREEMPTED": api.KindOutOfResources,
}

// failure turns an error of the engine, or of the connection to it, into one of the
// vocabulary. seesAll says that nothing in the relation is hidden from the caller. Only
// then is the engine's message included, because it may quote values.
func failure(ctx context.Context, err error, seesAll bool) error {
	if settled, ok := api.Settled(ctx, err, "the cluster"); ok {
		return settled
	}
	var e *Exception
	if !errors.As(err, &e) {
		return sourceError(api.KindUnreachable, "the cluster cannot be reached", api.InServerLog, err)
	}
	said := func(message string) string {
		if seesAll {
			message += ": " + strings.ReplaceAll(e.Message, "\n", "; ")
		}
		return message
	}
	kind := meanings[e.Name]
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return sourceError(api.KindBadCredentials, "the cluster refuses the server's credentials",
			"The operator must correct the dsn, or the token, of the source.", err)
	case e.Status != 0:
		return sourceError(api.KindUnexpectedAnswer, fmt.Sprintf("what answers at the address is not a Trino, or not ready (HTTP status %d)",
			e.Status), api.InServerLog, err)
	case kind == api.KindPermissionDenied:
		return sourceError(kind, said("the cluster does not let the server read this"),
			"The operator must let the user of the source's dsn SELECT from the relation.", err)
	case kind == api.KindStatementTimeout:
		return &api.Error{Code: api.CodeTimeout, Kind: kind, Message: "the cluster stopped the statement: it took too long", Err: err,
			Hint: "Ask for fewer rows or columns; the operator can raise query_max_run_time in the dsn, or in the cluster."}
	case kind == api.KindNoRelation, kind == api.KindNoDatabase:
		return sourceError(kind, said("the cluster has no such relation"), nameHint, err)
	case kind != "":
		return sourceError(kind, said("the cluster could not complete the statement"), "", err)
	case e.Kind == "INSUFFICIENT_RESOURCES":
		return sourceError(api.KindOutOfResources, said("the cluster has not enough resources"), "", err)
	case e.Kind == "INTERNAL_ERROR", e.Kind == "EXTERNAL":
		return sourceError(api.KindUnavailable, said("the cluster failed"), api.InServerLog, err)
	}
	return &api.Error{Code: api.CodeQueryFailed, Kind: strings.ToLower(e.Name), Message: said("the cluster refuses the request"), Err: err}
}

// broken is the error of rows that do not come to their end.
func broken(ctx context.Context, err error, seesAll bool) error {
	if settled, ok := api.Settled(ctx, err, "the cluster"); ok {
		return settled
	}
	var e *Exception
	if errors.As(err, &e) {
		return failure(ctx, err, seesAll)
	}
	return sourceError(api.KindConnectionLost, "the rows of the cluster broke off", "", err)
}

const nameHint = "The relation of a table is its name, with its schema, or its catalog and schema, before it where they are not those of the dsn; see the instance file."

// missing is the error for a relation that the information schema does not show: one
// that does not exist, or one that the user has no right to. asked is what the engine
// answered to a query of it.
func missing(r *relation, name string, asked error) error {
	var e *Exception
	said := errors.As(asked, &e)
	switch {
	case asked == nil || said && (meanings[e.Name] == api.KindNoRelation || meanings[e.Name] == api.KindNoDatabase):
		return sourceError(api.KindNoRelation, fmt.Sprintf("the cluster has no relation %s", api.Clip(name, 200)), nameHint, asked)
	case said && meanings[e.Name] == api.KindPermissionDenied:
		return sourceError(api.KindPermissionDenied, fmt.Sprintf("the cluster has no relation %s, or does not let the server read it",
			api.Clip(name, 200)),
			fmt.Sprintf("If it is there, the operator must let the user of the source's dsn SELECT from %s. %s", r, nameHint), asked)
	}
	return asked
}

// refusedColumn is the error for a column whose type cannot be read.
func refusedColumn(c column) error {
	return &api.Error{Code: api.CodeQueryFailed, Kind: api.KindUnreadableValue, Details: map[string]any{"column": c.Name},
		Message: fmt.Sprintf("column '%s' cannot be read: %s", api.Clip(c.Name, 80), c.codec.refused),
		Hint:    "Select the other columns. The operator can offer a view that has a value in its place."}
}
