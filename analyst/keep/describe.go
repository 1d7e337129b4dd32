package keep

import (
	"context"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/snapshot"
)

// sumOfHashes computes sum(h) for 64-bit unsigned h. Adding up the two halves takes the
// engine half as long.
const sumOfHashes = "sum((h >> 32)::BIGINT) * 4294967296 + sum((h & 4294967295)::BIGINT)"

// Describe reads back what was written: the schema, the number of rows, and a
// hash over all rows. The hash does not depend on the order of rows, because the
// bytes of a parquet file differ from run to run.
func Describe(ctx context.Context, conn *duckdb.Conn, path string) (snapshot.Meta, error) {
	var meta snapshot.Meta
	// The file is read once: to keep it in memory, as the engine would, is in vain.
	if err := conn.Exec(ctx, "SET GLOBAL enable_external_file_cache = false"); err != nil {
		return meta, err
	}
	file := "read_parquet(" + duckdb.PathLiteral(path) + ")"
	cols, err := conn.Describe(ctx, "SELECT * FROM "+file)
	if err != nil {
		return meta, err
	}
	for _, c := range cols {
		meta.Schema = append(meta.Schema, snapshot.Column{Name: c.Name, Type: c.Type})
	}
	var sum string
	err = conn.QueryRow(ctx, "SELECT count(*), coalesce("+sumOfHashes+", 0)::VARCHAR FROM (SELECT hash(r) AS h FROM "+file+" r)", nil, &meta.Rows, &sum)
	if err != nil {
		return meta, err
	}
	digest := xxh3.New()
	fmt.Fprintf(digest, "%d rows\x00%s\x00", meta.Rows, sum)
	for _, c := range meta.Schema {
		fmt.Fprintf(digest, "%s\x00%s\x00", c.Name, c.Type)
	}
	meta.ContentHash = fmt.Sprintf("duckdb-%s-%x", duckdb.Version, digest.Sum128().Bytes())
	return meta, nil
}
