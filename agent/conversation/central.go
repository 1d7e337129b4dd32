package conversation

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Central is where several servers keep the conversations of one user. Each has a folder with
// copies of the logs.
type Central interface {
	// Sizes returns the ids of all conversations and the bytes of their logs.
	Sizes() (map[string]int64, error)
	// Log calls f with each part of a log that ends behind a number of bytes, and with where
	// it begins.
	Log(id string, from int64, f func(at int64, part []byte) error) error
	// Hold lets one holder add to a conversation until release is called, or its server is
	// killed. With create it makes a new one. CodeSnapshotBusy: somebody else holds it.
	Hold(id, holder string, create bool) (release func(), err error)
	// Append adds to a log that has so many bytes. It reports false if the holder does not
	// hold the conversation any more.
	Append(id, holder string, size int64, part []byte) (bool, error)
	// Delete removes a conversation with what it has shown.
	Delete(id string) error
	// PutShown keeps what a tool result has shown, MaxShown of each conversation, and Shown
	// returns it; fs.ErrNotExist.
	PutShown(id, name string, data []byte) error
	Shown(id, name string) ([]byte, error)
}

// sharedMark is a file in the folder of a conversation that the other servers know, or did
// before it was deleted.
const sharedMark = "shared"

func (s Store) marked(id string) bool {
	_, err := os.Stat(filepath.Join(s.folder(id), sharedMark))
	return err == nil
}

func (s Store) mark(id string) error {
	if s.marked(id) {
		return nil
	}
	if err := os.MkdirAll(s.Folder(id), 0o700); err != nil {
		return atomicfile.Explain("make a folder for the conversation", err)
	}
	return atomicfile.Explain("make a folder for the conversation", os.WriteFile(filepath.Join(s.folder(id), sharedMark), nil, 0o600))
}

// sync brings the log of a conversation up to date, or all logs of the user if the id is
// empty.
func (s Store) sync(only string) error {
	if s.Central == nil {
		return nil
	}
	// What is here is listed first, so that a conversation that begins meanwhile does not look
	// as if it was deleted at another server.
	here := map[string]bool{} // whether the other servers knew it
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return atomicfile.Explain("list the conversations", err)
	}
	for _, e := range entries {
		if id := e.Name(); store.IsID(id) {
			here[id] = s.marked(id)
		}
	}
	sizes, err := s.Central.Sizes()
	if err != nil {
		return err
	}
	for id, size := range sizes {
		known, is := here[id]
		switch {
		case only != "" && id != only:
		case is && !known && size == 0: // sharing this conversation began and did not end
			err = errors.Join(err, s.takeOver(id))
		default:
			err = errors.Join(err, s.pull(id, size))
		}
	}
	for id, known := range here {
		_, there := sizes[id]
		switch {
		case there || only != "" && id != only:
		case known: // deleted at another server
			err = errors.Join(err, os.RemoveAll(s.folder(id)))
		default:
			err = errors.Join(err, s.takeOver(id))
		}
	}
	return err
}

// pull copies what is missing here of a log. Nobody else writes the copy meanwhile.
func (s Store) pull(id string, size int64) error {
	if err := s.mark(id); err != nil {
		return err
	}
	if info, err := os.Stat(s.log(id)); err == nil && info.Size() == size {
		return nil
	}
	unlock, err := s.lockCopy(id)
	if err != nil {
		return err
	}
	defer unlock()
	file, err := os.OpenFile(s.log(id), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return atomicfile.Explain("copy the conversation", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return atomicfile.Explain("copy the conversation", err)
	}
	if info.Size() > size { // the state may have been restored from an older backup
		sizes, err := s.Central.Sizes()
		if err == nil {
			err = file.Truncate(min(info.Size(), sizes[id]))
		}
		return atomicfile.Explain("copy the conversation", err)
	}
	return s.Central.Log(id, info.Size(), func(at int64, part []byte) error {
		_, err := file.WriteAt(part, at)
		return atomicfile.Explain("copy the conversation", err)
	})
}

// lockCopy keeps others of this server from writing to the copy of a log.
func (s Store) lockCopy(id string) (unlock func(), err error) {
	lock, err := store.WaitLock(context.Background(), filepath.Join(s.folder(id), "copy.lock"), store.Alone)
	if err != nil {
		return nil, atomicfile.Explain("lock the copy of the conversation", err)
	}
	return lock.Unlock, nil
}

// takeOver shares a conversation that was begun before the server shared any. One that is
// in use is left for later.
func (s Store) takeOver(id string) error {
	text, err := os.ReadFile(s.log(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the folder has no log
	}
	if err != nil {
		return atomicfile.Explain("share the conversation", err)
	}
	lock, err := store.TryLock(filepath.Join(s.folder(id), "lock"))
	if err != nil {
		return nil
	}
	defer lock.Unlock()
	holder := store.NewID()
	release, err := s.Central.Hold(id, holder, true) // before anything is uploaded: it fails if the user was deleted
	if err != nil {
		return err
	}
	defer release()
	shown, _ := filepath.Glob(filepath.Join(s.folder(id), shownFolder, "tr-*")) // the pattern is sound
	for _, file := range shown {
		data, err := os.ReadFile(file)
		if err == nil {
			err = s.Central.PutShown(id, filepath.Base(file), data)
		}
		if err != nil {
			return err
		}
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if done, err := s.Central.Append(id, holder, 0, whole); err != nil || !done {
		return err
	}
	return s.mark(id)
}

// publish adds a line to the log of all servers, before it is written here.
func (l *Log) publish(line []byte) (unlock func(), err error) {
	if l.store.Central == nil {
		return func() {}, nil
	}
	unlock, err = l.store.lockCopy(l.ID)
	if err != nil {
		return nil, err
	}
	done, err := l.store.Central.Append(l.ID, l.holder, l.size, line)
	if err == nil && !done {
		err = &api.Error{Code: api.CodeSnapshotBusy, Kind: api.KindConversationBusy,
			Message: "the conversation " + l.ID + " goes on at another server", Hint: "Read it again: it has what was said there."}
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// readShown reads what a tool result has shown, here or from where all servers find it.
func (s Store) readShown(id, name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(s.folder(id), shownFolder, name))
	if errors.Is(err, fs.ErrNotExist) && s.Central != nil {
		return s.Central.Shown(id, name)
	}
	return data, err
}
