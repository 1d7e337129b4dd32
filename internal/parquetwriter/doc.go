// Package parquetwriter writes Arrow batches as a Parquet file: forward only,
// with the rows in their order, and with one or two row groups in memory.
//
// It knows the flat types that make up nearly all data; Takes says which schemas
// it writes. The others are for the engine's writer, and both write the same
// physical types, so that readers see no difference. The bytes of a file depend on
// its rows alone: not on how they were cut into batches, and never on what lies
// under NULLs. It does not depend on an engine.
package parquetwriter
