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

// unmap drops the program's code and constants from memory. What is needed again
// is reloaded from the system's page cache.
static int unmap(struct dl_phdr_info *program, size_t size, void *data) {
	uintptr_t page = sysconf(_SC_PAGESIZE);
	for (int i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &program->dlpi_phdr[i];
		if (part->p_type != PT_LOAD || part->p_flags & PF_W) {
			continue; // writable parts may differ from the file
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

// Trim returns memory to the system: what this process, including its engines,
// has freed, and parts of the program that were not used lately. It takes some
// milliseconds. Without it the C library, which has an arena per thread, would
// keep most of the memory for ever.
func Trim() {
	debug.FreeOSMemory()
	C.da_trim()
}
