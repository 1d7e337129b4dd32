package conversation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/words/humanize"
)

// Store is the folder of one user's conversations.
type Store struct {
	Dir string
	Now func() time.Time
}

// Info describes a conversation.
type Info struct {
	ID       string    `json:"id"`
	Begun    time.Time `json:"begun"`
	Last     time.Time `json:"last" jsonschema:"when something was last said"`
	Question string    `json:"question" jsonschema:"the first question, cut at 200 characters"`
	Title    string    `json:"title,omitempty" jsonschema:"what the user calls it"`
	Turns    int       `json:"turns"`
	Calls    int       `json:"tool_calls"`
	Tokens   int64     `json:"tokens"`
	Bytes    int64     `json:"bytes" jsonschema:"size of its log"`
	Open     bool      `json:"open" jsonschema:"its last turn did not come to its end"`
	Shared   bool      `json:"shared,omitempty" jsonschema:"others may look at it"`
	From     *Origin   `json:"from,omitempty" jsonschema:"the conversation whose first turns it begins with"`
}

// maxRecord bounds one line of a log, and maxLog all of them, in bytes.
const (
	maxRecord = 64 << 20
	maxLog    = 16 * maxRecord
)

func (s Store) folder(id string) string { return filepath.Join(s.Dir, id) }

// Folder returns the folder of the files of a conversation.
func (s Store) Folder(id string) string { return filepath.Join(s.Dir, id, "files") }

func (s Store) log(id string) string { return filepath.Join(s.Dir, id, "log.jsonl") }

// unknown is the error for an id that no conversation has.
func unknown(id string) error {
	return &api.Error{Code: api.CodeUsage, Kind: api.KindUnknownConversation,
		Message: fmt.Sprintf("there is no conversation '%s'", api.Clip(id, 60))}
}

// Create creates a conversation. The caller must close its log.
func (s Store) Create(first Record) (*Log, error) {
	first.Marks = store.NewID()
	return s.begin(first)
}

// begin creates a conversation whose first record has its marks.
func (s Store) begin(first Record) (*Log, error) {
	id := store.NewID()
	if err := os.MkdirAll(s.Folder(id), 0o700); err != nil {
		return nil, atomicfile.Explain("make a folder for the conversation", err)
	}
	l, err := s.open(id)
	if err != nil {
		return nil, err
	}
	first.Type, first.Format, first.ID = Begin, Format, id
	if err := l.Append(first); err != nil {
		l.Close()
		return nil, err
	}
	return l, errors.Join(atomicfile.SyncDir(s.folder(id)), atomicfile.SyncDir(s.Dir))
}

// Open opens a conversation to continue it. It fails with CodeUsage if the
// conversation does not exist, and with CodeSnapshotBusy if another process has
// it open. The caller must close the log.
func (s Store) Open(id string) (*Log, error) {
	if !store.IsID(id) {
		return nil, unknown(id)
	}
	if _, err := os.Stat(s.log(id)); err != nil {
		return nil, unknown(id)
	}
	return s.open(id)
}

func (s Store) open(id string) (*Log, error) {
	lock, err := store.TryLock(filepath.Join(s.folder(id), "lock"))
	if errors.Is(err, store.ErrBusy) {
		return nil, &api.Error{Code: api.CodeSnapshotBusy, Kind: api.KindConversationBusy,
			Message: "another process has the conversation " + id + " open", Hint: "Wait until it has ended, or begin a new conversation."}
	}
	if err != nil {
		return nil, atomicfile.Explain("lock the conversation", err)
	}
	file, err := os.OpenFile(s.log(id), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		lock.Unlock()
		return nil, atomicfile.Explain("open the conversation", err)
	}
	l := &Log{ID: id, Files: s.Folder(id), now: s.Now, file: file, lock: lock, path: s.log(id)}
	if l.Records, l.size, err = read(file, maxLog); err == nil {
		err = l.cutTail()
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Read returns the records of a conversation, even while another process
// continues it.
func (s Store) Read(id string) ([]Record, error) {
	if !store.IsID(id) {
		return nil, unknown(id)
	}
	file, err := os.Open(s.log(id))
	if err != nil {
		return nil, unknown(id)
	}
	defer file.Close()
	records, _, err := read(file, maxLog)
	return records, err
}

// read returns all complete records and their size in bytes. A log of more than
// most bytes is an error: otherwise its end would be mistaken for the remains of
// a crash, and lost.
func read(file io.Reader, most int64) ([]Record, int64, error) {
	in := bufio.NewReaderSize(io.LimitReader(file, most+1), 1<<16)
	var records []Record
	var size int64
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil || len(line) > maxRecord {
			if size+int64(len(line)) > most {
				return nil, 0, tooLong(most)
			}
			if errors.Is(err, io.EOF) {
				return records, size, nil
			}
			return nil, 0, &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("cannot read line %d of the conversation", n), Err: err}
		}
		var r Record
		err = json.Unmarshal(line, &r)
		if err == nil {
			err = r.check()
		}
		if err != nil {
			return nil, 0, &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("line %d of the conversation is not a record: %v", n, err),
				Err: err, Hint: "It was changed by another program. Begin a new conversation."}
		}
		if n == 1 && r.Format > Format {
			return nil, 0, &api.Error{Code: api.CodeReadFailed,
				Message: fmt.Sprintf("the conversation has format %d, and this da knows %d", r.Format, Format), Hint: "Use the newer da that made it."}
		}
		records, size = append(records, r), size+int64(len(line))
	}
}

func tooLong(most int64) error {
	return &api.Error{Code: api.CodeTooLarge, Kind: api.KindConversation,
		Message: fmt.Sprintf("the conversation is longer than %s", humanize.Bytes(most)), Hint: "Begin a new conversation."}
}

// Latest returns the id of the conversation with the most recent message.
func (s Store) Latest() (string, error) {
	all, err := s.List()
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", &api.Error{Code: api.CodeUsage, Kind: api.KindUnknownConversation, Message: "there is no conversation to continue"}
	}
	return all[0].ID, nil
}

// Describe sums up the records of a conversation.
func Describe(records []Record) Info {
	var i Info
	for _, r := range records {
		if r.Type == Title { // naming a conversation is not a message in it
			i.Title = r.Text
			continue
		}
		if r.Type == Sharing {
			i.Shared = r.Shared != nil
			continue
		}
		i.Last = r.At
		switch r.Type {
		case Begin:
			i.ID, i.Begun, i.From = r.ID, r.At, r.From
		case UserMessage:
			if i.Turns == 0 {
				i.Question = api.Clip(r.Text, 200)
			}
			i.Turns++
			i.Open = true
		case AssistantMessage, Summary:
			if r.Usage != nil {
				i.Tokens += r.Usage.Total()
			}
		case ToolResult:
			i.Calls++
		case TurnEnd:
			i.Open = false
		}
	}
	return i
}

// Rename sets the title of a conversation. Errors are those of Open.
func (s Store) Rename(id, title string) error {
	l, err := s.Open(id)
	if err != nil {
		return err
	}
	defer l.Close()
	return l.Append(Record{Type: Title, Text: title})
}

// Delete removes a conversation with its files. Errors are those of Open.
func (s Store) Delete(id string) error {
	l, err := s.Open(id)
	if err != nil && !api.CodeReadFailed.Is(err) { // a damaged conversation can be deleted
		return err
	}
	if l != nil {
		defer l.Close()
	}
	if err := os.Remove(s.log(id)); err != nil { // from here on it is not there any more
		return atomicfile.Explain("delete the conversation", err)
	}
	if err := os.RemoveAll(s.folder(id)); err != nil {
		return atomicfile.Explain("delete the conversation", err)
	}
	return nil
}

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

// Continue is like Open. With hide it fails with CodeUsage if the model was sent values.
func (s Store) Continue(id string, hide bool) (*Log, error) {
	l, err := s.Open(id)
	if err != nil || !hide || l.Hidden() {
		return l, err
	}
	l.Close()
	return nil, valuesSent()
}

// valuesSent is the error for a conversation that cannot go on without values.
func valuesSent() error {
	return &api.Error{Code: api.CodeUsage, Kind: api.KindValuesHidden,
		Message: "the conversation began when the model was sent values of the data, so it cannot go on without them", Hint: "Begin a new one."}
}

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
	_, err := l.file.Write(line.Bytes())
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
	l.lock.Unlock()
}
