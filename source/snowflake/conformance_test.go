//go:build snowflake

package snowflake

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/internal/testing/snowtest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/predicate"
)

// keyFile has a new private key.
func keyFile(t testing.TB) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key.p8")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func exec(t testing.TB, s *Snowflake, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		r, err := s.driver.query(t.Context(), statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		r.done()
	}
}

func TestConformance(t *testing.T) {
	engine := snowtest.Start(t)
	key := keyFile(t)
	open := func(t testing.TB) *Snowflake {
		s, err := Open(Options{Account: "fakesnow", User: "fake", KeyFile: key, Endpoint: engine.URL, Database: "shop", Schema: "public"})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var loaded atomic.Int64
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		s := open(t)
		return sourcetest.Fixture{
			Source: s,
			Engine: predicate.Snowflake,
			Load: func(t testing.TB, table sourcetest.Table) string {
				name := fmt.Sprintf("t%d", loaded.Add(1))
				exec(t, s, sourcetest.Snowflake(name, table)...)
				return name
			},
			Series: func(t testing.TB, rows int64) string {
				name := fmt.Sprintf("n%d", rows)
				exec(t, s, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s AS SELECT SEQ8()::NUMBER(38,0) AS "n", RPAD('pad' || SEQ8()::VARCHAR, 100, 'x') AS "pad" FROM TABLE(GENERATOR(ROWCOUNT => %d))`, name, rows))
				return name
			},
			Missing: "no_such_relation",
			Years:   [2]int{1, 9999},
			Lacks:   []sourcetest.Kind{sourcetest.Bytes, sourcetest.Interval, sourcetest.UUID, sourcetest.JSON, sourcetest.Ints, sourcetest.Texts, sourcetest.Record},
			Without: []sourcetest.Ability{sourcetest.Asking, sourcetest.Mortality, sourcetest.Credentials, sourcetest.Patience, sourcetest.Counting,
				sourcetest.Partitions, sourcetest.Comments, sourcetest.Quotes, sourcetest.Depth},
		}
	})
}
