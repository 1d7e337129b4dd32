// Package storetest proves that a store keeps its entries whole: under kills at
// each of its steps, beside other processes, on a full disk, for readers that
// hold what is replaced, and through sweeps. Each package that keeps things in
// a store runs it on its own.
package storetest

import (
	"os"
	"regexp"
	"testing"
)

// Run runs the suite.
func Run(t *testing.T, o Owner) {
	t.Helper()
	if part := os.Getenv(envPart); part != "" {
		if err := o.play(part); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Run("an entry comes, changes and goes", o.lives)
	t.Run("a kill at any step leaves old or new", o.survivesKills)
	t.Run("sweeps leave a living writer alone", o.sweepsBesideAWriter)
	t.Run("processes do not disturb each other", o.sharedByProcesses)
	t.Run("a full disk leaves the old", o.survivesAFullDisk)
	t.Run("readers keep what they hold", o.readersHold)
	if !o.ReadsLocked {
		t.Run("a replaced entry is not missed", o.replacedUnderAReader)
	}
	t.Run("nobody else can read", o.isPrivate)
}

// random are the parts of names that differ from run to run.
var random = regexp.MustCompile(`[0-9a-f]{12,}|[A-Z2-7]{12,}`)
