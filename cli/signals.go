package cli

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	_ "github.com/agnes-data/da/internal/addressspace" // its check runs before Go does
)

// Signals returns a context that ends when the process is asked to end. A
// second request ends it at once. A file that grows past the process's limit
// is an error of the write, as a full disk is, and not the end of the process.
//
// A crash, be it in Go or in the engine, ends the process by SIGABRT: the runtime
// would exit with 2, which tells a script that its call is wrong. No core is
// dumped, as it would hold rows and secrets.
func Signals() (context.Context, context.CancelFunc) {
	debug.SetTraceback("crash")
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // lowering it is always allowed
	signal.Ignore(syscall.SIGXFSZ)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
