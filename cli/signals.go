package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Signals returns a context that ends when the process is asked to end. A
// second request ends it at once. A file that grows past the process's limit
// is an error of the write, as a full disk is, and not the end of the process.
func Signals() (context.Context, context.CancelFunc) {
	signal.Ignore(syscall.SIGXFSZ)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
