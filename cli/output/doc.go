// Package output turns results into what users see: Arrow batches and small
// lists in any format, progress on a terminal, files that appear whole or not
// at all.
//
// What each format does with the values of internal/rows/arrowjson:
//
//	table     for people. NULL is NULL, and the text "NULL" is quoted.
//	          Texts that do not fit the terminal are cut with … and counted;
//	          results too wide for that become records, a line per value
//	json      one array of objects, one a line; [] if there are no rows
//	ndjson    one object a line
//	csv       RFC 4180 with lines that end in \n, as DuckDB writes them; a header;
//	          NULL is empty, the empty text is "" (so that a line with nothing on
//	          it is the NULL of a single column)
//	tsv       no quotes: tab, line feed, carriage return and backslash inside a
//	          cell are \t, \n, \r and \\; NULL is \N; a header
//	markdown  a GitHub table; everything that Markdown would act on is escaped,
//	          line feeds are <br>, NULL is *NULL*
//	parquet   written by the engine, see Options.WriteParquet
//	arrow     an Arrow IPC stream
//	xlsx      written by the caller, see Options.WriteWorkbook
//
// JSON keys and parquet columns are unique: a name that occurs again gets a
// number, and a warning says so. All formats but table are streamed: memory
// holds one batch and one buffer.
//
// Text from data never reaches a terminal unescaped: tables and
// Markdown spell out control characters and direction overrides, JSON escapes
// them, and csv and tsv spell them out if, and only if, they go to a terminal.
//
// The package prints nothing by itself. What a caller should tell the user is in
// the returned Summary.
package output
