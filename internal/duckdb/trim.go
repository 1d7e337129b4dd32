package duckdb

/*
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
static void da_trim(void) { malloc_trim(0); }
#else
static void da_trim(void) {}
#endif
*/
import "C"

import "runtime/debug"

// Trim gives memory back to the system that this process, its engines included,
// has freed. It takes some milliseconds; the C library, which has an arena for
// each thread, would keep most of it for ever.
func Trim() {
	C.da_trim()
	debug.FreeOSMemory()
}
