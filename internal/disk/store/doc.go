// Package store keeps entries in a folder so that a crash, a full disk or
// another process never leaves half of one. An entry has a name, a record and,
// in most stores, a file of data. What a record says is its owner's business.
//
// # On disk
//
// In the folder of a Store, folders 0700 and files 0600:
//
//	NAME.meta.json            the record; the entry exists if and only if this does
//	NAME-GENERATION.parquet   its data, which the record names; never written again
//	NAME.parquet              symbolic link to the data, for other tools, in stores that are Linked
//	.lock                     held to change entries, shared to look at several as of one moment
//	.names/NAME               held by the one process that is making new data for NAME
//	.used/NAME                its modification time is when NAME was last used
//	.tmp-ID.parquet           data that is being made; .tmp-ID.lock is held by its process
//
// The extensions are those of the Store; a store may do without data, link or
// generations.
//
// # Changes
//
// Commit renames the synced data to its place, and then the record: that rename
// is the commit. Settle removes what the old record named. Remove does the same
// in the opposite order, record first. Each rename is on disk before the next
// one, so a power cut leaves the old entry or the new one. Whatever no record
// names and no living process locks is removed by Sweep.
//
// # Readers
//
// A reader hard-links the data into a Folder of its own: what is replaced,
// removed or evicted meanwhile stays as it was for that reader, and nobody
// waits for a reader.
//
// # Locks
//
// A lock lives as long as its process, so a killed process holds none. Files
// that an engine opens, replaces and renames as it likes are guarded by a lock
// file beside them (Owned): it is made and locked first, and removed last, so
// data without a lock file has no owner. A lock counts only if its file is
// still the one of that name, which closes the gap between making and locking.
//
// The order is: .lock, then a name's lock, which is only ever tried.
package store
