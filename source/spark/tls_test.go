package spark

import (
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/sparktest"
	"github.com/agnes-data/da/source"
)

// doored is a Sail behind a door like that of Databricks: TLS, a token, and a header
// that says which cluster is meant. It returns the parameters of its URI and the file of
// its certificate.
func doored(t testing.TB, engine *sparktest.Server) (uri, ca string, shut *atomic.Bool) {
	t.Helper()
	shut = new(atomic.Bool) // then it knows no token any more
	plain := &http.Transport{Protocols: new(http.Protocols)}
	plain.Protocols.SetUnencryptedHTTP2(true)
	pass := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: engine.Address})
	pass.Transport, pass.FlushInterval = plain, -1
	door := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+sparktest.Token || shut.Load():
			w.WriteHeader(http.StatusUnauthorized)
		case r.Header.Get("X-Databricks-Cluster-Id") != "0123-abc":
			w.WriteHeader(http.StatusNotFound)
		default:
			pass.ServeHTTP(w, r)
		}
	}))
	door.EnableHTTP2 = true
	door.StartTLS()
	t.Cleanup(func() { door.Close(); plain.CloseIdleConnections() })
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: door.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	_, session, _ := strings.Cut(engine.URI(), "/;")
	return "sc://" + strings.TrimPrefix(door.URL, "https://") + "/;use_ssl=true;" + session + ";x-databricks-cluster-id=", ca, shut
}

// TestDoorOfDatabricks reads through TLS with a token and a header, and says what is
// wrong without one of them.
func TestDoorOfDatabricks(t *testing.T) {
	engine := sparktest.Sail(t)
	exec(t, engine, "CREATE TABLE t USING parquet AS SELECT id AS n FROM range(300000)")
	uri, ca, _ := doored(t, engine)
	scan := source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"n"}}
	for name, c := range map[string]struct {
		o    Options
		kind string // of the error; empty: the rows are read
	}{
		"right":         {Options{URI: uri + "0123-abc", Token: sparktest.Token, CAFile: ca}, ""},
		"wrong token":   {Options{URI: uri + "0123-abc", Token: "wrong-secret", CAFile: ca}, api.KindBadCredentials},
		"other cluster": {Options{URI: uri + "9", Token: sparktest.Token, CAFile: ca}, api.KindUnreachable},
		"unknown door":  {Options{URI: uri + "0123-abc", Token: sparktest.Token}, api.KindUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			s := opened(t, c.o)
			defer s.Close()
			rows, err := drained(s.Scan(t.Context(), scan))
			var e *api.Error
			switch {
			case c.kind == "" && (rows != 300000 || err != nil):
				t.Errorf("%d rows, %v", rows, err)
			case c.kind != "" && (!errors.As(err, &e) || e.Kind != c.kind || strings.Contains(e.Error(), "secret")):
				t.Errorf("%v, want %s", err, c.kind)
			}
		})
	}
}
