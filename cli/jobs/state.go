package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agnes-data/da/cli/journal"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// Run is the record of the last run of a file of steps, below DA_HOME/runs: one folder
// for each file, with state.json and what each step printed.
type Run struct {
	File     string              `json:"file"`
	Started  time.Time           `json:"started"`
	Ended    *time.Time          `json:"ended,omitempty"` // nil while it runs, and if it was killed by force
	ExitCode int                 `json:"exit_code"`
	Steps    map[string]*outcome `json:"steps"`
	// Holds has the hashes of all that the steps name, as the run itself left it.
	Holds journal.Named `json:"holds"`
}

// status says how a step ended.
type status string

const (
	ok        status = "ok"
	failed    status = "failed"
	skipped   status = "skipped"   // what it needs has failed
	unchanged status = "unchanged" // it succeeded before, and nothing that it names has changed
	planned   status = "planned"   // of --dry-run
)

// outcome is what da run says of a step: one line of JSON.
type outcome struct {
	Step     string   `json:"step"`
	Status   status   `json:"status" jsonschema:"ok, failed, skipped, unchanged or, with --dry-run, planned"`
	ExitCode int      `json:"exit_code"`
	Command  []string `json:"command"`
	Needs    []string `json:"needs,omitempty"`
	Seconds  float64  `json:"seconds"`
	Message  string   `json:"message,omitempty" jsonschema:"the error of a step that failed, or why it was skipped"`
	Stdout   string   `json:"stdout,omitempty" jsonschema:"the file with what it printed"`
	Stderr   string   `json:"stderr,omitempty"`
	// Names are the keys of what the command line names.
	Names []string `json:"names,omitempty" jsonschema:"the files and snapshots that it names"`
}

// folderOf is where the record of a file's runs is.
func folderOf(home, file string) string {
	sum := sha256.Sum256([]byte(file))
	return filepath.Join(home, "runs", hex.EncodeToString(sum[:8]))
}

// lastRun returns the record of a folder, or an empty one.
func lastRun(dir string) Run {
	r := Run{}
	if text, err := os.ReadFile(filepath.Join(dir, "state.json")); err != nil || json.Unmarshal(text, &r) != nil {
		return Run{}
	}
	return r
}

func (r *Run) save(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Explain("keep the record of the run", atomicfile.WriteFile(filepath.Join(dir, "state.json"), text, 0o600))
}

// Runs returns the last run of each file of steps, the latest first.
func Runs(home string) (all []Run) {
	dirs, _ := os.ReadDir(filepath.Join(home, "runs")) // without one, nothing has run
	for _, d := range dirs {
		if r := lastRun(filepath.Join(home, "runs", d.Name())); r.File != "" {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Run) int { return b.Started.Compare(a.Started) })
	return all
}

// worse lists the exit codes of steps, the worst first: faults that a person has
// to mend, then those that pass by themselves, then data that breaks a check.
var worse = []int{130, 2, 4, 7, 8, 3, 5, 9, 6, 1, 10}

// worst returns the worse of two exit codes. One that is in no list, as of a step that
// was killed, is the worst.
func worst(a, b int) int {
	rank := func(code int) int {
		if code == 0 {
			return len(worse)
		}
		return slices.Index(worse, code)
	}
	if rank(b) < rank(a) {
		return b
	}
	return a
}
