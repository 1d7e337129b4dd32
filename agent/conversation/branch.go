package conversation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// Origin says with what a conversation begins that was said in another one.
type Origin struct {
	Conversation string `json:"conversation"`
	Turns        int    `json:"turns" jsonschema:"how many turns it has from there"`
	// Records is how many records they are: their cost was paid in the other one.
	Records int `json:"records"`
}

// branched tells the model what a branch does not have. Nothing else of the other
// conversation is lost: its answers of tools are in the records.
const branched = "This conversation begins with what was said in another one, and goes another way from here. What was changed in files there, " +
	"and not applied, is not in the files here; variables of Python are gone."

// Branch creates a conversation that begins with the first turns of another one,
// which stays as it is. Errors are those of Read, and CodeUsage if there are not so
// many turns; hide is that of Continue. The caller must close the log.
func (s Store) Branch(id string, turns int, hide bool) (*Log, error) {
	records, err := s.Read(id)
	if err != nil {
		return nil, err
	}
	there := Describe(records).Turns
	if len(records) == 0 || turns < 0 || turns > there {
		return nil, &api.Error{Code: api.CodeUsage, Kind: api.KindTurns,
			Message: fmt.Sprintf("the conversation has %d turns: it cannot be branched after turn %d", there, turns),
			Hint:    "Say after how many of its turns the new one begins: 0 for none of them."}
	}
	if hide && !records[0].Hidden {
		return nil, valuesSent()
	}
	first, begin := records[0], firstTurns(records[1:], turns)
	first.From = &Origin{id, turns, len(begin)}
	l, err := s.begin(first)
	if err != nil {
		return nil, err
	}
	if err := l.takeOver(s.folder(id), begin); err != nil {
		l.Close()
		return nil, errors.Join(err, s.Delete(l.ID))
	}
	return l, nil
}

// firstTurns returns the records of the first turns. The title is of the other
// conversation, and who may look at it.
func firstTurns(records []Record, turns int) []Record {
	for i, r := range records {
		if r.Type == UserMessage {
			turns--
		}
		if turns < 0 {
			records = records[:i]
			break
		}
	}
	return slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return r.Type == Title || r.Type == Sharing })
}

// takeOver adds the records of another conversation with what they have shown.
func (l *Log) takeOver(folder string, records []Record) error {
	changed := false
	for _, r := range records {
		if err := l.write(r); err != nil {
			return err
		}
		changed = changed || r.Type == ToolStarted
		if r.Shown && isResult(r.MessageID) {
			if err := l.showAgain(folder, r.MessageID); err != nil {
				return err
			}
		}
	}
	if changed {
		return l.Append(Record{Type: Notice, Text: branched})
	}
	return nil
}

// showAgain makes what a result of another conversation has shown one of this one's. It
// is never overwritten, so that both can have the same file; it may be gone already.
func (l *Log) showAgain(folder, message string) error {
	if l.store.Central != nil {
		data, err := l.store.readShown(filepath.Base(folder), message+".json")
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return l.Show(message, data)
	}
	dir := filepath.Join(filepath.Dir(l.Files), shownFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return atomicfile.Explain("make a folder for tables and charts", err)
	}
	err := os.Link(filepath.Join(folder, shownFolder, message+".json"), filepath.Join(dir, message+".json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return atomicfile.Explain("keep a table or chart", err)
	}
	return nil
}
