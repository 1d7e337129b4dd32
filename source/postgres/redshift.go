package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
)

// errRedshift refuses an engine that speaks PostgreSQL's protocol, but has other
// types, functions, catalogs and estimates: rows could be wrong.
func errRedshift(code api.Code) error {
	return &api.Error{Code: code, Kind: api.KindUnsupportedServer, Message: "the database is Amazon Redshift, which is not read as PostgreSQL",
		Hint: "Have it unload the rows as parquet files, UNLOAD ('SELECT …') TO 's3://…' FORMAT PARQUET, and read these by a source of type lake."}
}

// onRedshift reports whether a host is one of Redshift's.
func onRedshift(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return strings.Contains(host, ".redshift.") || strings.Contains(host, ".redshift-serverless.")
}

// ready prepares a new connection. Redshift behind another host's name says for ever
// that it is PostgreSQL 8.0.2.
func ready(ctx context.Context, c *pgx.Conn) error {
	if strings.HasPrefix(c.PgConn().ParameterStatus("server_version"), "8.0.") {
		return errRedshift(api.CodeSource)
	}
	return endsWithUs(ctx, c)
}
