// Package listed is a source of tables whose metadata list their files, as those of
// Delta and Iceberg do: the parquet files below one folder that a Format names are
// read by the engine in this process.
//
// A Format knows the metadata, and writes the relation that reads some of the
// files without the rows that are deleted. This package opens the files, adds
// rules, predicates and orders, and estimates. It writes nothing below the folder,
// and reads no file that the metadata do not name.
package listed
