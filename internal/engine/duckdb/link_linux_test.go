package duckdb

import (
	"debug/elf"
	"slices"
	"testing"
)

// TestTheLoaderHasLittleToDo looks into this test's own program, which is linked
// as da is. The loader looks up a few hundred functions of the C library; with a
// shared C++ library, or exported symbols, it is thousands at each start.
func TestTheLoaderHasLittleToDo(t *testing.T) {
	program, err := elf.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	libs, err := program.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, lib := range []string{"libstdc++.so.6", "libgcc_s.so.1"} {
		if slices.Contains(libs, lib) {
			t.Errorf("it needs %s", lib)
		}
	}
	symbols, err := program.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	if len(symbols) > 1000 {
		t.Errorf("it has %d dynamic symbols", len(symbols))
	}
}
