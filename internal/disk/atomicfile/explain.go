package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/agnes-data/da/api"
)

// The system's errors for a full disk, and for missing permissions. Only the
// numbers decide, never the text.
var (
	full    = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	refused = []error{
		syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP,
		syscall.ENAMETOOLONG, fs.ErrPermission,
	}
)

// DiskFull reports whether err means that there is no space left.
func DiskFull(err error) bool { return isAny(err, full) }

// NotWritable reports whether err is the system's refusal to write there.
func NotWritable(err error) bool { return isAny(err, refused) }

func isAny(err error, kinds []error) bool {
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

// Explain turns a write error into an *api.Error. doing says what failed, such as
// "install snapshot 'cz_recent'". It returns an *api.Error, and nil, unchanged.
func Explain(doing string, err error) error {
	var known *api.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	e := &api.Error{Code: api.CodeUnexpected, Message: "cannot " + doing + ": " + err.Error(), Err: err}
	var reason string
	switch {
	case DiskFull(err):
		e.Code, reason = api.CodeDiskFull, "no space left"
		e.Hint = "Free some space and try again."
		e.Next = []api.Step{api.Do(api.ActionDiskUsage, "see what da itself takes")}
		if errors.Is(err, syscall.EFBIG) {
			reason = "the system allows no file of this size"
			e.Hint, e.Next = "Raise the limit on file sizes ('ulimit -f') or write less.", nil
		}
	case NotWritable(err):
		e.Code, reason = api.CodeNotWritable, "not writable"
		e.Hint = "Check the permissions of the folder, or choose another one (DA_HOME)."
	case errors.Is(err, context.Canceled):
		e.Code, e.Message = api.CodeInterrupted, "interrupted: "+doing
		return e
	case errors.Is(err, context.DeadlineExceeded):
		e.Code, e.Message = api.CodeTimeout, "timed out: "+doing
		return e
	default:
		return e
	}
	e.Message = "cannot " + doing + ": " + reason
	if path := pathOf(err); path != "" {
		e.Message += " (" + path + ")"
		e.Details = map[string]any{"path": path}
	}
	return e
}

// pathOf returns the path that the system's error is about, if it names one.
func pathOf(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Path
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.New
	}
	return ""
}
