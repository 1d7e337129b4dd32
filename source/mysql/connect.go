package mysql

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"

	driver "github.com/go-sql-driver/mysql"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/dsn"
)

// keys are those of a DSN that say how the server is spoken to. All others are
// variables of the session, which the engine judges.
var keys = []string{"tls", "timeout", "readTimeout", "writeTimeout", "collation", "charset", "loc", "maxAllowedPacket", "serverPubKey",
	"allowCleartextPasswords", "allowNativePasswords", "compress", "max_statement_time"}

// connector tells an error at connecting from one of a statement.
type connector struct {
	sqldriver.Connector
	database string
	// variables are those of the session that the operator has set.
	variables []string
}

// newConnector checks what the DSN says, and adds to it what every session needs.
func newConnector(c *driver.Config) (*connector, error) {
	if err := dsn.NoSetting(c.Params, []string{"ssl", "tls"}, keys); err != nil { // which no session has
		return nil, err
	}
	out := &connector{database: c.DBName, variables: slices.Sorted(maps.Keys(c.Params))}
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

// errDSN leaves out what the driver says of a DSN: it may quote it, and with it
// the password.
func errDSN() error {
	return &api.Error{Code: api.CodeConfig, Message: "the dsn of a MySQL source is not valid",
		Hint: "It is user:password@tcp(host:3306)/database, with ?tls=true where the server has a certificate."}
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	var e *driver.MySQLError
	if errors.As(err, &e) {
		return nil, c.refused(e)
	}
	return conn, err
}

// refused is why the engine refuses a connection; nil says no more than that. Its
// own sentence is never told: it quotes values of the DSN.
func (c *connector) refused(e *driver.MySQLError) error {
	switch {
	case e.Number == 1049:
		return dsn.NoDatabase(c.database, e)
	case e.Number == 1044: // which is also said of a database that is not there
		return sourceError(api.SourcePermissionDenied, fmt.Sprintf("the database server has no database '%s', or does not let the server use it", api.Clip(c.database, 80)),
			fmt.Sprintf("The operator must run GRANT SELECT ON %s.* TO the user of the source's dsn, or of its tables, or correct the dsn.", quote(api.Clip(c.database, 80))), e)
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
