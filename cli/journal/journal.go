package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Entry is a command that ran in a session: a line of its journal.
type Entry struct {
	Step    int       `json:"step"` // from 1; the place in the journal
	At      time.Time `json:"at"`   // UTC
	Seconds float64   `json:"seconds"`
	Dir     string    `json:"dir"`
	Command string    `json:"command"` // as in "snapshot refresh"
	Args    []string  `json:"args"`
	// Env are the variables that decide what a command reads and how it answers.
	Env   map[string]string `json:"env,omitempty"`
	Stdin *Input            `json:"stdin,omitempty"`
	// Reads are the things that the command line names, as they were before; Writes
	// those that have changed since. The hash of one that is gone is empty.
	Reads    Named    `json:"reads,omitempty"`
	Writes   Named    `json:"writes,omitempty"`
	Output   string   `json:"output,omitempty"` // the hash of what it printed
	Bytes    int64    `json:"bytes"`
	Caveats  []string `json:"caveats,omitempty"` // their kinds
	Scanned  int64    `json:"scanned_bytes,omitempty"`
	ExitCode int      `json:"exit_code"`
	// Cleaned says that a secret was taken out of the arguments or the input.
	Cleaned bool `json:"cleaned,omitempty"`
}

// Input is what a command read from standard input. Text is empty if it was too long.
type Input struct {
	Hash string `json:"hash"`
	Text string `json:"text,omitempty"`
}

const ext = ".jsonl"

// Journals is the folder of journals.
type Journals struct{ Dir string }

// JournalsAt returns the journals below a home folder.
func JournalsAt(home string) Journals { return Journals{filepath.Join(home, "sessions")} }

// file returns the journal of a session. A name that is in use is one of letters,
// digits and . _ : -, so no part of it leads out of the folder.
func (j Journals) file(session string) string { return filepath.Join(j.Dir, "s-"+session+ext) }

// Append adds an entry at the end. Processes that add to one journal wait for each
// other; nothing that is written changes again.
func (j Journals) Append(ctx context.Context, session string, e Entry) error {
	if err := os.MkdirAll(j.Dir, 0o700); err != nil {
		return atomicfile.Explain("make the folder of journals", err)
	}
	lock, err := store.WaitLock(ctx, j.file(session)+".lock", store.Alone)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	f, err := os.OpenFile(j.file(session), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return atomicfile.Explain("open the journal", err)
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = f.Write(append(endOfLine(f), append(line, '\n')...))
	}
	return atomicfile.Explain("write the journal", errors.Join(err, f.Close()))
}

// endOfLine returns a line break if a crash has left the last line without one.
func endOfLine(f *os.File) []byte {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil
	}
	last := []byte{0}
	if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] == '\n' {
		return nil
	}
	return []byte{'\n'}
}

// Read returns the entries of a session, and how many lines could not be read. The error
// is fs.ErrNotExist if there is no journal.
func (j Journals) Read(session string) (entries []Entry, unread int, err error) {
	if strings.ContainsAny(session, `/\`) {
		return nil, 0, fs.ErrNotExist
	}
	text, err := os.ReadFile(j.file(session))
	if err != nil {
		return nil, 0, err
	}
	lines := bufio.NewReader(bytes.NewReader(text))
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var e Entry
			if json.Unmarshal(line, &e) != nil {
				unread++
			} else {
				e.Step = len(entries) + 1
				entries = append(entries, e)
			}
		}
		if err != nil {
			return entries, unread, nil //nolint:nilerr // the end, of a text in memory
		}
	}
}

// List returns the sessions that have a journal, the latest first.
func (j Journals) List() (sessions []string, err error) {
	files, err := filepath.Glob(filepath.Join(j.Dir, "s-*"+ext))
	if err != nil {
		return nil, fmt.Errorf("list the journals: %w", err)
	}
	changed := func(f string) time.Time {
		if info, err := os.Stat(f); err == nil {
			return info.ModTime()
		}
		return time.Time{}
	}
	slices.SortStableFunc(files, func(a, b string) int { return changed(b).Compare(changed(a)) })
	for _, f := range files {
		sessions = append(sessions, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "s-"), ext))
	}
	return sessions, nil
}
