package cli

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	_ "github.com/agnes-data/da/internal/addressspace" // its check must run before Go's own initialisation
)

// Signals returns a context that ends when the process is asked to end. A second
// request kills the process. A file that exceeds the process's size limit is a
// write error, like a full disk, and does not kill the process.
//
// A crash, in Go or in the engine, ends the process by SIGABRT. The Go runtime
// would exit with 2, which tells a script that its call is wrong. No core is
// dumped, because it would contain rows and secrets.
func Signals() (context.Context, context.CancelFunc) {
	debug.SetTraceback("crash")
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // lowering it is always allowed
	signal.Ignore(syscall.SIGXFSZ)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
