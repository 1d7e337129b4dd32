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
// Below the home folder, as internal/store describes it, with its crashes, locks
// and sweeps:
//
//	snapshots/NAME.meta.json        the sidecar: the commit record of a snapshot
//	snapshots/NAME-GENERATION.parquet   its data; the sidecar names the one that counts
//	snapshots/NAME.parquet          symbolic link to it, relative, for other tools
//	snapshots/.names/NAME           held by who fetches or refreshes NAME, with its process id
//	snapshots/.used/NAME            its modification time is when NAME was last linked
//	snapshots/.pending              an After that was due has not succeeded yet
//	snapshots/.tmp-ID.parquet       written by a fetch
//	snapshots/.partial/NAME.part    what has arrived for NAME; a fetch after a kill goes on with it
//	snapshots/.partial/NAME.json    what it is a part of; both go 20 minutes after the last byte
//	run/ID/                         a reader's hard links, or what its engine spills
//
// NAME matches api.NamePattern, GENERATION and ID are 16 hex digits that are
// never used twice.
//
// A claim tries a name's lock while it shares the store's, a drop while it has
// the store's alone. So a claim never mistakes a drop, or a sweep, for a running
// fetch.
package snapshot
