package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/predicate"
)

// Exception is an error of the engine.
type Exception struct {
	Code   int // of ClickHouse; 0 if what answered is no ClickHouse
	Status int // of HTTP; 0 if Code is given
	Text   string
}

func (e *Exception) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("HTTP status %d: %s", e.Status, e.Text)
	}
	return fmt.Sprintf("Code %d: %s", e.Code, e.Text)
}

var exception = lazyregexp.New(`Code: (\d+)[.,] (?:e\.displayText\(\) = )?DB::(?:Parsing)?Exception: ([^\x00]*)`)

// exceptionIn finds the last error of the engine in an answer; nil if there is none.
func exceptionIn(text []byte) *Exception {
	at := strings.LastIndex(string(text), "Code: ")
	if at < 0 {
		return nil
	}
	m := exception().FindSubmatch(text[at:])
	if m == nil {
		return nil
	}
	code, _ := strconv.Atoi(string(m[1]))
	said, _, _ := strings.Cut(string(m[2]), ", e.what() = ")
	said, _, _ = strings.Cut(said, " In scope SELECT ") // the whole statement, as it was printed
	return &Exception{Code: code, Text: api.Clip(strings.ToValidUTF8(strings.ReplaceAll(strings.TrimSpace(said), "\n", "; "), "?"), 300)}
}

const supported = "Sources of type clickhouse are ClickHouse, tested with 26.9."

func sourceError(kind, message, hint string, err error) *api.Error {
	return &api.Error{Code: api.CodeSource, Kind: kind, Message: message, Hint: hint, Err: err}
}

// What codes of exceptions mean that is more specific than "the statement failed";
// src/Common/ErrorCodes.cpp of the engine lists them.
const (
	unknownTable, unknownDatabase = 60, 81
	accessDenied                  = 497
)

var meanings = map[int]string{
	192: api.KindBadCredentials, 193: api.KindBadCredentials, 194: api.KindBadCredentials, 516: api.KindBadCredentials,
	accessDenied: api.KindPermissionDenied, 164: api.KindPermissionDenied, 291: api.KindPermissionDenied,
	unknownTable: api.KindNoRelation, unknownDatabase: api.KindNoDatabase, 115: api.KindUnsupportedServer,
	159: api.KindStatementTimeout, 160: api.KindStatementTimeout,
	241: api.KindOutOfResources, 202: api.KindOutOfResources, 201: api.KindOutOfResources, 243: api.KindOutOfResources,
	209: api.KindConnectionLost, 210: api.KindConnectionLost, 394: api.KindConnectionLost, 735: api.KindConnectionLost,
}

// failure turns an error of the engine, or of the connection to it, into one of the
// vocabulary. seesAll says that nothing in the relation is hidden from the caller. Only
// then is the engine's message included, because it may quote values.
func failure(ctx context.Context, err error, seesAll bool) error {
	if settled, ok := api.Settled(ctx, err, "the database"); ok {
		return settled
	}
	var e *Exception
	if !errors.As(err, &e) {
		return sourceError(api.KindUnreachable, "the database cannot be reached", api.InServerLog, err)
	}
	said := func(message string) string {
		if seesAll {
			message += ": " + e.Text
		}
		return message
	}
	kind := meanings[e.Code]
	switch {
	case e.Code == 0:
		return sourceError(api.KindUnexpectedAnswer, "what answers at the address is not a ClickHouse, or not ready", api.InServerLog, e)
	case kind == api.KindBadCredentials:
		return sourceError(kind, "the database refuses the server's credentials", "The operator must correct the dsn of the source.", e)
	case kind == api.KindPermissionDenied:
		return sourceError(kind, "the database does not let the server read this",
			"The operator must GRANT SELECT on the relation to the user of the source's dsn, whose readonly is 0 or 2.", e)
	case kind == api.KindUnsupportedServer:
		return sourceError(kind, "the database does not know a setting that is needed: "+e.Text,
			supported+" Correct the dsn if it has the setting.", e)
	case kind == api.KindStatementTimeout:
		return &api.Error{Code: api.CodeTimeout, Kind: kind, Message: "the database stopped the statement: it took too long", Err: e,
			Hint: "Ask for fewer rows or columns; the operator can raise max_execution_time in the dsn."}
	case kind == api.KindNoRelation, kind == api.KindNoDatabase:
		return sourceError(kind, said("the database has no such relation"), nameHint, e)
	case kind != "":
		return sourceError(kind, said("the database could not complete the statement"), "", e)
	}
	return &api.Error{Code: api.CodeQueryFailed, Kind: fmt.Sprintf("error_%d", e.Code), Message: said("the database refuses the request"),
		Err: e}
}

// broken is the error of rows that do not come to their end.
func broken(ctx context.Context, err error, seesAll bool) error {
	if settled, ok := api.Settled(ctx, err, "the database"); ok {
		return settled
	}
	var e *Exception
	if errors.As(err, &e) {
		return failure(ctx, err, seesAll)
	}
	return sourceError(api.KindConnectionLost, "the rows of the database broke off", "", err)
}

const nameHint = "The relation of a table is its name, with its database before it where that is not the one of the dsn; see the instance file."

// missing is the error for a relation that the catalog does not show: it does not exist,
// or the user has no right to it. asked is what the engine answered to
// a query of it.
func missing(r *relation, name string, asked error) error {
	var e *Exception
	switch {
	case asked == nil || errors.As(asked, &e) && (e.Code == unknownTable || e.Code == unknownDatabase):
		return sourceError(api.KindNoRelation, fmt.Sprintf("the database has no relation %s", api.Clip(name, 200)), nameHint, asked)
	case e != nil && e.Code == accessDenied:
		return sourceError(api.KindPermissionDenied, fmt.Sprintf("the database has no relation %s, or does not let the server read it",
			api.Clip(name, 200)), fmt.Sprintf("If it is there, the operator must run GRANT SELECT ON %s.%s TO the user of the source's dsn. %s",
			quote(api.Clip(r.database, 80)), quote(api.Clip(r.name, 80)), nameHint), asked)
	}
	return asked
}

// refusedColumn is the error for a column whose type cannot be read.
func refusedColumn(c column) error {
	return &api.Error{Code: api.CodeQueryFailed, Kind: api.KindUnreadableValue, Details: map[string]any{"column": c.Name},
		Message: fmt.Sprintf("column '%s' cannot be read: %s", api.Clip(c.Name, 80), c.codec.refused),
		Hint:    "Select the other columns. The operator can offer a view in its place, with finalizeAggregation of the column."}
}

func quote(name string) string { return predicate.QuoteIdent(predicate.ClickHouse, name) }
