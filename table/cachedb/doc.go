// Package cachedb caches what has been learned about files, so that the second
// question about a file is almost free: the profile of each file, earlier
// answers, and a DuckDB database of its rows.
//
// Everything is in one folder and can be deleted at any time. An entry belongs to
// one path and one way of reading it. It is valid as long as size, times and
// inode of the file are unchanged. If only times or inode differ, the content is
// hashed to see whether it is still the same. Files on disk, managed by package
// store:
//
//	KEY.json               three lines of JSON: what the entry is about, the profile, and answers
//	KEY-GENERATION.duckdb  the rows; never changed once it has this name
//	.names/KEY             locked by the process that builds the entry, while others wait for it
//	.run/ID/               databases that are being built, or made for a single use
//	copy-ID                text that was unpacked or came through a pipe
//
// Databases are only opened read-only. A reader keeps its open database even if
// the file is removed.
//
// The package must not know what the answers mean.
package cachedb
