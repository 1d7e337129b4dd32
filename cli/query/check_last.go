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

// lastChecked are the checks of a file that did not hold the last time, each as its
// table and name.
type lastChecked struct {
	Broken [][2]string `json:"broken"`
}

// tellNew marks the checks that held the last time that the file was checked, and keeps
// which do not hold now. Without a last time, none is new.
func tellNew(a *app.App, file string, outcomes []checks.Outcome) error {
	home, err := a.Places().Data()
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(a.Absolute(file)))
	path := filepath.Join(home, "checks", hex.EncodeToString(sum[:8])+".json")
	var last lastChecked
	text, err := os.ReadFile(path)
	known := err == nil && json.Unmarshal(text, &last) == nil
	now := lastChecked{Broken: [][2]string{}}
	for i, o := range outcomes {
		if o.Status == checks.Passed {
			continue
		}
		one := [2]string{o.Of, o.Name}
		now.Broken = append(now.Broken, one)
		outcomes[i].New = known && !slices.Contains(last.Broken, one)
	}
	if text, err = json.Marshal(now); err != nil {
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
