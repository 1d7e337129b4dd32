package duckdb

/*
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

// duckdb_je_mallctl controls the allocator of the engines; a library that has none
// leaves it out.
extern int duckdb_je_mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));

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
#ifdef __linux__
	if (duckdb_je_mallctl) {
		duckdb_je_mallctl("thread.tcache.flush", NULL, NULL, NULL, 0);
		duckdb_je_mallctl("arena.4096.purge", NULL, NULL, NULL, 0); // 4096 is all of them
	}
#endif
#ifdef __GLIBC__
	malloc_trim(0);
#endif
#ifdef __linux__
	dl_iterate_phdr(unmap, NULL);
#endif
}

#ifdef __GLIBC__
// one_arena makes all threads of a server share one arena of the C library.
// malloc_trim returns all that is free in it; of others it leaves up to 1.4 MB each.
// The engines have an allocator of their own for rows, so threads hardly wait for
// each other. It must happen before there is a second thread, and Go has some when
// main starts.
static void __attribute__((constructor)) one_arena(int argc, char **argv) {
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "serve") == 0) {
			mallopt(M_ARENA_MAX, 1);
			return;
		}
	}
}
#endif
*/
import "C"

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// Trim returns memory to the system: what this process, including its engines,
// has freed, and parts of the program that were not used lately. It takes some
// milliseconds. Without it the C library, and the allocator of the engines, would
// keep most of the memory for ever.
func Trim() {
	retire()
	debug.FreeOSMemory()
	debug.FreeOSMemory() // pools survive one collection
	C.da_trim()
}

// retire ends the threads that are idle. Go keeps them, and each keeps a stack and
// memory that was freed in it for its next allocation.
func retire() {
	n, _ := runtime.ThreadCreateProfile(nil)
	var ready, over sync.WaitGroup
	ready.Add(n)
	for range n {
		over.Go(func() {
			runtime.LockOSThread() // never unlocked, so the thread ends with this function
			ready.Done()
			ready.Wait() // for n functions to have n threads
		})
	}
	over.Wait()
}
