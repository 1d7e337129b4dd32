package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestExplainDecidesByErrno(t *testing.T) {
	at := func(no error) error { return &fs.PathError{Op: "write", Path: "x/y", Err: no} }
	cases := []struct {
		err  error
		code api.Code
	}{
		{at(syscall.ENOSPC), api.CodeDiskFull},
		{at(syscall.EDQUOT), api.CodeDiskFull},
		{at(syscall.EFBIG), api.CodeDiskFull},
		{fmt.Errorf("flush: %w", at(syscall.ENOSPC)), api.CodeDiskFull},
		{&os.LinkError{Op: "rename", Old: "a", New: "x/y", Err: syscall.EDQUOT}, api.CodeDiskFull},
		{at(syscall.EACCES), api.CodeNotWritable},
		{at(syscall.EPERM), api.CodeNotWritable},
		{at(syscall.EROFS), api.CodeNotWritable},
		{at(syscall.ENOTDIR), api.CodeNotWritable},
		{fs.ErrPermission, api.CodeNotWritable},
		{at(syscall.EIO), api.CodeUnexpected},
		{errors.New("no space left on device"), api.CodeUnexpected}, // a text proves nothing
		{context.Canceled, api.CodeInterrupted},
		{context.DeadlineExceeded, api.CodeTimeout},
	}
	for _, c := range cases {
		got := Explain("write it", c.err)
		if !c.code.Is(got) {
			t.Errorf("%v: %#v, want code %s", c.err, got, c.code)
		}
		if !errors.Is(got, c.err) {
			t.Errorf("%v: the cause is lost", c.err)
		}
		if !strings.Contains(got.Error(), "write it") {
			t.Errorf("%v: message %q does not say what failed", c.err, got)
		}
		if api.CodeDiskFull.Is(got) != DiskFull(c.err) || api.CodeNotWritable.Is(got) != NotWritable(c.err) {
			t.Errorf("%v: Explain disagrees with DiskFull or NotWritable", c.err)
		}
	}
}

func TestExplainKeepsWhatIsKnown(t *testing.T) {
	if err := Explain("x", nil); err != nil {
		t.Errorf("nil became %v", err)
	}
	known := fmt.Errorf("outer: %w", &api.Error{Code: api.CodeQuota, Message: "m", Err: syscall.ENOSPC})
	if err := Explain("x", known); err.Error() != known.Error() || !api.CodeQuota.Is(err) {
		t.Errorf("a known error became %v", err)
	}
}

func TestExplainNamesThePath(t *testing.T) {
	var e *api.Error
	errors.As(Explain("write it", &fs.PathError{Op: "open", Path: "x/y", Err: syscall.EROFS}), &e)
	if e.Details["path"] != "x/y" || !strings.Contains(e.Message, "x/y") || e.Hint == "" {
		t.Errorf("%+v: want the path and a hint", e)
	}
}
