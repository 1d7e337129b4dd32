// Package purse keeps what a model has cost a user today, in a file beside the
// user's conversations, which outlives them and the process that wrote it.
// Callers in one process take turns: it must not be read and written at once.
package purse

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agnes-data/da/internal/atomicfile"
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

// Write replaces what was spent.
func (t Today) Write(folder string) error {
	text, err := json.Marshal(t)
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err == nil {
		err = atomicfile.WriteFile(File(folder), text, 0o600)
	}
	return err
}
