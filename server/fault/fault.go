// Package fault decides what callers and the log learn about an error. Core and
// doors share it; it knows neither of them.
package fault

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/descriptors"
	"github.com/agnes-data/da/internal/words/reason"
)

// Visible returns what a caller can see of err: an error of the vocabulary that
// servers send, or an internal error without details.
func Visible(err error) *api.Error {
	if e := descriptors.Served(err); e != nil {
		return e
	}
	var known *api.Error
	if errors.As(err, &known) && known.Code != api.CodeInternal &&
		known.Code.HTTPStatus() != api.CodeInternal.HTTPStatus() {
		return known
	}
	return &api.Error{Code: api.CodeInternal, Message: "internal error", Err: err}
}

// maxCause is the length at which a logged cause is cut, in runes.
const maxCause = 1000

// Cause returns the text to log for an internal error or a source error.
func Cause(err error) string {
	var p *Panic
	if errors.As(err, &p) {
		return api.Clip(fmt.Sprintf("panic: %v", p.Value), maxCause)
	}
	text := err.Error()
	var known *api.Error
	if errors.As(err, &known) && known.Err != nil {
		text += ": " + known.Err.Error()
	}
	return reason.Line(text, maxCause)
}

// Panic is a recovered panic as an error.
type Panic struct {
	Value any
	Stack []byte // where it started
}

// Error implements error. It does not tell the value, which may be a secret.
func (p *Panic) Error() string { return "panic" }

// Catch runs f and returns a panic as a *Panic.
func Catch(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Panic{Value: p, Stack: debug.Stack()}
		}
	}()
	return f()
}
