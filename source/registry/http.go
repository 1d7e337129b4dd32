package registry

import (
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/clickhouse"
	"github.com/agnes-data/da/source/trino"
)

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
