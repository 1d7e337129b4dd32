package state

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
)

// InProcess says that the caller is also the operator, as in embedded mode: a
// full disk is then theirs to fix, and waiting does not help.
func InProcess() Option { return func(s *Store) { s.inProcess = true } }

// cannotUse is the error for a state that cannot be opened: CodeDiskFull or
// CodeNotWritable if the disk is the reason, otherwise CodeConfig.
func cannotUse(dir string, err error) error {
	if e := onDisk(dir, err); e != nil {
		return e
	}
	err = sqlitedb.Said(err) // drop the wrapping, which describes a server that is already running
	hint := "Check server.state_dir in the instance file."
	switch {
	case sqlitedb.Locked(err):
		hint = "Another program has locked " + databaseFile + " there: end it. Commands of da lock it for moments only."
	case sqlitedb.Damaged(err):
		hint = "Its file " + databaseFile + " is damaged: put the last backup in its place."
	}
	return &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("cannot use the server's state in %s: %v", dir, err), Hint: hint, Err: err}
}

// unwritable recognises errors of the disk. They change nothing, and writing
// works again once the disk does. Over HTTP they are CodeUnavailable, because the
// operator has to act and the caller can retry.
func (s *Store) unwritable(err error) error {
	e := onDisk(s.dir, err)
	switch {
	case sqlitedb.Locked(err):
		return &api.Error{Code: api.CodeUnavailable, Kind: api.KindState, Err: err, Message: "another program has locked the server's state",
			Hint: "Try again later. Its operator ends the program that has " + databaseFile + " open."}
	case sqlitedb.Damaged(err):
		return &api.Error{Code: api.CodeUnavailable, Kind: api.KindState, Err: err, Message: "the server's state is damaged",
			Hint: "Its operator puts the last backup in its place."}
	case e == nil:
		return err
	case s.inProcess:
		return e
	}
	return &api.Error{Code: api.CodeUnavailable, Kind: api.KindState, Err: err, Message: "the server cannot write its state",
		Hint: "Try again later. Its operator makes room on the disk that holds the state; then the server goes on by itself."}
}

// onDisk is the error for a full or read-only disk, with the state's folder; nil
// if err has another cause.
func onDisk(dir string, err error) error {
	err = sqlitedb.WithErrno(err)
	if !atomicfile.DiskFull(err) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return nil
	}
	var e *api.Error
	if !errors.As(atomicfile.Explain("write the record of use", err), &e) {
		return nil
	}
	said := *e
	said.Kind = api.KindState
	said.Details = map[string]any{"path": dir}
	if said.Code == api.CodeNotWritable {
		said.Hint = "Check the permissions of " + dir + ", or set server.state_dir in the instance file to another folder."
	}
	return &said
}
