package duckdb

import (
	"errors"
	"strings"
	"syscall"
)

// IsDiskFull reports whether err says that a file could not grow: no space
// left, a quota, or the limit of a file's size.
//
// This is the one place that reads an error's text. The engine reports a failed
// write as class IO, or FATAL while it saves a database file, with the system's
// reason in the message and nowhere else.
func IsDiskFull(err error) bool {
	for _, no := range diskFullErrnos {
		if errors.Is(err, no) {
			return true
		}
	}
	var e *Error
	if !errors.As(err, &e) || e.Type != "IO" && e.Type != "FATAL" {
		return false
	}
	message := strings.ToLower(e.Message)
	for _, no := range diskFullErrnos {
		// At the end only: the message also quotes the file's name.
		if strings.HasSuffix(message, ": "+no.Error()) {
			return true
		}
	}
	return false
}

// Go and the C library word these alike, but for capitals.
var diskFullErrnos = [...]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
