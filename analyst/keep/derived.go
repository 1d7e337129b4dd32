package keep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/snapshot"
)

// derivedStorage is the storage version of the derived database: DuckDB 1.0 and
// later can open it.
const derivedStorage = "v1.0.0"

// DerivedFile is a database for other tools: one view for each snapshot, and one
// for each synced table unless a snapshot has its name. It can always be rebuilt,
// and da itself never reads it.
func DerivedFile(a *analyst.Analyst) string {
	return filepath.Join(filepath.Dir(a.Store.Dir()), "duckdb", "analytics.duckdb")
}

// Rebuild returns what writes a new derived database beside the old one and renames
// it over. A process that has the old one open keeps it, and nobody waits for a
// lock. The store calls it under its own lock.
func Rebuild(a *analyst.Analyst) snapshot.After {
	return func(live []snapshot.Meta) error {
		db, err := duckdb.Open(duckdb.Options{Threads: 1})
		if err != nil {
			return err
		}
		defer db.Close()
		conn, err := db.Conn()
		if err != nil {
			return err
		}
		defer conn.Close()
		return rebuildBy(a, conn, live)
	}
}

// RebuildWith is rebuild by the engine of a task.
func RebuildWith(a *analyst.Analyst, engine *analyst.LazyEngine) snapshot.After {
	return func(live []snapshot.Meta) error {
		eng, err := engine.Get()
		if err != nil {
			return err
		}
		return rebuildBy(a, eng.Conn, live)
	}
}

// rebuildBy is rebuild by an engine that is open already.
func rebuildBy(a *analyst.Analyst, conn *duckdb.Conn, live []snapshot.Meta) error {
	target := DerivedFile(a)
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	temp := target + ".new" // only one process builds at a time: the store is locked
	if err := removeDatabase(temp); err != nil {
		return err
	}
	if err := buildDerived(a, conn, temp, live); err != nil {
		_ = removeDatabase(temp)
		return err
	}
	// The engine creates files with the permissions that the umask allows.
	if err := os.Chmod(temp, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, target)
}

// CatchUp updates the derived database if an earlier process failed or was killed
// before it did so.
func CatchUp(a *analyst.Analyst) error { return a.Store.CatchUp(Rebuild(a)) }

// buildDerived writes the database. Its views read a snapshot's symbolic link, so
// they stay valid after a refresh.
func buildDerived(a *analyst.Analyst, conn *duckdb.Conn, file string, live []snapshot.Meta) error {
	// Do not interrupt the build: it is short, and others wait for the lock.
	ctx := context.Background()
	attach := fmt.Sprintf("ATTACH %s AS derived (STORAGE_VERSION %s)", duckdb.Literal(file), duckdb.Literal(derivedStorage))
	if err := conn.Exec(ctx, attach); err != nil {
		return err
	}
	return errors.Join(addViews(ctx, a, conn, file, live), conn.Exec(ctx, "DETACH derived"))
}

// addViews fills the attached database, in one transaction: each commit would wait
// for the disk.
func addViews(ctx context.Context, a *analyst.Analyst, conn *duckdb.Conn, file string, live []snapshot.Meta) error {
	if err := os.Chmod(file, 0o600); err != nil { // the engine leaves the permissions to the umask
		return err
	}
	if err := conn.Exec(ctx, "BEGIN"); err != nil {
		return err
	}
	for name, link := range links(a, live) {
		view := fmt.Sprintf("CREATE VIEW derived.%s AS SELECT * FROM read_parquet(%s)", duckdb.Quote(name), duckdb.PathLiteral(link))
		if err := conn.Exec(ctx, view); err != nil {
			return errors.Join(fmt.Errorf("view of %s: %w", name, err), conn.Exec(ctx, "ROLLBACK"))
		}
	}
	return conn.Exec(ctx, "COMMIT")
}

// links returns the files behind the views, by view name.
func links(a *analyst.Analyst, live []snapshot.Meta) map[string]string {
	links := map[string]string{}
	tables := synced.At(a.Home)
	for _, t := range tables.List() {
		links[t.TableID] = filepath.Join(tables.Dir(), t.TableID+".parquet")
	}
	for _, m := range live { // snapshots hide tables of the same name
		links[m.Name] = filepath.Join(a.Store.Dir(), m.Name+".parquet")
	}
	return links
}

func removeDatabase(file string) error {
	for _, f := range []string{file, file + ".wal"} {
		if err := os.Remove(f); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// Drop removes a snapshot and its previous generation.
func Drop(a *analyst.Analyst, name string) (warnings []string, err error) {
	if warnings, err = a.Store.Drop(name, Rebuild(a)); err == nil {
		DropPrevious(a, name)
	}
	return warnings, err
}

// Prune removes the snapshots that the policy selects. With Auto, it removes
// previous generations first.
func Prune(a *analyst.Analyst, policy snapshot.PrunePolicy, dryRun bool) (*snapshot.PruneResult, error) {
	var earlier []snapshot.Pruned
	if policy.Auto {
		used, err := a.Store.DiskUsage()
		if err != nil {
			return nil, err
		}
		if earlier, err = prunePrevious(a, max(0, policy.Quota-used.UsedBytes), dryRun); err != nil {
			return nil, err
		}
	}
	result, err := a.Store.Prune(policy, dryRun, Rebuild(a))
	if err != nil {
		return nil, err
	}
	for _, p := range earlier {
		result.FreedBytes += p.Bytes
	}
	if !dryRun {
		for _, p := range result.Removed {
			DropPrevious(a, p.Name)
		}
	}
	result.Removed = slices.Insert(result.Removed, 0, earlier...)
	return result, nil
}
