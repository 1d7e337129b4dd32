package bigquery

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/bqtest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/source"
)

// types are BigQuery's types of the kinds. It has no UUID, and its arrays
// neither are NULL nor hold NULL: see TestArrays.
var types = map[sourcetest.Kind]string{
	sourcetest.Bool: "BOOL", sourcetest.Int: "INT64", sourcetest.Float: "FLOAT64", sourcetest.Decimal: "NUMERIC(18, 3)", sourcetest.Wide: "NUMERIC",
	sourcetest.Text: "STRING", sourcetest.Bytes: "BYTES", sourcetest.Date: "DATE", sourcetest.Time: "TIME", sourcetest.Timestamp: "DATETIME",
	sourcetest.Instant: "TIMESTAMP", sourcetest.Interval: "INTERVAL", sourcetest.JSON: "JSON", sourcetest.Record: "STRUCT<a INT64, b STRING>",
}

// options reach a test's server.
func options(s *bqtest.Server) Options {
	return Options{Project: bqtest.Project, Dataset: bqtest.Dataset, Endpoint: s.URL, StorageEndpoint: s.Storage,
		CallTimeout: 3 * time.Second, StallTimeout: 10 * time.Second}
}

func open(t testing.TB, o Options) *BigQuery {
	t.Helper()
	b, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestConformance(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		s := bqtest.Open(t)
		t.Cleanup(func() {
			for _, r := range s.Refused() {
				t.Logf("not run: %s", r)
			}
		})
		loaded := 0
		name := func(prefix string) string {
			loaded++
			return fmt.Sprintf("%s%d", prefix, loaded)
		}
		// The suite looks at what BigQuery says now; TestMetadata looks at what is
		// remembered.
		now := options(s)
		now.Stale = time.Nanosecond
		return sourcetest.Fixture{
			Source: open(t, now),
			Load: func(t testing.TB, table sourcetest.Table) string {
				def := bqtest.Table{PartitionBy: table.PartitionBy}
				for _, c := range table.Columns {
					def.Columns = append(def.Columns, bqtest.Column{Name: c.Name, Type: types[c.Kind], Required: c.Required, Description: c.Comment})
				}
				n := name("t")
				s.Load(t, n, def, sourcetest.DuckDB(table))
				return n
			},
			Series: func(t testing.TB, rows int64) string {
				n := name("series")
				s.Load(t, n, bqtest.Table{Columns: []bqtest.Column{{Name: "n", Type: "INT64"}, {Name: "pad", Type: "STRING"}}},
					fmt.Sprintf("SELECT range AS n, rpad('pad' || range, 100, 'x') AS pad FROM range(%d)", rows))
				return n
			},
			Missing: "no_such_table",
			Slow: func(t testing.TB) string {
				n := name("slow")
				s.Load(t, n, bqtest.Table{Columns: []bqtest.Column{{Name: "n", Type: "INT64"}}},
					"SELECT a.range + b.range FROM range(10000000) a, range(10000000) b WHERE hash(a.range, b.range) = 0")
				return n
			},
			Running: func(testing.TB) int { return s.Running() },
			Kill:    func(testing.TB) { s.Kill() },
			Denied: func(t testing.TB) (source.Source, string) {
				o := options(s)
				o.Endpoint, o.StorageEndpoint = "", ""
				var secret string
				o.CredentialsFile, secret = wrongKey(t, s.URL+"/token")
				return open(t, o), secret
			},
			Impatient: func(t testing.TB) source.Source {
				o := options(s)
				o.JobTimeout = 200 * time.Millisecond
				return open(t, o)
			},
			Lacks: []sourcetest.Kind{sourcetest.UUID, sourcetest.Ints, sourcetest.Texts},
		}
	})
}

// wrongKey is a service account's key that the one who hands out tokens does
// not know.
func wrongKey(t testing.TB, tokenURL string) (file, secret string) {
	t.Helper()
	key := privateKey(t)
	file = filepath.Join(t.TempDir(), "key.json")
	text := fmt.Sprintf(`{"type": "service_account", "project_id": "p", "private_key_id": "1", "private_key": %q, "client_email": "da@p.iam.gserviceaccount.com", "token_uri": %q}`,
		key, tokenURL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, strings.Split(key, "\n")[1]
}
