package server

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/descriptors"
	"github.com/agnes-data/da/internal/reason"
)

// visible returns what a caller may see of err: an error of the vocabulary that
// servers send, or an internal error that tells nothing.
func visible(err error) *api.Error {
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

// maxCause bounds what is logged of a cause, in runes.
const maxCause = 1000

// cause returns what the log tells about a fault of ours or of a source.
func cause(err error) string {
	var p *panicked
	if errors.As(err, &p) {
		return api.Clip(fmt.Sprintf("panic: %v", p.value), maxCause)
	}
	text := err.Error()
	var known *api.Error
	if errors.As(err, &known) && known.Err != nil {
		text += ": " + known.Err.Error()
	}
	return reason.Line(text, maxCause)
}

// panicked is a panic that was caught, as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return "panic" }

// catch runs f and returns a panic of it as an error.
func catch(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{value: p, stack: debug.Stack()}
		}
	}()
	return f()
}
