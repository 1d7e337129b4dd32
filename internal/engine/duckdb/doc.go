// Package duckdb is the only door to the DuckDB engine: it opens instances,
// runs statements, streams results out as Arrow and Arrow streams in.
//
// It must not know what the statements are for, and proves nothing about them:
// a text that is not ours is shown to be a SELECT before it comes here, since
// COPY, ATTACH and DDL pass a locked instance too (see Lockdown). Nothing else
// imports the driver.
//
// # Building
//
// The engine is the prebuilt static library of the official Go bindings, which
// this package links and otherwise leaves alone: their Arrow calls hide behind
// a build tag and hold a whole result in memory. capi.h declares by hand what
// is needed of the C API, and a test holds it to the bundled header.
//
// # Results
//
// Conn.Query streams. Columns of flat types are gathered in C into batches of
// up to 122,880 rows and 16 MiB, one call from Go each; a result with any other
// type is converted by the engine, 2,048 rows at a time, and joined. Both have
// the same Arrow schema: decimals are decimal128, BOOLEAN is bool. A chunk of
// the engine is 2,048 rows whatever their size, and it holds two or three of
// them: very wide rows take that memory beside the batch.
//
// A copy to a file whose rows may be in any order has no such stream: each thread
// of the engine gathers and writes the rows that it has, in a call of a function of
// ours that the statement is wrapped in (sink.c).
//
// Not every type comes back from Arrow and parquet as it was. Project makes a
// select list that keeps every value; docs/types.md has the table.
//
// # Imports
//
// Conn.Import shows an Arrow stream as a view to one statement. The engine
// would push filters and projections into such a view and take for granted that
// the stream obeys, and would read it twice and find it empty the second time.
// Import prevents the first and fails at the second.
//
// # Settings
//
// threads, memory_limit, temp_directory and disabled_optimizers belong to the
// instance, streaming_buffer_size to a connection; preserve_insertion_order,
// TimeZone and errors_as_json can be set for either. Open sets all that this
// package relies on, so that every connection has it, also one that is opened
// after Lockdown.
//
// # Cancelling
//
// Every call takes a context. When it is done the engine is interrupted, and
// mostly answers within milliseconds. It cannot answer inside one call of a
// function or of the operating system: after a second the call returns
// nevertheless, with ErrAbandoned. What the engine still does then is waited
// for in the background, and its memory freed at the end; the connection is
// taken until then, other calls on it wait as their contexts allow. Close, too,
// returns after a second.
package duckdb
