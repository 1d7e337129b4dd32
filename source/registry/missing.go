package registry

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// errNoSecret is the reason of the error that a variable is not set.
var errNoSecret = errors.New("the variable is not set")

// noSecret is the error that the environment lacks the value of a key.
func noSecret(s config.Source, key, name string) error {
	example := "…"
	switch {
	case s.Type == api.SourceClickHouse:
		example = "'https://user:pass@host:8443/database'"
	case s.Type == api.SourceTrino && key == "dsn":
		example = "'https://user:pass@host:8443/catalog/schema'"
	case key == "dsn", key == "catalog_dsn":
		example = "'host=… dbname=… user=… password=…'"
	}
	return &api.Error{Code: api.CodeConfig, Err: errNoSecret,
		Message: fmt.Sprintf("%s: the environment has no %s, which holds the %s of the source %q", s.At, name, key, s.Name),
		Hint:    "Set it first: export " + name + "=" + example}
}

// missing is a source whose secret is not in the environment: every request ends
// with that, while other sources work.
type missing struct {
	dialect predicate.Dialect
	err     error
}

var (
	_ source.Querier = missing{}
	_ source.Prober  = missing{}
)

// orMissing turns the error about a missing secret into a source.
func orMissing(s config.Source, err error) (source.Source, error) {
	var e *api.Error
	if !errors.Is(err, errNoSecret) || !errors.As(err, &e) {
		return nil, err
	}
	m := missing{predicate.DuckDB, &api.Error{Code: api.CodeSource, Kind: api.KindBadCredentials, Message: e.Message, Hint: e.Hint}}
	switch s.Type {
	case api.SourcePostgres:
		m.dialect = predicate.Postgres
	case api.SourceFlight:
		m.dialect = predicate.Dialect(s.Text["dialect"])
	}
	return m, nil
}

func (m missing) Dialect() predicate.Dialect { return m.dialect }

func (m missing) Version(context.Context, source.Relation) (string, error) { return "", m.err }

func (m missing) Schema(context.Context, source.Relation) (*source.Schema, error) {
	return nil, m.err
}

func (m missing) Sample(context.Context, source.Relation, int) (array.RecordReader, error) {
	return nil, m.err
}

func (m missing) Estimate(context.Context, source.Scan) (*api.Estimate, error) { return nil, m.err }

func (m missing) Scan(context.Context, source.Scan) (array.RecordReader, error) { return nil, m.err }

func (m missing) Inspect(context.Context, string) (source.Statement, error) {
	return source.Statement{}, m.err
}

func (m missing) Query(context.Context, string, map[string]source.Relation) (array.RecordReader, error) {
	return nil, m.err
}

func (m missing) Probe(context.Context) error { return m.err }

func (m missing) Close() error { return nil }

// secret is the value of a key, or of the environment's variable that the key
// with _env behind it names.
func secret(s config.Source, key string) (string, error) {
	name := s.Text[key+"_env"]
	if name == "" {
		return s.Text[key], nil
	}
	value := os.Getenv(name)
	if value == "" {
		return "", noSecret(s, key, name)
	}
	return value, nil
}
