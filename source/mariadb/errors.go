package mariadb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

func sourceError(kind, message, hint string, err error) *api.Error {
	return &api.Error{Code: api.CodeSource, Kind: kind, Message: message, Hint: hint, Err: err}
}

// Numbers of server errors with a more specific meaning than "the statement
// failed"; https://mariadb.com/kb/en/mariadb-error-codes/.
var (
	credentialErrors = numbers(1045, 1698, 4151)
	permissionErrors = numbers(1044, 1142, 1143, 1227, 1370)
	missingErrors    = numbers(1049, 1051, 1146)
	resourceErrors   = numbers(1021, 1037, 1038, 1040, 1041, 1114, 1203, 1226)
	brokenErrors     = numbers(1053, 1152, 1158, 1159, 1160, 1161, 1927)
	timeoutErrors    = numbers(1969, 3024)
	strangeErrors    = numbers(1193, 1273) // an unknown variable or collation
	brokenView       = uint16(1356)
	// When connecting: an unknown variable, or a value that it does not accept.
	parameterErrors = numbers(1064, 1193, 1227, 1228, 1229, 1231, 1232, 1238, 1273, 1292, 1367)
)

func numbers(list ...uint16) map[uint16]bool {
	m := map[uint16]bool{}
	for _, n := range list {
		m[n] = true
	}
	return m
}

// failure turns an error of the engine, or of the connection to it, into one of
// the vocabulary. seesAll says that nothing in the relation is hidden from the
// caller. Only then is the engine's message included, because it may quote values.
func failure(ctx context.Context, err error, seesAll bool) error {
	if settled, ok := api.Settled(ctx, err, "the database"); ok {
		return settled
	}
	var e *driver.MySQLError
	said := func(message string) string {
		if seesAll {
			message += ": " + sentence(e)
		}
		return message
	}
	switch {
	case !errors.As(err, &e):
		if errors.Is(err, driver.ErrInvalidConn) {
			return sourceError(api.KindConnectionLost, "the connection to the database broke", "", err)
		}
		return sourceError(api.KindUnreachable, "the database cannot be reached", api.InServerLog, err)
	case timeoutErrors[e.Number]:
		return &api.Error{Code: api.CodeTimeout, Kind: api.KindStatementTimeout, Message: "the database stopped the statement: it took too long",
			Err: e, Hint: "Ask for fewer rows or columns; the operator can raise max_statement_time in the dsn."}
	case strangeErrors[e.Number]:
		return sourceError(api.KindUnsupportedServer, "da cannot read this kind of database: "+sentence(e),
			"Sources of type mariadb are MariaDB, 10.6 or later.", e)
	case credentialErrors[e.Number]:
		return sourceError(api.KindBadCredentials, "the database refuses the server's credentials",
			"The operator must correct the dsn of the source.", e)
	case permissionErrors[e.Number]:
		return sourceError(api.KindPermissionDenied, "the database does not let the server read this",
			"The operator must GRANT SELECT on the relation to the user of the source's dsn.", e)
	case missingErrors[e.Number]:
		return sourceError(api.KindNoRelation, said("the database has no such relation"), "", e)
	case resourceErrors[e.Number]:
		return sourceError(api.KindOutOfResources, said("the database has not enough resources"), "", e)
	case brokenErrors[e.Number]:
		return sourceError(api.KindConnectionLost, said("the database failed"), "", e)
	}
	return &api.Error{Code: api.CodeQueryFailed, Kind: fmt.Sprintf("error_%d", e.Number), Message: said("the database refuses the request"),
		Err: e}
}

// sentence returns the engine's message.
func sentence(e *driver.MySQLError) string {
	return api.Clip(strings.ReplaceAll(e.Message, "\n", "; "), 300)
}

const nameHint = "The relation of a table is its name, with its database before it where that is not the one of the dsn; see the instance file."

// missing is the error for a relation that the information schema does not show:
// one that does not exist, or one that the user has no right to. asked is what the
// engine answered to a query of it; nil if there was no error.
func missing(r *relation, name string, asked error) error {
	var e *driver.MySQLError
	switch said := errors.As(asked, &e); {
	case said && permissionErrors[e.Number]: // checked before the table is looked up
		return sourceError(api.KindPermissionDenied, fmt.Sprintf("the database has no relation %s, or does not let the server read it",
			api.Clip(name, 200)), fmt.Sprintf("If it is there, the operator must run GRANT SELECT ON %s.%s TO the user of the source's dsn. %s",
			quote(api.Clip(r.database, 80)), quote(api.Clip(r.name, 80)), nameHint), asked)
	case said && e.Number == brokenView:
		return asked
	case asked == nil, said && !resourceErrors[e.Number] && !brokenErrors[e.Number] && !timeoutErrors[e.Number]:
		return sourceError(api.KindNoRelation, fmt.Sprintf("the database has no relation %s", api.Clip(name, 200)), nameHint, nil)
	}
	return asked
}

func quote(name string) string { return predicate.QuoteIdent(predicate.MySQL, name) }
