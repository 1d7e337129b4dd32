package bqtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	bq "google.golang.org/api/bigquery/v2"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// Column is a column of a Table; Type is as GoogleSQL writes it.
type Column struct {
	Name, Type  string
	Required    bool
	Description string
}

// Table is a table or, with View, a view, whose text is in GoogleSQL.
type Table struct {
	Columns                []Column
	Description            string
	PartitionBy            string // a column, or PartitionTime
	PartitionStep          string // DAY (also if empty), HOUR, MONTH or YEAR
	PartitionWidth         int64  // of ranges of an INT64 column, from 0 up to 1,000 of them
	Bytes                  int64  // that tables.get tells; 0: what the rows take
	ClusterBy              []string
	RequirePartitionFilter bool
	View                   string
	Materialized           bool // the view is
	External               bool // the rows lie outside of BigQuery
	Constraints            *bq.TableConstraints
}

// PartitionTime is the pseudo-column of a table partitioned by the day of
// ingestion. The rows of such a table have it last.
const PartitionTime = "_PARTITIONTIME"

// stored is a table that is there.
type stored struct {
	project, dataset, name string
	def                    Table
	types                  []typ
	engineName             string
	modified               time.Time
	before                 *stored // that it has replaced
	rows                   int64
	parts                  map[string]partition
}

func (t *stored) id() string { return t.project + "." + t.dataset + "." + t.name }

func (t *stored) columns() []field {
	out := make([]field, len(t.types))
	for i, c := range t.def.Columns {
		out[i] = field{c.Name, t.types[i]}
	}
	return out
}

// pseudo are the columns that have to be named to be read.
func (t *stored) pseudo() []field {
	if t.def.PartitionBy != PartitionTime {
		return nil
	}
	return []field{{PartitionTime, scalar("TIMESTAMP")}, {partitionDate, scalar("DATE")}}
}

// partitionDate is the date of PartitionTime.
const partitionDate = "_PARTITIONDATE"

func (t *stored) schema() *bq.TableSchema {
	s := &bq.TableSchema{}
	for i, c := range t.def.Columns {
		mode := "NULLABLE"
		if c.Required {
			mode = "REQUIRED"
		}
		s.Fields = append(s.Fields, t.types[i].schema(c.Name, mode, c.Description))
	}
	return s
}

// Load stores a table under the name, in the server's project and dataset. rows
// is a SELECT in DuckDB's SQL whose columns are those of the table.
func (s *Server) Load(t testing.TB, name string, table Table, rows string) {
	t.Helper()
	st := &stored{project: Project, dataset: Dataset, name: name, def: table, modified: time.Now()}
	var list, names []string
	given := func() string {
		names = append(names, fmt.Sprintf("c%d", len(names)))
		return names[len(names)-1]
	}
	for _, c := range table.Columns {
		ct, err := parseType(c.Type)
		if err != nil {
			t.Fatal(err)
		}
		st.types = append(st.types, ct)
		list = append(list, fmt.Sprintf("CAST(%s AS %s) AS %s", given(), ct.engine(), quote(c.Name)))
	}
	if table.PartitionBy == PartitionTime {
		at := "CAST(" + given() + " AS TIMESTAMPTZ)"
		list = append(list, at+" AS "+quote(PartitionTime), "CAST("+at+" AS DATE) AS "+quote(partitionDate))
	}
	s.mu.Lock()
	s.made++
	st.engineName = fmt.Sprintf("t%d_%s", s.made, name)
	s.mu.Unlock()
	if table.View == "" {
		// A table that does not end soon is not stored but read each time.
		what := map[bool]string{false: "TABLE", true: "VIEW"}[strings.HasPrefix(name, "slow")]
		sql := fmt.Sprintf("CREATE %s %s AS SELECT %s FROM (%s) AS v(%s)", what, quote(st.engineName), strings.Join(list, ", "), rows, strings.Join(names, ", "))
		err := s.with(context.Background(), func(c *duckdb.Conn) error {
			if err := c.Exec(context.Background(), sql); err != nil || what == "VIEW" {
				return err
			}
			return c.QueryRow(context.Background(), "SELECT count(*) FROM "+quote(st.engineName), nil, &st.rows)
		})
		if err != nil {
			t.Fatalf("load %s: %v", name, err)
		}
	}
	s.changed(t, st)
}

// with runs something on a connection of its own.
func (s *Server) with(ctx context.Context, run func(c *duckdb.Conn) error) error {
	c, err := s.db.Conn()
	if err != nil {
		return err
	}
	defer c.Close()
	return run(c)
}

// timeForm is the format of times in FOR SYSTEM_TIME AS OF.
const timeForm = "2006-01-02 15:04:05.999999-07:00"

// find resolves a table's name; short ones lie in the default dataset.
func (s *Server) find(project, dataset string) func(path []string) (*stored, error) {
	return func(path []string) (*stored, error) {
		full := path
		switch {
		case len(path) == 2:
			full = append([]string{Project}, path...)
		case len(path) == 1 && dataset != "":
			full = []string{orText(project, Project), dataset, path[0]}
		case len(path) == 1:
			return nil, invalid("Table \"%s\" must be qualified with a dataset (e.g. dataset.table).", path[0])
		}
		id := strings.Join(full, ".")
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.denied[id] {
			return nil, &refusal{403, "accessDenied", "Access Denied: Table " + id + ": User does not have permission to query table " + id + ", or perhaps it does not exist."}
		}
		id, at, dated := strings.Cut(id, "@")
		t := s.tables[id]
		if then, err := time.Parse(timeForm, at); dated && err == nil {
			for t != nil && t.modified.After(then) {
				t = t.before
			}
			if t == nil || time.Until(then) > 0 {
				return nil, invalid("Invalid snapshot time %s for table %s", at, id)
			}
		}
		if t != nil {
			return t, nil
		}
		return nil, &refusal{404, "notFound", "Not found: Table " + id + " was not found in location EU"}
	}
}

func orText(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// widths are what BigQuery counts for a value.
func width(t typ, column string) string {
	switch t.kind {
	case "INT64", "FLOAT64", "DATE", "TIME", "DATETIME", "TIMESTAMP":
		return fmt.Sprintf("CASE WHEN %s IS NULL THEN 0 ELSE 8 END", column)
	case "BOOL":
		return fmt.Sprintf("CASE WHEN %s IS NULL THEN 0 ELSE 1 END", column)
	case "NUMERIC", "INTERVAL":
		return fmt.Sprintf("CASE WHEN %s IS NULL THEN 0 ELSE 16 END", column)
	case "BIGNUMERIC":
		return fmt.Sprintf("CASE WHEN %s IS NULL THEN 0 ELSE 32 END", column)
	case "BYTES":
		return fmt.Sprintf("coalesce(2 + octet_length(%s), 0)", column)
	case "STRING", "JSON", "GEOGRAPHY":
		return fmt.Sprintf("coalesce(2 + strlen(CAST(%s AS VARCHAR)), 0)", column)
	}
	return fmt.Sprintf("coalesce(strlen(CAST(%s AS VARCHAR)), 0)", column) // about
}

// bytes counts what reading columns of a table takes, of the rows of a condition.
func (s *Server) bytes(ctx context.Context, t *stored, where string, reads func(column string) bool) (n int64, err error) {
	if t.def.View != "" || strings.HasPrefix(t.name, "slow") {
		return 0, nil
	}
	sum := "0"
	for _, c := range t.columns() {
		if reads(c.name) {
			sum += " + coalesce(sum(" + width(c.typ, quote(c.name)) + "), 0)"
		}
	}
	err = s.with(ctx, func(c *duckdb.Conn) error {
		return c.QueryRow(ctx, "SELECT CAST("+sum+" AS BIGINT) FROM "+quote(t.engineName)+where, nil, &n)
	})
	return n, err
}

// bytesOf counts what a statement reads, and what would be billed for it: whole
// megabytes, and ten at least for each table.
func (s *Server) bytesOf(ctx context.Context, p *plan) (read, billed int64, err error) {
	for _, t := range p.order {
		n, err := s.bytes(ctx, t, p.pruned[t], func(column string) bool { return p.reads[t][column] })
		if err != nil {
			return 0, 0, err
		}
		read += n
		if n > 0 {
			billed += max((n+1<<20-1)>>20<<20, 10<<20)
		}
	}
	return read, billed, nil
}
