// Package registry lists all sources that this build can open. It only knows the
// configuration keys of each.
package registry

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/googleauth"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/bigquery"
	"github.com/agnes-data/da/source/clickhouse"
	"github.com/agnes-data/da/source/dbfile"
	"github.com/agnes-data/da/source/flightsql"
	"github.com/agnes-data/da/source/lake"
	"github.com/agnes-data/da/source/mariadb"
	"github.com/agnes-data/da/source/postgres"
	"github.com/agnes-data/da/source/snowflake"
	"github.com/agnes-data/da/source/spark"
	"github.com/agnes-data/da/source/trino"
)

// With has what sources need besides their keys.
type With struct {
	TempDir string        // for temporary files
	KeptDir string        // for what is known of unchanged files; empty: nothing is kept
	Partial bool          // a source without its secret fails when it is asked for, not at once
	shares  config.Shares // the shares of memory
	Log     *slog.Logger  // for messages to the operator; may be nil
}

// entry connects the keys of a source type with the function that opens it.
type entry struct {
	config.SourceType
	// open opens one configured source.
	open func(s config.Source, w With) (source.Source, error)
}

// entries lists every type.
func entries() []entry {
	return []entry{
		{
			SourceType: config.SourceType{
				Type: api.SourceLake, TableKey: "path", Keys: append(lakeKeys(), engineKeys()[0]),
				OneOf: [][]string{{"root", "bucket"}}, CheckReading: lake.CheckReading,
			},
			open: openLake,
		},
		{
			SourceType: config.SourceType{
				Type: api.SourcePostgres, TableKey: "relation",
				Keys: overHTTP()[:2], OneOf: [][]string{{"dsn", "dsn_env"}},
			},
			open: openPostgres,
		},
		{
			SourceType: config.SourceType{
				Type: api.SourceBigQuery, TableKey: "relation", Keys: bigQueryKeys(),
			},
			open: openBigQuery,
		},
		{
			SourceType: config.SourceType{
				Type: api.SourceFlight, TableKey: "relation",
				Keys: append(overGRPC(), config.Key{Name: "dialect", Kind: config.Text}, config.Key{Name: "user", Kind: config.Text},
					config.Key{Name: "password", Kind: config.Text}, config.Key{Name: "password_env", Kind: config.Text}),
			},
			open: openFlight,
		},
		{
			SourceType: config.SourceType{
				Type: api.SourceMariaDB, TableKey: "relation",
				Keys: overHTTP()[:2], OneOf: [][]string{{"dsn", "dsn_env"}},
			},
			open: openMariaDB,
		},
		{
			SourceType: config.SourceType{Type: api.SourceSpark, TableKey: "relation", Keys: overGRPC()},
			open:       openSpark,
		},
		{
			SourceType: config.SourceType{Type: api.SourceDatabricks, TableKey: "relation", Keys: warehouseKeys(),
				OneOf: [][]string{{"token", "token_env"}}},
			open: openWarehouse,
		},
		{
			SourceType: config.SourceType{Type: api.SourceTrino, TableKey: "relation", OneOf: [][]string{{"dsn", "dsn_env"}},
				Keys: append(overHTTP(), config.Key{Name: "token", Kind: config.Text}, config.Key{Name: "token_env", Kind: config.Text})},
			open: openTrino,
		},
		{
			SourceType: config.SourceType{Type: api.SourceClickHouse, TableKey: "relation", Keys: overHTTP(), OneOf: [][]string{{"dsn", "dsn_env"}}},
			open:       openClickHouse,
		},
		{
			SourceType: config.SourceType{Type: api.SourceSnowflake, TableKey: "relation", Keys: snowflakeKeys()},
			open:       openSnowflake,
		},
		{
			SourceType: config.SourceType{Type: api.SourceDelta, TableKey: "path", Keys: append(lakeKeys(), engineKeys()...),
				OneOf: [][]string{{"root", "bucket"}}},
			open: openDelta,
		},
		{
			SourceType: config.SourceType{Type: api.SourceIceberg, TableKey: "path", Keys: icebergKeys(), OneOf: [][]string{{"root", "bucket"}}},
			open:       openIceberg,
		},
		{
			SourceType: config.SourceType{Type: api.SourceDuckDB, TableKey: "relation", Keys: fileKeys()},
			open: func(s config.Source, w With) (source.Source, error) {
				return dbfile.OpenDuckDB(s.Text["file"], folder(s, w))
			},
		},
		{
			SourceType: config.SourceType{Type: api.SourceSQLite, TableKey: "relation", Keys: fileKeys()},
			open: func(s config.Source, w With) (source.Source, error) {
				return dbfile.OpenSQLite(s.Text["file"], folder(s, w))
			},
		},
	}
}

func bigQueryKeys() []config.Key {
	return []config.Key{
		{Name: "project", Kind: config.Text, Required: true}, {Name: "dataset", Kind: config.Text}, {Name: "location", Kind: config.Text},
		{Name: "credentials_file", Kind: config.File, Check: googleauth.KeyFault},
		{Name: "max_bytes_billed", Kind: config.Size},
		{Name: "endpoint", Kind: config.Text}, {Name: "storage_endpoint", Kind: config.Text},
	}
}

// overGRPC are the keys of what is asked over gRPC, and of warehouses of Databricks.
func overGRPC() []config.Key {
	return []config.Key{
		{Name: "uri", Kind: config.Text, Required: true},
		{Name: "token", Kind: config.Text}, {Name: "token_env", Kind: config.Text},
		{Name: "ca_file", Kind: config.File},
		{Name: "statement_timeout", Kind: config.Text},
	}
}

func warehouseKeys() []config.Key {
	return append(overGRPC(), config.Key{Name: "warehouse", Kind: config.Text, Required: true},
		config.Key{Name: "catalog", Kind: config.Text}, config.Key{Name: "schema", Kind: config.Text})
}

func openLake(s config.Source, w With) (source.Source, error) {
	o := lake.Options{Root: s.Text["root"], MemoryLimit: s.Size["memory_limit"], StatementMemory: s.Size["memory_limit"],
		MaxTempSize: s.Size["max_temp_size"], TempDir: w.TempDir, KeptDir: w.KeptDir}
	if o.MemoryLimit == 0 {
		o.MemoryLimit, o.StatementMemory = w.shares.Scan, w.shares.Statement
	}
	var err error
	if o.Bucket, err = bucketOf(s); err != nil {
		return nil, err
	}
	o.CacheDir, o.CacheSize = s.Text["cache_dir"], s.Size["cache_size"]
	return lake.Open(o)
}

func openPostgres(s config.Source, _ With) (source.Source, error) {
	dsn, err := secret(s, "dsn")
	if err != nil {
		return nil, err
	}
	return postgres.Open(postgres.Options{DSN: dsn})
}

func openBigQuery(s config.Source, _ With) (source.Source, error) {
	return bigquery.Open(bigquery.Options{
		Project: s.Text["project"], Dataset: s.Text["dataset"], Location: s.Text["location"],
		CredentialsFile: s.Text["credentials_file"], MaxBytesBilled: s.Size["max_bytes_billed"],
		Endpoint: s.Text["endpoint"], StorageEndpoint: s.Text["storage_endpoint"],
	})
}

func openMariaDB(s config.Source, w With) (source.Source, error) {
	dsn, err := secret(s, "dsn")
	if err != nil {
		return nil, err
	}
	return mariadb.Open(mariadb.Options{DSN: dsn, Log: w.Log})
}

func openFlight(s config.Source, _ With) (source.Source, error) {
	token, err := secret(s, "token")
	if err != nil {
		return nil, err
	}
	password, err := secret(s, "password")
	if err != nil {
		return nil, err
	}
	timeout, err := statementTimeout(s)
	if err != nil {
		return nil, err
	}
	return flightsql.Open(flightsql.Options{
		URI: s.Text["uri"], Dialect: predicate.Dialect(s.Text["dialect"]), Token: token, User: s.Text["user"], Password: password,
		CAFile: s.Text["ca_file"], Timeout: timeout,
	})
}

func openSpark(s config.Source, _ With) (source.Source, error) {
	o, err := sparkOptions(s)
	if err != nil {
		return nil, err
	}
	return spark.Open(o)
}

func openWarehouse(s config.Source, _ With) (source.Source, error) {
	o, err := sparkOptions(s)
	if err != nil {
		return nil, err
	}
	return spark.OpenWarehouse(spark.WarehouseOptions{Options: o, ID: s.Text["warehouse"], Catalog: s.Text["catalog"],
		Schema: s.Text["schema"]})
}

func sparkOptions(s config.Source) (o spark.Options, err error) {
	o.URI, o.CAFile = s.Text["uri"], s.Text["ca_file"]
	if o.Token, err = secret(s, "token"); err == nil {
		o.Timeout, err = statementTimeout(s)
	}
	return o, err
}

// statementTimeout is the value of that key; 0 if it is not set.
func statementTimeout(s config.Source) (timeout time.Duration, err error) {
	if text := s.Text["statement_timeout"]; text != "" {
		if timeout, err = time.ParseDuration(text); err != nil || timeout <= 0 {
			return 0, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("%s: statement_timeout must be a time with its unit, as in 60s", s.At)}
		}
	}
	return timeout, nil
}

// Types returns what the parser of instance files needs to know.
func Types() []config.SourceType {
	var types []config.SourceType
	for _, e := range entries() {
		types = append(types, e.SourceType)
	}
	return types
}

// Open opens all sources of an instance, by name; if one fails, it opens none.
// The caller closes them.
func Open(inst *config.Instance, w With) (map[string]source.Source, error) {
	opened := map[string]source.Source{}
	w.shares = inst.Shares()
	for _, s := range inst.Sources {
		src, err := openOne(s, w)
		if err != nil {
			return nil, errors.Join(err, closed(opened))
		}
		opened[s.Name] = src
	}
	if err := lend(inst, opened); err != nil {
		return nil, errors.Join(err, closed(opened))
	}
	return opened, nil
}

func closed(opened map[string]source.Source) error {
	var errs []error
	for _, o := range opened {
		errs = append(errs, o.Close())
	}
	return errors.Join(errs...)
}

// placed says where in the instance file the faulty source is.
func placed(s config.Source, err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeConfig || strings.HasPrefix(e.Message, s.At) {
		return err
	}
	with := *e
	with.Message = s.At + ": " + e.Message
	return &with
}

func openOne(s config.Source, w With) (source.Source, error) {
	for _, e := range entries() {
		if e.Type == s.Type {
			src, err := e.open(s, w)
			if err != nil && w.Partial {
				src, err = orMissing(s, err)
			}
			return src, placed(s, err)
		}
	}
	return nil, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("%s: this build cannot open a source of type %s", s.At, s.Type)}
}

// overHTTP are those of an engine that is spoken to over HTTP.
func overHTTP() []config.Key {
	return []config.Key{{Name: "dsn", Kind: config.Text}, {Name: "dsn_env", Kind: config.Text}, {Name: "ca_file", Kind: config.File}}
}

func openClickHouse(s config.Source, w With) (source.Source, error) {
	dsn, err := secret(s, "dsn")
	if err != nil {
		return nil, err
	}
	return clickhouse.Open(clickhouse.Options{DSN: dsn, CAFile: s.Text["ca_file"], Log: w.Log})
}

func openTrino(s config.Source, _ With) (source.Source, error) {
	dsn, err := secret(s, "dsn")
	if err != nil {
		return nil, err
	}
	token, err := secret(s, "token")
	if err != nil {
		return nil, err
	}
	return trino.Open(trino.Options{DSN: dsn, Token: token, CAFile: s.Text["ca_file"]})
}

func snowflakeKeys() []config.Key {
	return []config.Key{
		{Name: "account", Kind: config.Text, Required: true}, {Name: "user", Kind: config.Text}, {Name: "role", Kind: config.Text},
		{Name: "warehouse", Kind: config.Text}, {Name: "database", Kind: config.Text}, {Name: "schema", Kind: config.Text},
		{Name: "private_key_file", Kind: config.File}, {Name: "token", Kind: config.Text}, {Name: "token_env", Kind: config.Text},
		{Name: "endpoint", Kind: config.Text}, {Name: "statement_timeout", Kind: config.Text},
	}
}

func openSnowflake(s config.Source, _ With) (source.Source, error) {
	token, err := secret(s, "token")
	if err != nil {
		return nil, err
	}
	timeout, err := statementTimeout(s)
	if err != nil {
		return nil, err
	}
	return snowflake.Open(snowflake.Options{Account: s.Text["account"], User: s.Text["user"], Role: s.Text["role"],
		Warehouse: s.Text["warehouse"], Database: s.Text["database"], Schema: s.Text["schema"], KeyFile: s.Text["private_key_file"],
		Token: token, Endpoint: s.Text["endpoint"], Timeout: timeout})
}
