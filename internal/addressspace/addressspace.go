// Package addressspace ends a program at start-up, with exit code 3, if 'ulimit
// -v' leaves it less address space than it reserves. Without this check, Go's
// runtime would end it later with code 2, where our code cannot intervene.
package addressspace

/*
#include <sys/resource.h>
#include <unistd.h>

// least is what the runtime and the libraries reserve, which is more than they
// use.
static const rlim_t least = 2UL << 30;

__attribute__((constructor)) static void check(void) {
	static const char message[] =
		"Error: the limit on address space is too low for da (ulimit -v).\n"
		"       Allow it 4 GB or more, as with 'ulimit -v 4194304'; da bounds the memory of queries itself.\n";
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < least) {
		(void)!write(2, message, sizeof message - 1);
		_exit(3);
	}
}
*/
import "C"
