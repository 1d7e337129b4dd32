// Package snapshot is the local store: parts of tables that were fetched once and
// are queried many times, as parquet files with a sidecar each. It claims names,
// hands out temporary files, installs them, links them for readers, lists, drops
// and prunes, and removes what a killed process left behind.
//
// It reads only the first and last bytes of a parquet file, knows no engine and
// no network, and deletes only its own files. No reader waits for a fetch, and no
// fetch fails because of a reader.
//
// # On disk
//
// These files are below the home folder. internal/disk/store describes crashes, locks
// and sweeps:
//
//	snapshots/NAME.meta.json        the sidecar: the commit record of a snapshot
//	snapshots/NAME-GENERATION.parquet   its data; the sidecar names the current generation
//	snapshots/NAME.parquet          symbolic link to it, relative, for other tools
//	snapshots/.names/NAME           locked by the process that fetches or refreshes NAME; has its process id
//	snapshots/.used/NAME            its modification time is when NAME was last linked
//	snapshots/.profiles/NAME.json   what its rows are like, of one content_hash
//	snapshots/.checks/NAME.yaml     what a refresh expects of its rows; people may edit it
//	snapshots/.pending              an After is due that has not succeeded yet
//	snapshots/.tmp-ID.parquet       written by a fetch
//	snapshots/.partial/NAME.part    what has arrived for NAME; the next fetch resumes from it
//	snapshots/.partial/NAME.json    the request it belongs to; both are removed 20 minutes after the last byte
//	run/ID/                         a reader's hard links, or the spill files of its engine
//
// NAME matches api.NamePattern. GENERATION and ID are 16 hex digits that are
// never reused.
//
// A claim tries a name's lock while it shares the store's lock; a drop does so
// while it has the store's lock alone. So a claim never mistakes a drop or a
// sweep for a running fetch.
package snapshot
