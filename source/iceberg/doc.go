// Package iceberg is the source that reads Iceberg tables in a folder, or of a catalog.
//
// Which files count for a snapshot, and which of their rows are deleted, is planned
// here from the table's metadata; the engine finds columns in the files by their
// ids. A catalog is asked for names and metadata alone, nothing is ever written, and a
// table that uses what is not known here is refused by the name of that.
package iceberg
