// Command gen makes the data of the demo from the files of vega-datasets: the
// flights are thinned out, sorted by time and split by month, the airports are
// taken as they are. It is run by hand, when the data is to change; what it
// makes is committed.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen FOLDER-WITH-flights-3m.parquet-AND-airports.csv cli/demo/data")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// thin takes every tenth flight of the file, which is sorted by time, and
// leaves out the six that begin the second half of the year. Small row groups
// let a scan of a few days skip the rest.
const thin = `COPY (
	SELECT month(date) AS month, date, delay::INTEGER AS delay, distance::INTEGER AS distance, origin, destination
	FROM (SELECT *, row_number() OVER () AS n FROM read_parquet(%s))
	WHERE n %% 10 = 1 AND date < DATE '2001-07-01'
	ORDER BY date, origin, destination, delay
) TO %s (FORMAT parquet, PARTITION_BY (month), OVERWRITE, ROW_GROUP_SIZE 20480,
	COMPRESSION zstd, COMPRESSION_LEVEL 19, PARQUET_VERSION V2)`

func run(from, to string) (err error) {
	// One thread, so that the same input gives the same files.
	db, err := duckdb.Open(duckdb.Options{Threads: 1, PreserveOrder: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	sql := fmt.Sprintf(thin, duckdb.Literal(filepath.Join(from, "flights-3m.parquet")), duckdb.Literal(filepath.Join(to, "flights")))
	if err := conn.Exec(context.Background(), sql); err != nil {
		return err
	}
	airports, err := os.ReadFile(filepath.Join(from, "airports.csv"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "airports.csv"), airports, 0o644)
}
