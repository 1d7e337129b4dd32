// Package cachedb keeps what has been learnt about files, so that the second
// question about a file costs next to nothing: the profile of each file, the
// answers that were asked for, and a DuckDB database of its rows.
//
// All of it lies in one folder and can be deleted at any time. An entry belongs
// to one path and one way of reading it. It is valid as long as the file has
// the size, times and inode that it had; if only those differ, its content is
// hashed to see whether it is still the same. The files of an entry:
//
//	KEY.json             three lines of JSON: what the entry is about, the
//	                     profile, and answers; replaced by rename
//	KEY-GENERATION.duckdb the rows; never changed once it has this name
//	lock-NN              held by the process that builds an entry whose key falls on NN
//
// A database is built beside and renamed, by one process while others wait for
// it, and is only ever opened read-only. A reader that holds it open keeps it
// even if it is removed meanwhile. One that is made for
// a single use never gets its name.
//
// The package must not know what the answers mean.
package cachedb
