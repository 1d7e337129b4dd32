// Package lazyregexp compiles regular expressions when they are first used. Most
// commands use few of ours, and each command would pay for all of them if they
// were compiled at its start.
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
