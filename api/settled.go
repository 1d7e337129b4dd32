package api

import (
	"context"
	"errors"
)

// Settled classifies err without knowledge of the engine: nil, an *Error, or, if ctx
// is done, a timeout or an interrupt. ctx is asked first, since stopped work reports
// all kinds of errors. ok is false for any other error. who names what took too long,
// as in "the database".
func Settled(ctx context.Context, err error, who string) (settled error, ok bool) {
	var known *Error
	if err == nil || errors.As(err, &known) {
		return err, true
	}
	switch cause := ctx.Err(); {
	case errors.Is(cause, context.DeadlineExceeded):
		return TookTooLong(who, errors.Join(cause, err)), true
	case cause != nil:
		return &Error{Code: CodeInterrupted, Message: "interrupted", Err: errors.Join(cause, err)}, true
	}
	return nil, false
}

// TookTooLong returns the error for a timeout of who, such as "the database".
func TookTooLong(who string, err error) *Error {
	return &Error{Code: CodeTimeout, Message: who + " took too long", Hint: "Ask for fewer rows or columns.", Err: err}
}

// OutOfMemory returns the error for a request that ran out of memory. It is not
// retryable: the same request would fail again.
func OutOfMemory(err error) *Error {
	return &Error{Code: CodeBudget, Kind: KindMemory, Err: err,
		Message: "the request needs more memory than it may have",
		Hint:    "Read fewer rows and columns, or build shorter texts and lists."}
}
