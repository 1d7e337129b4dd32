package analyst

import (
	"os"
	"path/filepath"

	"github.com/agnes-data/da/analyst/results"
	"github.com/agnes-data/da/snapshot"
)

// PartsDir is the folder of the store of what queries have fetched.
func (a *Analyst) PartsDir() string { return filepath.Join(a.Home, "parts") }

// PreviousDir is the folder of the store of previous generations of snapshots.
func (a *Analyst) PreviousDir() string { return filepath.Join(a.Home, "previous") }

// Results is the store of kept results.
func (a *Analyst) Results() *results.Store { return results.At(a.Home, a.Now) }

// PartsStore is the store of what queries have fetched; nil if there is none.
func (a *Analyst) PartsStore() *snapshot.Store { return storeIfAny(a.PartsDir()) }

// PreviousStore is the store of previous generations; nil if there is none.
func (a *Analyst) PreviousStore() *snapshot.Store { return storeIfAny(a.PreviousDir()) }

// storeIfAny opens a store if its folder exists; otherwise it returns nil.
func storeIfAny(dir string) *snapshot.Store {
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	store, err := snapshot.Open(dir)
	if err != nil {
		return nil // its contents are then not used
	}
	return store
}
