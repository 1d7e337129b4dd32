package shell

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Limits of the history. When a shell starts, a longer file is cut to its newest
// entries.
const (
	maxEntries    = 2000
	maxEntryBytes = 16 << 10
)

// history is what was typed, oldest first. Its file has one JSON string per line,
// and only the user can read it. Several shells can append to it.
type history struct {
	file    string // empty: keep the history in memory only
	entries []string
}

// openHistory reads the file. If that fails, the shell still works, with an empty
// history.
func openHistory(file string) *history {
	h := &history{file: file}
	f, err := os.Open(file)
	if err != nil {
		return h
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8*maxEntryBytes)
	read := 0
	for ; lines.Scan(); read++ {
		var entry string
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry != "" {
			h.entries = append(h.entries, entry)
		}
	}
	h.entries = h.entries[max(len(h.entries)-maxEntries, 0):]
	if read > 2*maxEntries {
		h.rewrite()
	}
	return h
}

// rewrite shortens the file to the current entries. If that fails, the next shell
// tries again.
func (h *history) rewrite() {
	var text []byte
	for _, e := range h.entries {
		text = append(text, encode(e)...)
	}
	_ = atomicfile.WriteFile(h.file, text, 0o600)
}

func encode(entry string) []byte {
	text, err := json.Marshal(entry)
	if err != nil {
		return nil // cannot fail for a string
	}
	return append(text, '\n')
}

// errSecret says why an entry is not stored.
var errSecret = errors.New("it looks as if it held a password or token")

// add stores an entry, unless it repeats the one before, begins with a space or
// is very long. If it seems to contain a secret, add returns errSecret instead.
func (h *history) add(entry string) error {
	begins := entry
	entry = strings.TrimSpace(entry)
	switch {
	case entry == "", len(entry) > maxEntryBytes, strings.HasPrefix(begins, " "):
		return nil
	case len(h.entries) > 0 && h.entries[len(h.entries)-1] == entry:
		return nil
	case holdsSecret(entry):
		return errSecret
	}
	h.entries = append(h.entries, entry)
	if h.file == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	mode := f.Chmod(0o600) // an older program may have created it with other permissions
	_, err = f.Write(encode(entry))
	return errors.Join(mode, err, f.Close())
}

// secrets matches text that looks like a password or token: a value after such a
// name, a URL with a password, a long key with a known prefix.
var secrets = lazyregexp.New(`(?i)(?:password|passwd|pwd|secret|token|api_?key)"?\s*(?:=|:=|:)\s*\S` +
	`|--(?:[a-z]+-)*(?:password|token|secret)[= ]\s*\S` +
	`|://[^\s:/@]*:[^\s@]+@` +
	`|\bBearer\s+\S{8,}` +
	`|\b(?:gh[pousr]_|github_pat_|xox[abprs]-|sk-|AKIA|eyJ)[0-9A-Za-z_-]{10,}` +
	`|-----BEGIN [A-Z ]*PRIVATE KEY`)

func holdsSecret(entry string) bool { return secrets().MatchString(entry) }

// Write implements readline.History. Entries are added by add alone.
func (h *history) Write(string) (int, error) { return len(h.entries), nil }

// GetLine implements readline.History.
func (h *history) GetLine(i int) (string, error) {
	if i < 0 || i >= len(h.entries) {
		return "", fmt.Errorf("there is no entry %d", i)
	}
	return h.entries[i], nil
}

// Len implements readline.History.
func (h *history) Len() int { return len(h.entries) }

// Dump implements readline.History.
func (h *history) Dump() any { return h.entries }
