// Package cachedb keeps what has been learnt about files, so that the second
// question about a file costs next to nothing: the profile of each file, the
// answers that were asked for, and a DuckDB database of its rows.
//
// All of it lies in one folder and can be deleted at any time. An entry belongs
// to one path and one way of reading it. It is valid as long as the file has
// the size, times and inode that it had; if only those differ, its content is
// hashed to see whether it is still the same. On disk, in the way of package
// store:
//
//	KEY.json               three lines of JSON: what the entry is about, the profile, and answers
//	KEY-GENERATION.duckdb  the rows; never changed once it has this name
//	.names/KEY             held by the process that builds the entry, while others wait for it
//	.run/ID/               databases that are being built, or made for a single use
//	copy-ID                text that is unpacked or came by a pipe
//
// A database is only ever opened read-only. A reader that holds it open keeps
// it even if it is removed meanwhile.
//
// The package must not know what the answers mean.
package cachedb
