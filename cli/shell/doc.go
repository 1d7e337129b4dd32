// Package shell is the prompt of da shell: it reads statements and commands,
// with line editing on a terminal and plainly elsewhere, and has them run one
// after the other.
//
// It runs nothing itself: a Host does, which is the command line around it. It
// knows neither engine nor server, and only terminals get the line editor.
package shell

import (
	"context"
	"time"

	"github.com/agnes-data/da/internal/iostreams"
)

// Host runs what is typed. Its functions write results where the streams say;
// their errors are not shown yet.
type Host struct {
	IO     *iostreams.Streams
	Getenv func(string) string
	Now    func() time.Time
	// Query runs one statement, with flags of da query, and writes its result.
	Query func(ctx context.Context, sql string, flags ...string) error
	// Run runs another command of da.
	Run func(ctx context.Context, args ...string) error
	// Commands are the names of those that may be run.
	Commands []string
	// List shows what can be queried here.
	List func(ctx context.Context) error
	// Relations are what can be queried here, and Tables what the catalog has.
	Relations func() []Relation
	Tables    func() []Word
	// Complete offers what may follow the words of a command of da; the last of
	// them is begun, or empty.
	Complete func(words ...string) []Word
	// Edit has the user change a file, in an editor.
	Edit func(ctx context.Context, file string) error
	// Show shows an error, or a note to people.
	Show func(err error)
	Note func(text string)
	// Settings are what the session changes for its results.
	Settings *Settings
	// HistoryFile keeps what was typed at a terminal; empty: nothing is kept.
	HistoryFile string
}

// Settings are what backslash commands change for the results that follow.
type Settings struct {
	// SetFormat chooses the format of results; it refuses unknown ones.
	SetFormat func(name string) error
	// Format is the format now.
	Format func() string
	// Formats and Plots are what can be chosen.
	Formats, Plots []string
	// SetRecords says whether results are shown as records, a line for each
	// column; SetPaged whether long ones go through a pager.
	SetRecords, SetPaged func(on bool)
	// SetParam gives a parameter of statements its value, as name=text or
	// name:=JSON; UnsetParam takes it away; Params tells all, a line for each.
	SetParam, UnsetParam func(given string) error
	Params               func() string
	// Timing says how long each statement took; Records that they are shown.
	Timing, Records bool
	// out is the file of the next result, with flags that say how.
	out []string
}
