package lake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/intake"
)

func sourceError(kind, message string, err error) *api.Error {
	return &api.Error{Code: api.CodeSource, Kind: kind, Message: message, Err: err}
}

func badPath(name, why string) *api.Error {
	return sourceError(api.KindBadPath, fmt.Sprintf("%s is not a path of a table: %s", api.Clip(name, 200), why), nil)
}

func outside(rel string) error {
	return sourceError(api.KindOutsideRoot, fmt.Sprintf("%s is a link that leads out of the source's root", rel), nil)
}

func noFiles(name string) error {
	e := sourceError(api.KindNoFiles, fmt.Sprintf("there is no file %s", name), nil)
	if isGlob(name) {
		e.Message = fmt.Sprintf("no file matches %s", name)
	}
	e.Hint = "The path of a table is relative to the root of its source; see the instance file."
	return e
}

func unreadable(rel string, err error) error {
	e := sourceError(api.KindUnreadable, rel+" cannot be read", err)
	if errors.Is(err, fs.ErrPermission) {
		e.Message += ": permission denied"
	}
	return e
}

func unknownFormat(rel string) error {
	e := sourceError(api.KindUnlikeFiles, rel+" has none of the formats that can be read", nil)
	var endings []string
	for _, f := range format.All {
		if f.InLakes {
			endings = append(endings, f.Endings...)
		}
	}
	e.Hint = "Files end in " + strings.Join(endings, ", ") + ", all but parquet also followed by .gz."
	return e
}

func mixed(a, b, why string) error {
	e := sourceError(api.KindUnlikeFiles, fmt.Sprintf("%s and %s %s; the files of a table are all alike", a, b, why), nil)
	e.Hint = "Correct the files, or give each kind a table of its own in the instance file."
	return e
}

func tooWide(set *fileSet, columns int) error {
	e := sourceError(api.KindTooWide, fmt.Sprintf("%s has %d columns; a table has at most %d", set.files[0].rel, columns,
		intake.EngineColumns), nil)
	e.Hint = "Split the file into files of fewer columns, or write its columns as rows."
	return e
}

func stoppedListing(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &api.Error{Code: api.CodeTimeout, Message: "listing the files took too long", Err: err}
	}
	return &api.Error{Code: api.CodeInterrupted, Message: "interrupted", Err: err}
}
