package postgres

import (
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/agnes-data/da/api"
)

// TestRedshiftIsRefused knows it by its host, and by the version that it tells.
func TestRedshiftIsRefused(t *testing.T) {
	for _, host := range []string{"examplecluster.abc123xyz789.us-west-2.redshift.amazonaws.com", "a.012345678901.eu-west-1.REDSHIFT-serverless.amazonaws.com."} {
		if _, err := Open(Options{DSN: "host=" + host + " dbname=dev user=a"}); !errors.Is(err, &api.Error{Code: api.CodeConfig, Kind: api.KindUnsupportedServer}) {
			t.Errorf("%s: %v", host, err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			b := pgproto3.NewBackend(c, c)
			_, _ = b.ReceiveStartupMessage()
			for _, m := range []pgproto3.BackendMessage{&pgproto3.AuthenticationOk{}, &pgproto3.ParameterStatus{Name: "server_version", Value: "8.0.2"}, &pgproto3.ReadyForQuery{TxStatus: 'I'}} {
				b.Send(m)
			}
			_ = b.Flush()
		}
	}()
	at := l.Addr().(*net.TCPAddr)
	src, err := Open(Options{DSN: fmt.Sprintf("host=127.0.0.1 port=%d dbname=dev user=a sslmode=disable", at.Port)})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if err := src.Probe(t.Context()); !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindUnsupportedServer}) {
		t.Errorf("%v", err)
	}
}
