//go:build snowflake

package snowflake

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"database/sql"
	sqldriver "database/sql/driver"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	sf "github.com/snowflakedb/gosnowflake/v2"

	"github.com/agnes-data/da/api"
)

// maxSessions is how many statements an account works on at once; others wait.
const maxSessions = 10

// sessions are those of one login.
type sessions struct{ db *sql.DB }

// silence keeps the driver from writing statements to stderr, from asking the cloud where
// it runs, and from loading a library of its own.
var silence = sync.OnceFunc(func() {
	logger := sf.CreateDefaultLogger()
	logger.SetOutput(io.Discard)
	_ = logger.SetLogLevel("off")
	_ = sf.SetLogger(logger)
	_ = os.Setenv("SF_DISABLE_MINICORE", "true")
	_ = os.Setenv("SNOWFLAKE_DISABLE_PLATFORM_DETECTION", "true")
})

// connect makes no connection yet.
func connect(l login) (driver, error) {
	silence()
	var key *rsa.PrivateKey
	if l.KeyFile != "" {
		var err error
		if key, err = readKey(l.KeyFile); err != nil {
			return nil, err
		}
	}
	cfg := sf.Config{Account: l.Account, User: l.User, Role: l.Role, Warehouse: l.Warehouse, Database: l.Database, Schema: l.Schema,
		Application: "da", Protocol: l.scheme, Host: l.host, Transporter: l.transport, PrivateKey: key, Token: l.Token,
		Authenticator: sf.AuthTypeOAuth, LoginTimeout: 30 * time.Second, DisableConsoleLogin: sf.ConfigBoolTrue,
		DisableQueryContextCache: true, Params: map[string]*string{}}
	cfg.Port, _ = strconv.Atoi(l.port)
	if key != nil {
		cfg.Authenticator = sf.AuthTypeJwt
	}
	for name, value := range l.session {
		cfg.Params[name] = &value
	}
	db := sql.OpenDB(sf.NewConnector(sf.SnowflakeDriver{}, cfg))
	db.SetMaxOpenConns(maxSessions)
	db.SetMaxIdleConns(2)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return sessions{db}, nil
}

func (s sessions) close() error { return s.db.Close() }

// over are the numbers of errors of a session that has ended, so that a new one may do.
var over = map[int]bool{390111: true, 390112: true, 390114: true, 390115: true}

func (s sessions) query(ctx context.Context, statement string) (*result, error) {
	r, err := s.once(ctx, statement)
	var said *Exception
	if errors.As(err, &said) && over[said.Number] {
		r, err = s.once(ctx, statement)
	}
	return r, err
}

// once runs a statement in one session. One that has ended is not used again.
func (s sessions) once(ctx context.Context, statement string) (r *result, err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, named(err)
	}
	err = conn.Raw(func(raw any) error {
		loader, err := raw.(interface { //nolint:forcetypeassert // each connection of the driver can
			QueryArrowStream(context.Context, string, ...sqldriver.NamedValue) (sf.ArrowStreamLoader, error)
		}).QueryArrowStream(ctx, statement)
		if err != nil {
			return err
		}
		r, err = resultOf(loader)
		return err
	})
	if err = named(err); err != nil {
		var said *Exception
		if errors.As(err, &said) && over[said.Number] {
			_ = conn.Raw(func(any) error { return sqldriver.ErrBadConn }) // it is closed
		}
		_ = conn.Close()
		return nil, err
	}
	r.done = func() { _ = conn.Close() }
	return r, nil
}

func resultOf(loader sf.ArrowStreamLoader) (*result, error) {
	r := &result{texts: loader.JSONData(), rows: loader.TotalRows()}
	for _, c := range loader.RowTypes() {
		r.names = append(r.names, c.Name)
	}
	if of, ok := loader.(sf.QueryResultFormatProvider); ok && of.QueryResultFormat() == "json" {
		r.rows = int64(len(r.texts))
		return r, nil
	}
	batches, err := loader.GetBatches()
	for i := range batches {
		r.batches = append(r.batches, batch{rows: batches[i].NumRows(), open: batches[i].GetStream})
	}
	return r, err
}

// named gives an error of the service its number.
func named(err error) error {
	var said *sf.SnowflakeError
	if errors.As(err, &said) {
		return &Exception{Number: said.Number, State: said.SQLState, Text: said.Message}
	}
	return err
}

// readKey reads a private key without a passphrase.
func readKey(file string) (*rsa.PrivateKey, error) {
	bad := func(what string) error {
		return &api.Error{Code: api.CodeConfig, Message: "private_key_file: " + what,
			Hint: "Make one with openssl genrsa 2048 | openssl pkcs8 -topk8 -nocrypt -out key.p8, and let only its user read it."}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, bad("it cannot be read")
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, bad("it holds no private key in PKCS #8 without a passphrase")
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := any.(*rsa.PrivateKey)
	if err != nil || !ok {
		return nil, bad("its key is not one of RSA")
	}
	return key, nil
}
