// Package snapshot is the local store: parts of tables that were fetched once
// and are queried many times, as parquet files with a sidecar each. It claims
// names, hands out temporary files, installs them, links them for readers,
// lists, drops and prunes, and clears away what a killed process left behind.
//
// It never looks into a parquet file beyond its first and last bytes, knows no
// engine and no network, and deletes nothing that it did not make. No reader
// waits for a fetch, and no fetch fails because of a reader.
//
// # On disk, format version 1
//
// Below the home folder, folders 0700 and files 0600:
//
//	snapshots/NAME.meta.json        the sidecar: the commit record of a snapshot
//	snapshots/NAME-GENERATION.parquet   its data; the sidecar names the one that counts
//	snapshots/NAME.parquet          symbolic link to it, relative, for other tools
//	snapshots/.lock                 flock: exclusive to change names, shared to claim or link them
//	snapshots/.names/NAME           flock of who fetches or refreshes NAME, with its process id
//	snapshots/.used/NAME            its modification time is when NAME was last linked
//	snapshots/.pending              an After that was due has not succeeded yet
//	snapshots/.tmp-ID.parquet       written by a fetch; .tmp-ID.lock is its flock
//	run/ID/                         a reader's hard links, or what its engine spills; run/ID.lock is its flock
//
// NAME matches api.NamePattern, GENERATION and ID are 16 hex digits that are
// never used twice. A snapshot exists if and only if its sidecar does, and the
// sidecar changes by one rename: a crash leaves the old snapshot or the new
// one. Whatever no sidecar names, and no living process locks, is swept by the
// next Open.
//
// # Locks
//
// A temporary file is locked through a companion, since the engine that writes
// the file opens, replaces and renames it as it likes, and a lock on a file
// that is replaced is lost. The companion is made and locked first and goes
// last, so that a file without a companion has no owner. Who finds a lock free
// checks that its file is still the one of that name, since the file may have
// been removed in between; this closes the gap between making and locking.
//
// The order is: .lock, then a name's lock, which is only ever tried. A claim
// tries it while it shares .lock, a drop while it has .lock alone. So a claim
// never mistakes a drop, or a sweep, for a running fetch.
package snapshot
