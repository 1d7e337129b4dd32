package ooxml

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

// MaxOperations bounds those of one call.
const MaxOperations = 10_000

// CheckCount refuses a call without operations, or with too many.
func CheckCount(n int) error {
	if n == 0 {
		return Invalid("Give at least one.", "there are no operations")
	}
	if n > MaxOperations {
		return Invalid("Divide them into several calls.", "%d operations are more than %d", n, MaxOperations)
	}
	return nil
}

// UnknownOperation returns the error for an operation that is not one of known.
func UnknownOperation(op string, known []string) error {
	return Invalid("The operations are "+strings.Join(known, ", ")+".", "there is no operation %q", op)
}

// At adds to err which operation, counted from 0, caused it.
func At(index int, op string, err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf("operation %d (%s): %s", index+1, op, e.Message)
	c.Details = map[string]any{"operation": index + 1, "op": op}
	for k, v := range e.Details {
		c.Details[k] = v
	}
	return &c
}

// InCell adds to err which cell caused it.
func InCell(cell string, err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf("cell %s: %s", cell, e.Message)
	c.Details = map[string]any{"cell": cell}
	return &c
}
