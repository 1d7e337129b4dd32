package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Duplicate makes the data of a regular file available at a second path, which
// must not exist: as a hard link, or as a copy with permissions 0600 if hard
// links do not work. The data must not be modified afterwards. Errors are those
// of the system.
func Duplicate(ctx context.Context, from, to string) error {
	if err := os.Link(from, to); err == nil || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrExist) {
		return err
	}
	return Copy(ctx, from, to)
}

// Copy copies a regular file to a new one of 0600, until ctx ends. It follows no
// link. Errors are those of the system.
func Copy(ctx context.Context, from, to string) (err error) {
	in, err := os.OpenFile(from, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s is not a regular file", from))
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for {
		// In pieces, so that a copy of gigabytes can be ended.
		n, err := io.CopyN(out, in, 64<<20)
		switch {
		case n == 0 && errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}
