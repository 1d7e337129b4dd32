#define _GNU_SOURCE
#include "open.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <sys/mman.h>

// As an engine starts it allocates some 3 MB, mostly for its functions. The C
// library extends the heap of a thread page by page, with a call of the system and
// a page fault for each: a sixth of the time of 'da query "SELECT 1"' in virtual
// machines where both are expensive. So the first instance requests huge pages for
// what its thread allocates next. Where the kernel gives none, the calls are saved.
enum { HUGE_PAGE = 2 << 20, WANTED = 2 * HUGE_PAGE };

struct room {
	char *below; // fills the heap up to start, untouched
	char *start; // of WANTED bytes of huge pages; NULL: there are none
};

static struct room take(void) {
	struct room room = {0};
	// The library maps large blocks on their own, until one of that size has been
	// freed: mallopt(3), "dynamic mmap threshold".
	size_t size = WANTED + HUGE_PAGE;
	char *volatile larger = malloc(size + HUGE_PAGE); // volatile: not left out as unused
	free(larger);
	char *volatile block = malloc(size);
	if (!block) {
		return room;
	}
	uintptr_t from = (uintptr_t)block, start = (from + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	if (madvise((void *)start, WANTED, MADV_HUGEPAGE) == 0) {
		room.start = (char *)start;
	}
	free(block);
	if (start - from > 64) {
		room.below = malloc(start - from - 32); // 32: what the library adds at most
	}
	return room;
}

// give_back frees the filler and ends the request, so that the kernel does not make
// huge pages of what a server has freed.
static void give_back(struct room room) {
	free(room.below);
	if (room.start) {
		madvise(room.start, WANTED, MADV_NOHUGEPAGE);
	}
}
#endif

duckdb_state da_open(const char *path, duckdb_database *out, duckdb_config config, char **error) {
#ifdef __GLIBC__
	static int opened;
	if (!__atomic_exchange_n(&opened, 1, __ATOMIC_RELAXED)) {
		struct room room = take();
		duckdb_state state = duckdb_open_ext(path, out, config, error);
		give_back(room);
		return state;
	}
#endif
	return duckdb_open_ext(path, out, config, error);
}
