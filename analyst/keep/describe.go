package keep

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/snapshot"
)

// sumOfHashes computes sum(h) for 64-bit unsigned h. Adding up the two halves takes the
// engine half as long.
const sumOfHashes = "sum((%[1]s >> 32)::BIGINT) * 4294967296 + sum((%[1]s & 4294967295)::BIGINT)"

// hashed is what the hash of a row is called beside its columns.
const hashed = `"the hash of a row of da"`

// Sample is what a reader of a file is shown of it: some thousand rows, which a hash of
// the row chooses, so that equal rows are in it together or not at all.
type Sample struct {
	Rows    int64 // how many the file has, about
	Columns []string
	// Take takes rows: their hash, and the columns.
	Take  func(rows arrow.RecordBatch) error
	Taken bool // false if it was not to be had, for example since a column is missing
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
	file := "read_parquet(" + duckdb.PathLiteral(path) + ") " + duckdb.Row
	cols, err := conn.Describe(ctx, "SELECT * FROM "+file)
	if err != nil {
		return meta, err
	}
	for _, c := range cols {
		meta.Schema = append(meta.Schema, snapshot.Column{Name: c.Name, Type: c.Type})
	}
	from := " FROM (SELECT hash(" + duckdb.Row + ") AS " + hashed + ", * FROM " + file + ")"
	items := "count(*), coalesce(" + fmt.Sprintf(sumOfHashes, hashed) + ", 0)::VARCHAR"
	var sum string
	if sample == nil || !sample.read(ctx, conn, cols, items, from, &meta.Rows, &sum) {
		if err := readSets(ctx, conn, setsOf(path, &meta), &meta, items, from, &meta.Rows, &sum); err != nil {
			return meta, err
		}
	}
	digest := xxh3.New()
	fmt.Fprintf(digest, "%d rows\x00%s\x00", meta.Rows, sum)
	for _, c := range meta.Schema {
		fmt.Fprintf(digest, "%s\x00%s\x00", c.Name, c.Type)
	}
	meta.ContentHash = fmt.Sprintf("duckdb-%s-%x", duckdb.Version, digest.Sum128().Bytes())
	return meta, nil
}

// read computes the items in one pass with the sample, if that is to be had.
func (s *Sample) read(ctx context.Context, conn *duckdb.Conn, all []duckdb.Column, items, from string, dest ...any) bool {
	columns, types := hashed, "NULL::UBIGINT"
	for _, c := range s.Columns {
		i := slices.IndexFunc(all, func(of duckdb.Column) bool { return of.Name == c })
		if i < 0 {
			return false
		}
		columns, types = columns+", "+duckdb.Quote(c), types+", NULL::"+all[i].Type // the file is not opened for them
	}
	flat, err := conn.Tap(ctx, "SELECT "+types, func(put, _ string) string {
		return fmt.Sprintf("SELECT coalesce(sum(CASE WHEN %s & %d = 0 THEN %s(%s) END), 0)::BIGINT, %s%s", hashed, profile.Mask(2*s.Rows), put, columns, items, from)
	}, s.Take, dest...)
	s.Taken = err == nil && flat
	return s.Taken
}
