package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Log is a conversation that this process continues.
type Log struct {
	ID string
	// Files is the folder of the conversation's files.
	Files string
	// Records are all records of the conversation.
	Records []Record

	now  func() time.Time
	path string
	file *os.File
	size int64
	lock *store.Lock

	store   Store
	holder  string // of the conversation, for the other servers
	release func()
}

// Marks returns the secret for the marks around the data of the conversation: the
// same each time, and a new one if an older da began it.
func (l *Log) Marks() string {
	if len(l.Records) > 0 && l.Records[0].Marks != "" {
		return l.Records[0].Marks
	}
	return store.NewID()
}

// Hidden reports whether the model is not sent values of the data.
func (l *Log) Hidden() bool { return len(l.Records) > 0 && l.Records[0].Hidden }

// cutTail removes the remains of an incomplete record, and seeks to the end.
func (l *Log) cutTail() error {
	if err := l.file.Truncate(l.size); err != nil {
		return atomicfile.Explain("mend the conversation", err)
	}
	if _, err := l.file.Seek(l.size, io.SeekStart); err != nil {
		return atomicfile.Explain("mend the conversation", err)
	}
	return nil
}

// deleted reports whether the log was deleted while it is open, as with its user:
// Delete refuses to.
func (l *Log) deleted() bool {
	there, err := os.Stat(l.path)
	mine, mineErr := l.file.Stat()
	return errors.Is(err, fs.ErrNotExist) || err == nil && mineErr == nil && !os.SameFile(there, mine)
}

// Append adds a record, which is on disk when Append returns. An incomplete write
// is undone. In a conversation that was deleted it fails with CodeUsage, so that the
// turn ends whose steps it cannot keep.
func (l *Log) Append(r Record) error {
	r.At = l.now().UTC()
	return l.write(r)
}

// write is Append for a record that has its time.
func (l *Log) write(r Record) error {
	if l.deleted() {
		return unknown(l.ID)
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write a record: %w", err)
	}
	if l.size+int64(line.Len()) > maxLog {
		return tooLong(maxLog)
	}
	unlock, err := l.publish(line.Bytes())
	if err != nil {
		return err
	}
	defer unlock()
	_, err = l.file.Write(line.Bytes())
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		_ = l.cutTail() // if this fails, the next Open does it
		return atomicfile.Explain("write down the conversation", err)
	}
	l.size += int64(line.Len())
	l.Records = append(l.Records, r)
	return nil
}

// Close closes the log and unlocks the conversation. If it was deleted meanwhile,
// what a call has still written beside it goes, too.
func (l *Log) Close() {
	if l.deleted() {
		_ = os.RemoveAll(filepath.Dir(l.path)) // nobody finds what is left
	}
	_ = l.file.Close() // every record is already on disk
	l.release()
	l.lock.Unlock()
}
