package mariadb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/dsn"
)

// keys are the keys of a DSN that say how to connect. All other keys are session
// variables, which the engine checks.
var keys = []string{"tls", "timeout", "readTimeout", "writeTimeout", "collation", "charset", "loc", "maxAllowedPacket", "serverPubKey",
	"allowCleartextPasswords", "allowNativePasswords", "compress", "max_statement_time"}

// connector marks errors from connecting, so that they differ from errors of a
// statement.
type connector struct {
	sqldriver.Connector
	database string
	timeout  time.Duration // of connecting and signing in
	// variables are the session variables that the operator has set.
	variables []string
}

// newConnector checks the DSN and adds the settings that every session needs.
func newConnector(c *driver.Config) (*connector, error) {
	if err := dsn.NoSetting(c.Params, []string{"ssl", "tls"}, keys); err != nil { // no session has variables with these prefixes
		return nil, err
	}
	out := &connector{database: c.DBName, timeout: c.Timeout, variables: slices.Sorted(maps.Keys(c.Params))}
	if c.Params == nil {
		c.Params = map[string]string{}
	}
	maps.Copy(c.Params, settings)
	out.variables = slices.DeleteFunc(out.variables, func(name string) bool { _, ours := settings[name]; return ours })
	var err error
	if out.Connector, err = driver.NewConnector(c); err != nil {
		return nil, errDSN()
	}
	return out, nil
}

// errDSN omits the driver's message about a DSN. It may quote the DSN, and the
// password with it.
func errDSN() error {
	return &api.Error{Code: api.CodeConfig, Message: "the dsn of a MariaDB source is not valid",
		Hint: "It is user:password@tcp(host:3306)/database, with ?tls=true where the server has a certificate."}
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	within, cancel := context.WithTimeout(ctx, c.timeout) // the driver bounds only the dialing
	defer cancel()
	conn, err := c.Connector.Connect(within)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return nil, sourceError(api.KindUnreachable, "the database cannot be reached", api.InServerLog,
			fmt.Errorf("the server at the address did not greet as MariaDB does within %s", c.timeout))
	}
	var e *driver.MySQLError
	if errors.As(err, &e) {
		return nil, c.refused(e)
	}
	return conn, err
}

// refused explains why the engine refuses a connection; a nil error gives no
// details. The engine's message is never included, because it quotes values of the
// DSN.
func (c *connector) refused(e *driver.MySQLError) error {
	switch {
	case e.Number == 1049:
		return dsn.NoDatabase(c.database, e)
	case e.Number == 1044: // also used for a database that does not exist
		return sourceError(api.KindPermissionDenied, fmt.Sprintf("the database server has no database '%s', or does not let the server use it",
			api.Clip(c.database, 80)),
			fmt.Sprintf("The operator must run GRANT SELECT ON %s.* TO the user of the source's dsn, or of its tables, or correct the dsn.",
				quote(api.Clip(c.database, 80))), e)
	case parameterErrors[e.Number]:
		name := dsn.Quoted(e.Message, "'", c.variables)
		if name == "" && len(c.variables) == 1 && !strangeErrors[e.Number] {
			name = c.variables[0]
		}
		if name != "" || !strangeErrors[e.Number] {
			return dsn.BadParameter(name, keys, fmt.Errorf("error %d", e.Number))
		}
	}
	return e
}
