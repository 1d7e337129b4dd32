package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/internal/bench/marks"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// world is the generated data, the binary under test, and this program.
type world struct {
	options
	variant             // that is measured now
	variants  []variant // all that are to be
	before    marks.Before
	dir, self string
}

// lineRows is the number of rows of the line table unless another is asked for:
// half of them pass the filter. Four links to it make the large table.
const lineRows = 6_000_000

// columns are the eight that are fetched: two integers, three decimals, two
// texts of few values, a date.
const columns = "orderkey,partkey,quantity,price,discount,flag,mode,shipdate"

// filter keeps every other row, all over the table.
const filter = "suppkey % 2 = 0"

// generate writes the tables and an instance file that names them.
func (w *world) generate(ctx context.Context) error {
	for _, folder := range []string{"data/lines", "data/lines_large"} {
		if err := os.MkdirAll(filepath.Join(w.dir, folder), 0o755); err != nil {
			return err
		}
	}
	file := filepath.Join(w.dir, "data/lines/part.parquet")
	wide := fmt.Sprintf("SELECT range AS id, repeat(chr((97 + range %% 26)::INTEGER), 100000) AS body FROM range(%d)", w.rows/300)
	for target, sql := range map[string]string{file: lineSQL(w.rows), filepath.Join(w.dir, "data/wide.parquet"): wide} {
		if _, _, err := measure(ctx, nil, w.self, "copy", sql, target); err != nil {
			return err
		}
	}
	for i := range 4 {
		if err := os.Link(file, filepath.Join(w.dir, fmt.Sprintf("data/lines_large/part%d.parquet", i))); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(w.dir, "instance.yaml"), []byte(instance), 0o600)
}

const instance = `
api:
  scan: { max_limit: 100000000, max_result_bytes: 20000000000, max_daily_bytes_per_user: 100000000000000, max_concurrent_per_user: 300 }
sources:
  files: { type: lake, root: ./data }
tables:
  - { id: lines, source: files, path: "lines/*.parquet" }
  - { id: lines_large, source: files, path: "lines_large/*.parquet" }
  - { id: wide, source: files, path: wide.parquet }
`

// lineSQL selects n rows of 16 columns in the shape of order lines. The values
// depend on the row number only, so that every run has the same data.
func lineSQL(n int) string {
	cols := []string{
		"(i / 4)::BIGINT AS orderkey",
		"(hash(i) % 200000)::BIGINT AS partkey",
		"(hash(i + 1) % 10000)::BIGINT AS suppkey",
		"(i % 7)::INTEGER AS linenumber",
		"(hash(i + 2) % 50 + 1)::DECIMAL(15,2) AS quantity",
		"((hash(i + 3) % 10000000) / 100)::DECIMAL(15,2) AS price",
		"((hash(i + 4) % 11) / 100)::DECIMAL(15,2) AS discount",
		"((hash(i + 5) % 9) / 100)::DECIMAL(15,2) AS tax",
		"['R', 'A', 'N'][(hash(i + 6) % 3 + 1)::INTEGER] AS flag",
		"['O', 'F'][(hash(i + 7) % 2 + 1)::INTEGER] AS status",
		"DATE '1992-01-01' + (hash(i + 8) % 2500)::INTEGER AS shipdate",
		"DATE '1992-01-01' + (hash(i + 9) % 2500)::INTEGER AS commitdate",
		"DATE '1992-01-01' + (hash(i + 10) % 2500)::INTEGER AS receiptdate",
		"['COLLECT COD', 'NONE', 'TAKE BACK RETURN', 'DELIVER IN PERSON'][(hash(i + 11) % 4 + 1)::INTEGER] AS instruct",
		"['AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB', 'REG AIR'][(hash(i + 12) % 7 + 1)::INTEGER] AS mode",
		"'line ' || (hash(i + 13) % 100000) || ' of order ' || (i / 4) AS comment",
	}
	return fmt.Sprintf("SELECT %s FROM range(%d) t(i)", strings.Join(cols, ", "), n)
}

// copyTo is the whole other side: DuckDB with its defaults, one process, one
// COPY of a statement to a file.
func copyTo(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: bench copy SQL FILE")
	}
	db, err := duckdb.Open(duckdb.Options{PreserveOrder: true})
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Exec(context.Background(), fmt.Sprintf("COPY (%s) TO %s (FORMAT parquet)", args[0], duckdb.Literal(args[1])))
}
