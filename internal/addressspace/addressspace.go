// Package addressspace looks, before Go's runtime starts, at what the process was
// given. It ends a program with exit code 3 if 'ulimit -v' leaves it less address
// space than it reserves; Go's runtime would end it later with code 2. It also
// remembers whether standard output was closed, since the runtime opens /dev/null
// in its place.
package addressspace

/*
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

// least is what the runtime and the libraries reserve, which is more than they
// use.
static const rlim_t least = 2UL << 30;

static int stdout_closed;

__attribute__((constructor)) static void check(void) {
	static const char message[] =
		"Error: the limit on address space is too low for da (ulimit -v).\n"
		"       Allow it 4 GB or more, as with 'ulimit -v 4194304'; da bounds the memory of queries itself.\n";
	stdout_closed = fcntl(1, F_GETFD) == -1;
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < least) {
		(void)!write(2, message, sizeof message - 1);
		_exit(3);
	}
}

static int was_stdout_closed(void) { return stdout_closed; }
*/
import "C"

// ClosedStdout reports whether the process was started without standard output.
func ClosedStdout() bool { return C.was_stdout_closed() != 0 }
