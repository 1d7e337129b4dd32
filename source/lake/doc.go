// Package lake reads tables that lie as files under one folder: parquet, CSV
// and JSON lines, one file or many, with hive partitions or without. DuckDB
// reads them; this package finds the files, describes them, estimates scans
// from parquet footers, and writes the statements.
//
// Nothing outside the root can be reached. Files are listed here, through
// os.Root, which follows no link out of it, and given to the engine one by one;
// the engine itself is confined to the root as well. The package changes no
// file under the root, and never lets a reader see the server's paths.
package lake
