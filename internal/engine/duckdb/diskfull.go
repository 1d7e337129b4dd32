package duckdb

import (
	"errors"
	"strings"
	"syscall"
)

// IsDiskFull reports whether err means that a file could not grow: no space left,
// a quota, or the file size limit.
//
// Only this function examines an error's text. The engine reports a failed write
// as class IO, or as FATAL while it saves a database file, and the system's
// reason is only in the message.
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

// Go and the C library use the same words for these errors, apart from capitals.
var diskFullErrnos = [...]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
