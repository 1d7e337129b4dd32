// Package lake reads tables that lie as files under one folder: parquet, CSV
// and JSON, one file or many, with hive partitions or without. DuckDB
// reads them; this package finds the files, describes them, estimates scans
// from parquet footers, and writes the statements.
//
// Nothing outside the root can be reached. Files are listed and opened here,
// through os.Root, which follows no link out of it. The engine gets the open
// files, never their names: see linked. It is confined to the root as well. The
// package changes no file under the root, and never lets a reader see the
// server's paths.
//
// Only Linux has paths to open files. On other systems the engine opens them by
// name, once they were checked.
package lake
