// Package lake reads tables that are files below one folder: parquet, CSV and
// JSON, one file or many, with hive partitions or without. DuckDB reads them;
// this package finds the files, describes them, estimates scans from parquet
// footers, and writes the statements.
//
// Nothing outside the root can be reached. This package lists and opens files
// through os.Root, which follows no link out of it. The engine gets the open
// files, never their names (see linked), and is itself confined to the root. The
// package changes no file below the root, and never shows the server's paths to a
// reader.
//
// Only Linux has paths to open files. On other systems the engine opens files by
// name, after they have been checked.
package lake
