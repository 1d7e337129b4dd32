package query

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// lastChecked is what the checks of a file found the last time: those that held, each as its
// sum, and the rows that each table had when the bounds on them last held.
type lastChecked struct {
	Held []string         `json:"held"`
	Rows map[string]int64 `json:"rows,omitempty"`
}

// readLast reads what was found the last time that a file was checked here, and where that
// stands.
func readLast(a *app.App, file string) (last lastChecked, path string, err error) {
	home, err := a.Places().Data()
	if err != nil {
		return last, "", err
	}
	sum := sha256.Sum256([]byte(a.Absolute(file)))
	path = filepath.Join(home, "checks", hex.EncodeToString(sum[:8])+".json")
	if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &last) != nil {
		return lastChecked{}, path, nil //nolint:nilerr // without a last time, nothing is new
	}
	return last, path, nil
}

// tellNew marks those that do not hold of the checks that held the last time, and keeps what
// is found now. A count that breaks a check of rows is not kept unless accept says so: the
// next count is compared with the last one that was kept.
func tellNew(last lastChecked, path string, outcomes []checks.Outcome, accept bool) error {
	now := lastChecked{Held: []string{}, Rows: map[string]int64{}}
	refused := map[string]bool{}
	for i, o := range outcomes {
		if o.Err == nil {
			now.Rows[o.Of] = o.Rows
		}
		refused[o.Of] = refused[o.Of] || o.Counts && o.Status != checks.Passed && !accept
		if o.Status == checks.Passed {
			now.Held = append(now.Held, o.Sum)
		} else {
			outcomes[i].New = slices.Contains(last.Held, o.Sum)
		}
	}
	for table, is := range refused {
		if rows, known := last.Rows[table]; is && known {
			now.Rows[table] = rows
		} else if is {
			delete(now.Rows, table)
		}
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return atomicfile.Explain("keep what the checks have found", err)
	}
	if err := atomicfile.WriteFile(path, text, 0o600); err != nil {
		return atomicfile.Explain("keep what the checks have found", err)
	}
	return nil
}
