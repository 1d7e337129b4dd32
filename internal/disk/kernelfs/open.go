package kernelfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a file that a user has named, if it holds data: a regular file, or the
// pipe that a shell makes of <(…), whose other end is a program. A pipe or a socket with
// a name, and a device, may never end or wait for ever; they are refused, and so are
// folders and the kernel's files.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path) // some devices do something when they are opened
	if err == nil {
		err = holdsData(info, path)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|NoWait, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = holdsData(info, path)
	}
	if err == nil && info.Mode().IsRegular() {
		err = Check(f)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile reads a file that a user has named, as Open does, of at most that many bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("it is larger than %d bytes", most)
	}
	return data, err
}

// Why a file holds no data.
var (
	ErrFolder  = errors.New("it is a folder")
	errSpecial = errors.New("it is a pipe, a socket or a device, not a file; write what comes from it into a file first")
)

func holdsData(info fs.FileInfo, path string) error {
	switch {
	case info.IsDir():
		return ErrFolder
	case info.Mode().IsRegular(), info.Mode().Type() == fs.ModeNamedPipe && isNameless(path):
		return nil
	}
	return errSpecial
}
