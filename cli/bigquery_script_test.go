package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/testing/bqtest"
)

// TestBigQueryScripts shows what only BigQuery has: bills, partition filters,
// pseudo-columns, views, and rights of the server's own.
func TestBigQueryScripts(t *testing.T) {
	t.Parallel()
	server := bqtest.Open(t)
	columns := []bqtest.Column{{Name: "day", Type: "DATE"}, {Name: "n", Type: "INT64"}}
	rows := "SELECT DATE '2026-01-01' + CAST(range AS INTEGER), range FROM range(3)"
	server.Load(t, "events", bqtest.Table{Columns: columns, PartitionBy: "day", RequirePartitionFilter: true}, rows)
	server.Load(t, "loads", bqtest.Table{Columns: columns[1:], PartitionBy: bqtest.PartitionTime, RequirePartitionFilter: true},
		"SELECT range, TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_days(CAST(range AS INTEGER)) FROM range(3)")
	server.Load(t, "plain", bqtest.Table{Columns: columns}, rows)
	server.Load(t, "secret", bqtest.Table{Columns: columns}, rows)
	server.Load(t, "top", bqtest.Table{Columns: columns[1:], View: "SELECT n FROM web.plain WHERE n > 0"}, "")
	server.Deny("secret")
	source := fmt.Sprintf("type: bigquery, project: %s, dataset: %s, endpoint: %q, storage_endpoint: %q", bqtest.Project, bqtest.Dataset, server.URL, server.Storage)
	instance := fmt.Sprintf(`
sources:
  dwh: { %s }
  poor: { %s, max_bytes_billed: 5MB }
tables:
  - { id: events, source: dwh, relation: events }
  - { id: loads, source: dwh, relation: loads }
  - { id: plain, source: dwh, relation: plain }
  - { id: secret, source: dwh, relation: secret }
  - { id: missing, source: dwh, relation: missing }
  - { id: top, source: dwh, relation: top }
  - { id: bounded, source: poor, relation: web.plain }
`, source, source)
	for _, mode := range []string{"embedded", "http"} {
		t.Run(mode, func(t *testing.T) {
			runScripts(t, scripts{dir: "testdata/bigquery", mode: mode, prepare: func(env *testscript.Env) error {
				return os.WriteFile(filepath.Join(env.WorkDir, "instance.yaml"), []byte(instance), 0o600)
			}})
		})
	}
}
