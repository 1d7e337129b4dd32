package conversation

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	// Central is where other servers find the same conversations; nil: only the folder has them.
	Central Central
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
	l, err := s.open(id, true)
	if err != nil {
		return nil, err
	}
	if s.Central != nil {
		if err := s.mark(id); err != nil {
			l.Close()
			return nil, err
		}
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
	if err := s.sync(id); err != nil {
		return nil, err
	}
	if _, err := os.Stat(s.log(id)); err != nil {
		return nil, unknown(id)
	}
	return s.open(id, false)
}

// open opens a log; create says that the conversation is new.
func (s Store) open(id string, create bool) (*Log, error) {
	lock, err := store.TryLock(filepath.Join(s.folder(id), "lock"))
	if errors.Is(err, store.ErrBusy) {
		return nil, &api.Error{Code: api.CodeSnapshotBusy, Kind: api.KindConversationBusy,
			Message: "another process has the conversation " + id + " open", Hint: "Wait until it has ended, or begin a new conversation."}
	}
	if err != nil {
		return nil, atomicfile.Explain("lock the conversation", err)
	}
	l := &Log{ID: id, Files: s.Folder(id), now: s.Now, store: s, holder: store.NewID(), lock: lock, path: s.log(id), release: func() {}}
	if s.Central != nil {
		release, err := s.Central.Hold(id, l.holder, create)
		if err == nil {
			l.release = release
			err = s.sync(id)
		}
		if err != nil {
			l.release()
			lock.Unlock()
			return nil, err
		}
	}
	file, err := os.OpenFile(s.log(id), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		l.release()
		lock.Unlock()
		return nil, atomicfile.Explain("open the conversation", err)
	}
	l.file = file
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
	if err := s.sync(id); err != nil {
		return nil, err
	}
	return s.read(id)
}

// read is Read for a log that is up to date.
func (s Store) read(id string) ([]Record, error) {
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
	if s.Central != nil {
		if err := s.Central.Delete(id); err != nil {
			return err
		}
	}
	if err := os.Remove(s.log(id)); err != nil { // from here on it is not there any more
		return atomicfile.Explain("delete the conversation", err)
	}
	if err := os.RemoveAll(s.folder(id)); err != nil {
		return atomicfile.Explain("delete the conversation", err)
	}
	return nil
}

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
