package delta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source/listed"
)

// versionAt is the version that a table had at a time. Only commits that hold their time
// tell it: the times of files are others once a table is copied.
func versionAt(root *listed.Root, dir string, at time.Time) (int64, error) {
	entries, err := root.List(path.Join(dir, logFolder))
	if err != nil {
		return 0, err
	}
	slices.Reverse(entries) // the newest first
	for _, e := range entries {
		m := commitName().FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		file := path.Join(dir, logFolder, e.Name())
		raw, err := root.Read(file)
		if err != nil {
			return 0, err
		}
		first, _, _ := bytes.Cut(raw, []byte("\n"))
		var action struct {
			CommitInfo struct {
				At *int64 `json:"inCommitTimestamp"`
			} `json:"commitInfo"`
		}
		if err := json.Unmarshal(first, &action); err != nil {
			return 0, listed.Broken(file, err)
		}
		when := action.CommitInfo.At
		if when == nil {
			return 0, &api.Error{Code: api.CodeSource, Kind: api.KindNotFound,
				Message: fmt.Sprintf("the log of %s does not say when its version %s was written", dir, m[1]),
				Hint:    "Name a version, as in orders@v12; or have the table's writer set delta.enableInCommitTimestamps, which tells times from then on."}
		}
		if *when <= at.UnixMilli() {
			return versionOf(m[1])
		}
	}
	return 0, &api.Error{Code: api.CodeSource, Kind: api.KindNotFound,
		Message: fmt.Sprintf("%s has no version of %s or before", dir, at.Format(time.RFC3339)),
		Hint:    "Its log begins later; old commits go when it is cleaned up."}
}
