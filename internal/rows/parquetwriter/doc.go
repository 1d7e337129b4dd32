// Package parquetwriter writes Arrow batches as a Parquet file: forward only, with
// one or two row groups in memory. Write keeps the order of the rows. Unordered takes
// them from several goroutines, and holds a row group in memory for each.
//
// It knows the flat types that make up nearly all data; Takes says which schemas
// it writes. The others are for the engine's writer, and both write the same
// physical types, so that readers see no difference. The bytes of a file that
// Write makes depend on its rows alone: not on how they were cut into batches. What
// lies under NULLs is never in a file. It does not depend on an engine.
package parquetwriter
