//go:build snowflake

package snowflake

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// account is a fake of the service: one table of one number, in an inline part and two that
// lie elsewhere, each of another width.
type account struct {
	*httptest.Server
	store   *httptest.Server
	mu      sync.Mutex
	logins  []map[string]any
	said    []string // statements and paths
	expired bool     // the session is over, once
	refused bool     // logins are
	cut     bool     // the last part is
}

func newAccount(t *testing.T) *account {
	a := &account{}
	a.store = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("x-given") != "yes" {
			http.Error(w, "only what was given", http.StatusForbidden)
			return
		}
		data := stream(t, wide(t, []int64{300, 301}), "0")
		if r.URL.Path == "/2" {
			data = stream(t, wide(t, []int64{5_000_000_000}), "0")
			if a.cut {
				data = data[:len(data)-len(data)/3]
			}
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(a.store.Close)
	a.Server = httptest.NewServer(http.HandlerFunc(a.serve(t)))
	t.Cleanup(a.Close)
	return a
}

func (a *account) serve(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		statement, _ := body["sqlText"].(string)
		a.said = append(a.said, r.URL.Path, statement)
		answer := func(code string, data map[string]any) {
			_ = json.NewEncoder(w).Encode(map[string]any{"success": code == "", "code": code, "message": "the secret is hunter2", "data": data})
		}
		type column = map[string]any
		texts := func(names string, row ...any) map[string]any {
			var types []column
			for name := range strings.FieldsSeq(names) {
				types = append(types, column{"name": name, "type": "text"})
			}
			return map[string]any{"rowtype": types, "rowset": [][]any{row}, "total": 1, "returned": 1, "queryResultFormat": "json"}
		}
		switch {
		case strings.HasPrefix(r.URL.Path, "/session/v1/login-request"):
			a.logins = append(a.logins, body["data"].(map[string]any))
			if a.refused {
				answer("390318", nil)
				return
			}
			answer("", map[string]any{"token": "t", "masterToken": "m", "sessionId": 7, "validityInSeconds": 3600, "masterValidityInSeconds": 14400})
		case strings.HasPrefix(r.URL.Path, "/session/token-request"):
			answer("390114", nil)
		case !strings.HasPrefix(r.URL.Path, "/queries/"):
			answer("", map[string]any{})
		case a.expired:
			a.expired = false
			answer("390112", nil)
		case strings.HasPrefix(statement, "DESCRIBE"):
			answer("", texts("name type kind null? comment", "N", "NUMBER(38,0)", "COLUMN", "Y", nil))
		case strings.HasPrefix(statement, "SHOW"):
			answer("", texts("name rows bytes comment cluster_by", "T", "4", "100", "the table", "LINEAR(N)"))
		case strings.Contains(statement, "SYSTEM$LAST_CHANGE"):
			answer("", texts("v", "1795983309309000000"))
		case strings.HasPrefix(statement, "EXPLAIN"):
			answer("", texts("content", `{"GlobalStats":{"partitionsAssigned":1,"bytesAssigned":1024}}`))
		case statement == "SELECT 1":
			answer("", texts("1", "1"))
		default:
			answer("", map[string]any{"rowtype": []column{{"name": "da_0", "type": "fixed", "precision": 38}}, "total": 4, "returned": 1,
				"rowsetBase64":      base64.StdEncoding.EncodeToString(stream(t, narrow(t, []int8{7}), "0")),
				"queryResultFormat": "arrow", "chunkHeaders": map[string]string{"x-given": "yes"},
				"chunks": []column{{"url": a.store.URL + "/1", "rowCount": 2}, {"url": a.store.URL + "/2", "rowCount": 1}}})
		}
	}
}

func (a *account) open(t *testing.T, change func(*Options)) *Snowflake {
	t.Helper()
	o := Options{Account: "acme", Token: "hunter2", Endpoint: a.URL, Database: "shop", Schema: "public"}
	if change != nil {
		change(&o)
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func read(t *testing.T, s *Snowflake) ([]string, error) {
	r, err := s.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"N"}})
	if err != nil {
		return nil, err
	}
	return enginetest.Rows(r)
}

// TestDriver reads parts of different widths, of which some lie on another host, with
// credentials of both kinds.
func TestDriver(t *testing.T) {
	a := newAccount(t)
	said := captured(t, func() {
		for _, change := range []func(*Options){nil, func(o *Options) { o.Token, o.User, o.KeyFile = "", "reader", keyFile(t) }} {
			s := a.open(t, change)
			if rows, err := read(t, s); err != nil || strings.Join(rows, " ") != "7 300 301 5000000000" {
				t.Errorf("rows %q, %v", rows, err)
			}
			schema, err := s.Schema(t.Context(), source.Relation{Name: "t"})
			if err != nil || schema.RowCount == nil || *schema.RowCount != 4 || schema.Description != "the table" || len(schema.ClusteredBy) != 1 || schema.Version == "" {
				t.Errorf("schema %+v, %v", schema, err)
			}
			e, err := s.Estimate(t.Context(), source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"N"}})
			if err != nil || e.ScanBytes == nil || *e.ScanBytes != 1024 || e.BilledBytes != nil {
				t.Errorf("estimate %+v, %v", e, err)
			}
		}
		a.cut = true
		_, err := read(t, a.open(t, nil))
		if !api.CodeSource.Is(err) {
			t.Errorf("a part that is cut: %v", err)
		}
	})
	if said != "" {
		t.Errorf("the driver wrote %q", said)
	}
	for i, how := range []string{"OAUTH", "SNOWFLAKE_JWT"} {
		if got := a.logins[i]["AUTHENTICATOR"]; got != how {
			t.Errorf("login %d is by %v", i, got)
		}
		if set := a.logins[i]["SESSION_PARAMETERS"].(map[string]any); set["TIMEZONE"] != "UTC" || set["QUOTED_IDENTIFIERS_IGNORE_CASE"] != "false" {
			t.Errorf("the session is %v", set)
		}
	}
	if strings.Contains(strings.Join(a.said, " "), "telemetry") {
		t.Error("telemetry was sent")
	}
}

// TestCredentialsRunOut signs in again when a session is over, and tells when that fails.
func TestCredentialsRunOut(t *testing.T) {
	a := newAccount(t)
	s := a.open(t, nil)
	if err := s.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.expired = true
	if rows, err := read(t, s); err != nil || len(rows) != 4 || len(a.logins) != 2 {
		t.Errorf("after the session: %q, %v, %d logins", rows, err, len(a.logins))
	}
	a.expired, a.refused = true, true
	_, err := read(t, s)
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeSource || e.Kind != api.KindBadCredentials || strings.Contains(e.Message+e.Hint, "hunter2") {
		t.Errorf("a token that has run out: %v", err)
	}
}

// captured is what work writes to stderr.
func captured(t *testing.T, work func()) string {
	t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stderr
	os.Stderr = out
	var said bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(&said, in)
	}()
	work()
	os.Stderr = was
	_ = out.Close()
	<-done
	return said.String()
}
