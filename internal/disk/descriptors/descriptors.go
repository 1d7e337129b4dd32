// Package descriptors recognises errors because a process cannot open more files
// or connections, and words them in one way. Neither the call nor its subject is
// to blame for them, so the two places where errors leave the program check for
// them first.
package descriptors

import (
	"errors"
	"syscall"

	"github.com/agnes-data/da/api"
)

// Exhausted reports whether err means that the process or the machine has no
// descriptors left.
func Exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// Here describes err on the machine where it occurred; nil if it has
// another reason.
func Here(err error) *api.Error {
	return explain(err, "this process has as many files and connections open as it may have",
		"Allow it more, as with 'ulimit -n 1024' in the shell that starts it, or try again when other programs have ended.")
}

// Served is err in a server's words for its clients; nil if it has another reason.
func Served(err error) *api.Error {
	return explain(err, "the server has as many files and connections open as it may have", "Try again later. "+api.InServerLog)
}

func explain(err error, message, hint string) *api.Error {
	if !Exhausted(err) {
		return nil
	}
	return &api.Error{Code: api.CodeUnavailable, Kind: api.KindDescriptors, Message: message, Hint: hint, Err: err,
		Details: map[string]any{"retry_after_seconds": 1}}
}
