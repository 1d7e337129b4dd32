package conversation

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// MaxShown is the maximum size of the stored tables and charts of one
// conversation, in bytes. The oldest are removed first.
const MaxShown = 64 << 20

// shownFolder is the name of their folder in the folder of the conversation.
const shownFolder = "shown"

// Shown returns the table or chart that a tool result showed to the user, as
// JSON. It fails with CodeUsage if it does not exist, or has been removed.
func (s Store) Shown(id, message string) ([]byte, error) {
	gone := &api.Error{Code: api.CodeUsage, Kind: api.KindNotKept, Message: "this table or chart is not kept", Hint: "Ask for it again."}
	if !store.IsID(id) || !isResult(message) {
		return nil, gone
	}
	data, err := s.readShown(id, message+".json")
	if err != nil {
		return nil, gone
	}
	return data, nil
}

// isResult reports whether a text is the message id of a tool result.
func isResult(message string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(message, "tr-"))
	return err == nil && message == "tr-"+strconv.Itoa(n)
}

// Show stores what a tool result shows to the user. It removes the oldest items
// if the conversation has too many.
func (l *Log) Show(message string, data []byte) error { return l.keep(message+".json", data) }

// KeepPicture stores the PNG of a tool result among what was shown, and Picture
// returns it; nil if it was removed.
func (l *Log) KeepPicture(message string, png []byte) error { return l.keep(message+".png", png) }

// Picture is described at KeepPicture.
func (l *Log) Picture(message string) []byte {
	if !isResult(message) {
		return nil
	}
	png, err := l.store.readShown(l.ID, message+".png")
	if err != nil {
		return nil
	}
	return png
}

func (l *Log) keep(name string, data []byte) error {
	dir := filepath.Join(filepath.Dir(l.Files), shownFolder)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) { // nothing above it: the user may have been deleted
		return atomicfile.Explain("make a folder for tables and charts", err)
	}
	if err := makeRoom(dir, MaxShown-int64(len(data))); err != nil {
		return err
	}
	if err := atomicfile.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		return atomicfile.Explain("keep a table or chart", err)
	}
	if l.store.Central != nil {
		return l.store.Central.PutShown(l.ID, name, data)
	}
	return nil
}

// makeRoom removes the oldest files of a folder until they have at most so many
// bytes.
func makeRoom(dir string, most int64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return atomicfile.Explain("list tables and charts", err)
	}
	var files []fs.FileInfo
	var sum int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			files, sum = append(files, info), sum+info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if sum <= most {
			break
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
			return atomicfile.Explain("drop an old table or chart", err)
		}
		sum -= f.Size()
	}
	return nil
}
