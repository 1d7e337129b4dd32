package duckdb

/*
#define _GNU_SOURCE
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

// unmap takes the program's code and constants out of memory. What is needed again
// comes back from the system's cache of files.
static int unmap(struct dl_phdr_info *program, size_t size, void *data) {
	uintptr_t page = sysconf(_SC_PAGESIZE);
	for (int i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &program->dlpi_phdr[i];
		if (part->p_type != PT_LOAD || part->p_flags & PF_W) {
			continue; // what can be written to may differ from the file
		}
		uintptr_t from = (program->dlpi_addr + part->p_vaddr + page - 1) & ~(page - 1);
		uintptr_t to = (program->dlpi_addr + part->p_vaddr + part->p_memsz) & ~(page - 1);
		if (from < to) {
			madvise((void *)from, to - from, MADV_DONTNEED);
		}
	}
	return 1; // the first is the program; libraries are shared with others
}
#endif

static void da_trim(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
#ifdef __linux__
	dl_iterate_phdr(unmap, NULL);
#endif
}
*/
import "C"

import "runtime/debug"

// Trim gives memory back to the system: what this process, its engines included,
// has freed, and the parts of the program that it has not used lately. It takes
// some milliseconds; the C library, which has an arena for each thread, would keep
// most of it for ever.
func Trim() {
	debug.FreeOSMemory()
	C.da_trim()
}
