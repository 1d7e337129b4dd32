// Package purse keeps what a model has cost a user today, in a file beside the
// user's conversations, which outlives them and the process that wrote it. Servers
// that share a state_dir share it: Change locks it.
package purse

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Today is what was spent on one day.
type Today struct {
	Day string `json:"day"` // UTC, YYYY-MM-DD
	// Cost is in units of 10^-9 of the currency that prices are in. It has what
	// running requests can cost at most.
	Cost int64 `json:"cost_nano"`
}

// File is where the purse of a user's folder lies.
func File(folder string) string { return filepath.Join(folder, "spent.json") }

// Read returns what was spent on the day of now: nothing if there is no file, or one
// of an earlier day. A file that cannot be read is an error, with the day set.
func Read(folder string, now time.Time) (Today, error) {
	today := Today{Day: now.UTC().Format(time.DateOnly)}
	text, err := os.ReadFile(File(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return today, nil
	}
	var s Today
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil || s.Day != today.Day {
		return today, err
	}
	return s, nil
}

// Change calls change with what was spent on the day of now, and writes down what
// that leaves, unless change returns false. No other process changes the file
// meanwhile. changed reports whether the new amount is on disk. The folder must be
// there: that of a user who was deleted is not made again.
func Change(folder string, now time.Time, change func(*Today) bool) (changed bool, err error) {
	lock, err := store.WaitLock(context.Background(), File(folder)+".lock", store.Alone)
	if err != nil {
		return false, err
	}
	defer lock.Unlock()
	s, err := Read(folder, now)
	if err != nil || !change(&s) {
		return false, err
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = atomicfile.WriteFile(File(folder), text, 0o600)
	}
	return err == nil, err
}
