// Package shell is the prompt of 'da shell'. It reads statements and commands,
// with line editing on a terminal and plainly elsewhere, and runs them one after
// the other.
//
// Its Host, the command line around it, executes them. The package knows neither
// engine nor server. Only terminals get the line editor.
package shell

import (
	"context"
	"time"

	"github.com/agnes-data/da/internal/iostreams"
)

// Host executes the input. Its functions write results to the given streams, and
// return errors without showing them.
type Host struct {
	IO     *iostreams.Streams
	Getenv func(string) string
	Now    func() time.Time
	// Query runs one statement with flags of 'da query', and writes its result.
	Query func(ctx context.Context, sql string, flags ...string) error
	// Run runs another da command.
	Run func(ctx context.Context, args ...string) error
	// Commands are the names of the commands that Run accepts.
	Commands []string
	// List shows what can be queried locally.
	List func(ctx context.Context) error
	// Relations are what can be queried locally; Tables are those of the catalog.
	Relations func() []Relation
	Tables    func() []Word
	// Complete returns possible continuations of the words of a da command. The
	// last word is incomplete or empty.
	Complete func(words ...string) []Word
	// Edit opens a file in the user's editor.
	Edit func(ctx context.Context, file string) error
	// Show shows an error; Note shows a note to people.
	Show func(err error)
	Note func(text string)
	// Settings are what the session can change for its results.
	Settings *Settings
	// HistoryFile keeps what was typed at a terminal; empty means no history.
	HistoryFile string
}

// Settings are what backslash commands change for later results.
type Settings struct {
	// SetFormat sets the format of results, or fails if it is unknown.
	SetFormat func(name string) error
	// Format returns the current format.
	Format func() string
	// Formats and Plots are the possible values.
	Formats, Plots []string
	// SetRecords shows results as records, one line per column. SetPaged shows
	// long results in a pager.
	SetRecords, SetPaged func(on bool)
	// SetParam sets a parameter of statements, as name=text or name:=JSON.
	// UnsetParam removes it. Params lists all, one per line.
	SetParam, UnsetParam func(given string) error
	Params               func() string
	// Timing prints how long each statement took. Records is the current state of
	// SetRecords.
	Timing, Records bool
	// out is the file for the next result, followed by flags.
	out []string
}
