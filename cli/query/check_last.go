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

// lastChecked are the checks of a file that held the last time, each as its sum.
type lastChecked struct {
	Held []string `json:"held"`
}

// tellNew marks those that do not hold of the checks that held the last time that the
// file was checked, and keeps which hold now.
func tellNew(a *app.App, file string, outcomes []checks.Outcome) error {
	home, err := a.Places().Data()
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(a.Absolute(file)))
	path := filepath.Join(home, "checks", hex.EncodeToString(sum[:8])+".json")
	var last lastChecked
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &last) != nil {
		last.Held = nil // without a last time, none is new
	}
	now := lastChecked{Held: []string{}}
	for i, o := range outcomes {
		if o.Status == checks.Passed {
			now.Held = append(now.Held, o.Sum)
		} else {
			outcomes[i].New = slices.Contains(last.Held, o.Sum)
		}
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
