package keep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/snapshot"
)

// sumOfHashes computes sum(h) for 64-bit unsigned h. Adding up the two halves takes the
// engine half as long.
const sumOfHashes = "sum((h >> 32)::BIGINT) * 4294967296 + sum((h & 4294967295)::BIGINT)"

// Sample is what a reader of a file is shown of it: some thousand rows, which a hash of
// the row chooses, so that equal rows are in it together or not at all.
type Sample struct {
	Columns []string
	// Take takes rows: their hash, and the columns. It is not called if one of these is
	// missing or has a type that is not flat.
	Take func(rows arrow.RecordBatch) error
}

// Describe reads back what was written: the schema, the number of rows, and a
// hash over all rows. The hash does not depend on the order of rows, because the
// bytes of a parquet file differ from run to run. The same reading gives the sample,
// unless it is nil.
func Describe(ctx context.Context, conn *duckdb.Conn, path string, sample *Sample) (snapshot.Meta, error) {
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
	hashed := "count(*), coalesce(" + sumOfHashes + ", 0)::VARCHAR FROM (SELECT hash(r) AS h"
	var sum string
	sampled := false
	if sample != nil {
		sampled, err = sample.read(ctx, conn, path, meta.Columns(), hashed, &meta.Rows, &sum)
	}
	if err == nil && !sampled {
		err = conn.QueryRow(ctx, "SELECT "+hashed+" FROM "+file+" r)", nil, &meta.Rows, &sum)
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

// read reads the file in one pass, if the sample can be had of it.
func (s *Sample) read(ctx context.Context, conn *duckdb.Conn, path string, columns []string, hashed string,
	dest ...any) (done bool, err error) {
	rows, err := conn.ParquetRows(ctx, path)
	if err != nil {
		return false, err
	}
	var list strings.Builder
	for _, c := range s.Columns {
		if !slices.Contains(columns, c) {
			return false, nil
		}
		list.WriteString(", r." + duckdb.Quote(c))
	}
	from := list.String() + " FROM read_parquet(" + duckdb.PathLiteral(path) + ") r"
	return conn.Tap(ctx, "SELECT hash(r) AS h"+from, func(put, columns string) string {
		return fmt.Sprintf("SELECT coalesce(sum(CASE WHEN h & %d = 0 THEN %s(%s) END), 0)::BIGINT, %s%s) t(%s)", profile.Mask(2*rows), put,
			strings.Replace(columns, "c0", "h", 1), hashed, from, strings.Replace(columns, "c0", "h", 1))
	}, s.Take, dest...)
}
