package duckdb

import (
	"fmt"
	"os"
)

// spareDescriptors is how many files a process must still be able to open when an
// instance starts. The engine aborts the process if it has none left.
const spareDescriptors = 8

// checkDescriptors fails if the process has too few descriptors left.
func checkDescriptors() error {
	for range spareDescriptors {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return fmt.Errorf("duckdb: no room to start the engine: %w", err)
		}
		defer f.Close()
	}
	return nil
}
