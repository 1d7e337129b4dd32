package keep

import (
	"context"
	"fmt"
	"os"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/snapshot"
)

// sumOfHashes computes sum(h) for 64-bit unsigned h. Adding up the two halves takes the
// engine half as long.
const sumOfHashes = "sum((h >> 32)::BIGINT) * 4294967296 + sum((h & 4294967295)::BIGINT)"

// Describe reads back what was written: the schema, the number of rows, and a
// hash over all rows. The hash does not depend on the order of rows, because the
// bytes of a parquet file differ from run to run.
func Describe(ctx context.Context, conn *duckdb.Conn, path string) (snapshot.Meta, error) {
	return DescribeAndSample(ctx, conn, path, "")
}

// DescribeAndSample is Describe that also writes a sample of the rows to a file, unless
// its path is empty: the hash that describes a row chooses it, too.
func DescribeAndSample(ctx context.Context, conn *duckdb.Conn, path, sample string) (snapshot.Meta, error) {
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
	hashed := "SELECT count(*), coalesce(" + sumOfHashes + ", 0)::VARCHAR"
	var sum string
	if sample != "" {
		if sampled(ctx, conn, path, hashed, file, sample, &meta.Rows, &sum) != nil {
			_, sample = os.Remove(sample), "" // for example, if a sample does not fit into memory
		}
	}
	if sample == "" {
		err = conn.QueryRow(ctx, hashed+" FROM (SELECT hash(r) AS h FROM "+file+" r)", nil, &meta.Rows, &sum)
	}
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

// sampled reads the count and the hash, and writes the sample, in one scan.
func sampled(ctx context.Context, conn *duckdb.Conn, path, hashed, file, sample string, rows *int64, sum *string) error {
	n, err := conn.ParquetRows(ctx, path)
	if err != nil {
		return err
	}
	for _, sql := range []string{
		fmt.Sprintf("CREATE OR REPLACE TEMP TABLE da_read AS SELECT * FROM (%s, list(r) FILTER (WHERE h & %d = 0) FROM (SELECT hash(r) AS h, r FROM %s r)) t(n, sum, rows)", hashed, profile.Mask(n), file),
		"COPY (SELECT unnest(row) FROM (SELECT unnest(rows) AS row FROM da_read)) TO " + duckdb.Literal(sample) + " (FORMAT parquet)",
	} {
		if err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return conn.QueryRow(ctx, "SELECT n, sum FROM da_read", nil, rows, sum)
}
