package lake

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/table/intake"
)

// noReading is the remark about files whose format says how to read them.
const noReading = "is read as it says itself: delimiter, encoding, no_header, header_line, date_format and types are for CSV and TSV files"

// CheckReading says which values a key can have for the files of a path; empty if
// its value is valid.
func CheckReading(path, key, value string) string {
	if f, ok := formatOf(path); ok && f.Kind != format.Text {
		return path + " " + noReading
	}
	var r source.Reading
	switch key {
	case "delimiter":
		r.Delimiter = value
	case "encoding":
		r.Encoding = value
	case "date_format":
		r.DateFormat = value
	case "types":
		if value != "" {
			r.Types = map[string]string{"": value}
		}
	}
	var e *api.Error
	if errors.As(options(&r).Check(), &e) {
		return e.Message + ". " + e.Hint
	}
	return ""
}

// options converts a reading for package intake.
func options(r *source.Reading) intake.Options {
	if r == nil {
		return intake.Options{}
	}
	return intake.Options{Delimiter: intake.Unescaped(r.Delimiter), Encoding: r.Encoding, NoHeader: r.NoHeader, HeaderLine: int(r.HeaderLine),
		DateFormat: r.DateFormat, Types: r.Types}
}

// version lists the files of a relation. The way of reading is part of the
// version, so that nothing cached belongs to another reading.
func (l *Lake) version(ctx context.Context, rel source.Relation) (*fileSet, error) {
	set, err := l.resolve(ctx, rel.Name)
	if err != nil || rel.Reading == nil {
		return set, err
	}
	set.reading = rel.Reading
	text, err := json.Marshal(rel.Reading) // the keys of maps are sorted
	if err != nil {
		return nil, embedded.Internal("write down how files are read", err)
	}
	sum := xxh3.HashString128(set.version + string(text)).Bytes()
	set.version = hex.EncodeToString(sum[:])
	return set, nil
}

// misread is a fault of the reading that only the files show.
func misread(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeValidation {
		return err
	}
	key := "types"
	if _, ok := e.Details["header_line"]; ok {
		key = "header_line"
	}
	return &api.Error{Code: api.CodeConfig, Message: e.Message + ": `" + key + "` of the table in the instance file names it", Hint: e.Hint}
}
