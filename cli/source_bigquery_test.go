package cli

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/testing/bqtest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
)

// bigQueryTypes are BigQuery's types of the kinds that the scripts use.
var bigQueryTypes = map[sourcetest.Kind]string{
	sourcetest.Int: "INT64", sourcetest.Text: "STRING", sourcetest.Date: "DATE", sourcetest.Instant: "TIMESTAMP", sourcetest.Decimal: "NUMERIC(18, 3)",
}

// startBigQuery starts one server, in which the tables of each script have
// names of their own.
func startBigQuery(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	server := bqtest.Open(t)
	var loaded atomic.Int64
	return func(env *testscript.Env, all scriptTables) (string, error) {
		n := loaded.Add(1)
		for id, table := range all {
			def := bqtest.Table{PartitionBy: table.PartitionBy}
			for _, c := range table.Columns {
				def.Columns = append(def.Columns, bqtest.Column{Name: c.Name, Type: bigQueryTypes[c.Kind], Required: c.Required, Description: c.Comment})
			}
			if id == "flights" { // a table of three rows, until THEN
				few := table
				few.Rows = table.Rows[:3]
				server.Load(t, fmt.Sprintf("%s_%d", id, n), def, sourcetest.DuckDB(few))
				then := time.Now().UTC().Truncate(time.Millisecond).Add(time.Millisecond)
				<-time.After(time.Until(then)) // the next version is a later one
				env.Setenv("THEN", then.Format(time.RFC3339Nano))
				env.Setenv("THEN_MS", strconv.FormatInt(then.UnixMilli(), 10))
			}
			server.Load(t, fmt.Sprintf("%s_%d", id, n), def, sourcetest.DuckDB(table))
		}
		return fmt.Sprintf(`%s
sources:
  main: { type: bigquery, project: %s, dataset: %s, endpoint: %q, storage_endpoint: %q }
tables:
  - { id: flights, source: main, relation: flights_%d, public: true }
  - { id: airports, source: main, relation: airports_%d }
`, caps, bqtest.Project, bqtest.Dataset, server.URL, server.Storage, n, n), nil
	}
}
