package iceberg

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/internal/rows/sqliterows"
	"github.com/agnes-data/da/source/listed"
)

// Database says where the tables are in which PyIceberg's SqlCatalog and Iceberg's
// JdbcCatalog keep a catalog: in a file of SQLite, or in PostgreSQL.
type Database struct {
	File, DSN string // one of them
	Name      string // of the catalog; empty: the only one
}

// sqlCatalog asks such a catalog. It only reads.
type sqlCatalog struct {
	Database
	config *pgx.ConnConfig
	temp   string
}

// OpenDatabase opens the tables of a catalog that a database keeps, whose files lie below
// the root.
func OpenDatabase(d Database, o listed.Options) (*listed.Source, error) {
	c := &sqlCatalog{Database: d, temp: o.TempDir}
	if d.File == "" {
		var err error
		if c.config, err = pgx.ParseConfig(d.DSN); err != nil { // which quotes parts of it
			return nil, &api.Error{Code: api.CodeConfig, Message: "catalog_dsn is not valid",
				Hint: "It is postgres://user@host/database, or host=… dbname=… user=…"}
		}
		c.config.RuntimeParams["default_transaction_read_only"] = "on"
	}
	return listed.Open(&catalogued{format: format{tables: lru.New[*listed.Table](maxTables, maxTables)}, catalog: c}, o)
}

// rows are namespace, name and metadata file of the tables that are like both arguments.
func (c *sqlCatalog) rows(ctx context.Context, namespace, name string) (rows [][]string, err error) {
	statement := "SELECT table_namespace, table_name, coalesce(metadata_location, ''), catalog_name FROM iceberg_tables" +
		" WHERE $1 IN ('', catalog_name) AND $2 IN ('', table_namespace) AND $3 IN ('', table_name) ORDER BY 1, 2"
	if c.config == nil {
		var f *sqliterows.File
		if f, err = sqliterows.Open(ctx, c.File, c.temp); err == nil {
			rows, err = f.Texts(ctx, statement, c.Name, namespace, name)
			f.Close()
		}
	} else {
		rows, err = c.ask(ctx, statement, c.Name, namespace, name)
	}
	for _, row := range rows {
		if row[3] != rows[0][3] {
			return nil, &api.Error{Code: api.CodeSource, Kind: api.KindBadPath, Message: "the database keeps several catalogs",
				Hint: fmt.Sprintf("The operator must name one as the warehouse of the source: %s, or %s.", api.Clip(rows[0][3], 60), api.Clip(row[3], 60))}
		}
	}
	if err != nil {
		return nil, unasked(ctx, err)
	}
	return rows, nil
}

func (c *sqlCatalog) ask(ctx context.Context, statement string, args ...any) ([][]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, c.config)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	found, err := conn.Query(ctx, statement, append([]any{pgx.QueryExecModeExec}, args...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, func(of pgx.CollectableRow) ([]string, error) {
		row := make([]string, 4)
		return row, of.Scan(&row[0], &row[1], &row[2], &row[3])
	})
}

func (c *sqlCatalog) probe(ctx context.Context) error {
	_, err := c.rows(ctx, "", " ") // no table has that name
	return err
}

func (c *sqlCatalog) list(ctx context.Context) (names []string, err error) {
	rows, err := c.rows(ctx, "", "")
	for _, row := range rows {
		names = append(names, row[0]+"."+row[1])
	}
	return names, err
}

// load finds where the metadata of a table are.
func (c *sqlCatalog) load(ctx context.Context, name string) (named, error) {
	at := strings.LastIndexByte(name, '.')
	if at < 1 || at == len(name)-1 {
		return named{}, unspaced(name)
	}
	rows, err := c.rows(ctx, name[:at], name[at+1:])
	if err == nil && (len(rows) == 0 || rows[0][2] == "") {
		err = absent("a table " + name)
	}
	if err != nil {
		return named{}, err
	}
	return named{location: rows[0][2]}, nil
}
