// Package lazyregexp compiles regular expressions at their first use. Most
// commands use only a few of them, and compiling all of them at the start would
// slow down every command.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles expr at its first call. It panics there
// if expr has a fault.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
