package figures

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
)

// Format is the version of receipts.
const Format = 1

const (
	// MostCells of a receipt are listed with their values. Of more, only the number of
	// rows is noted.
	MostCells = 100_000
	// mostBytes of a receipt are read: a file can come from anywhere.
	mostBytes = 64 << 20
)

// Property is the name under which files hold receipts.
const Property = ooxml.Receipt

// Receipt is what was written into a file at one time.
type Receipt struct {
	Format  int       `json:"format"`
	At      time.Time `json:"at,omitzero"` // UTC
	Answers []Answer  `json:"answers"`
	// Text says where the answers stand in the text of the file; nil in workbooks,
	// whose answers have areas, and cells with texts of their own.
	Text *Text `json:"text,omitempty"`
}

// Asked is what a statement was asked with, and what it read.
type Asked struct {
	Parameters map[string]any `json:"parameters,omitempty"`
	// Fetch says that it was allowed to fetch what was not here, Remote that it ran
	// at its source: that may cost.
	Fetch  bool `json:"fetch,omitempty"`
	Remote bool `json:"remote,omitempty"`
	// Files says that it read files, which it names, as they were at the time.
	Files bool `json:"files,omitempty"`
	// Part says that the file has only the first of its rows.
	Part    bool     `json:"part,omitempty"`
	Sources []Source `json:"sources,omitempty"`
}

// Source is what a statement read.
type Source struct {
	Name        string    `json:"name"` // of a snapshot or a synced table
	Table       string    `json:"table,omitempty"`
	Server      string    `json:"server,omitempty" jsonschema:"that answered; import: and a name for a file"`
	Version     string    `json:"version,omitempty"`
	ContentHash string    `json:"content_hash,omitempty" jsonschema:"equal for equal rows in any order"`
	AsOf        time.Time `json:"as_of,omitzero"`
}

// Answer is what one statement gave.
type Answer struct {
	Statement string `json:"statement"`
	Asked
	Caveats []api.Caveat `json:"caveats,omitempty"`
	Columns []string     `json:"columns,omitempty"`
	Rows    int          `json:"rows"`
	// Values are those that were written; nil if they are too many.
	Values [][]any `json:"values,omitempty"`
	// Drawn are the values that a picture shows. They are explained, and not checked:
	// nobody reads them back from the picture.
	Drawn []Drawn `json:"drawn,omitempty"`
	// Area is where they stand in a workbook.
	Area *Area `json:"area,omitempty"`
}

// Drawn are the values of one series of a plot, in the order of its labels.
type Drawn struct {
	Name   string `json:"name"`
	Values []any  `json:"values"`
}

// MostDrawn values of a plot are noted.
const MostDrawn = 2000

// Area is a range of a workbook, by a name that moves with it and by what it was.
type Area struct {
	Name  string `json:"name,omitempty"`
	Sheet string `json:"sheet"`
	Range string `json:"range"`
	// Words are those of a text around a single value.
	Words *Text `json:"words,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler: numbers keep their digits.
func (a *Answer) UnmarshalJSON(text []byte) error {
	type plain Answer
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode((*plain)(a))
}

// Encode is the form in which files hold receipts: a list, packed as letters and
// digits; "" of none.
func Encode(all []Receipt) (string, error) {
	if len(all) == 0 {
		return "", nil
	}
	for _, r := range all {
		for i := range r.Answers {
			r.Answers[i].Sources = withoutFolders(r.Answers[i].Sources)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	return base64.RawStdEncoding.EncodeToString(packed.Bytes()), err
}

// withoutFolders names files that were imported without their folders, which are not
// for those who get the file.
func withoutFolders(sources []Source) []Source {
	sources = slices.Clone(sources)
	for i, s := range sources {
		if path, imported := strings.CutPrefix(s.Server, "import:"); imported {
			sources[i].Server = "import:" + filepath.Base(path)
		}
	}
	return sources
}

// Decode reads what Encode has made, or what somebody has made of it.
func Decode(text string) ([]Receipt, error) {
	if text == "" {
		return nil, nil
	}
	broken := func(err error) error {
		return &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged, Message: "the receipt in the file is damaged",
			Hint: "Write the file again.", Err: err}
	}
	packed := base64.NewDecoder(base64.RawStdEncoding, strings.NewReader(text))
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(packed), mostBytes+1))
	if err == nil && len(plain) > mostBytes {
		err = fmt.Errorf("it unpacks to more than %d MB", mostBytes>>20)
	}
	if err != nil {
		return nil, broken(err)
	}
	var all []Receipt
	if err := json.Unmarshal(plain, &all); err != nil {
		return nil, broken(err)
	}
	for _, r := range all {
		if r.Format != Format {
			return nil, &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged,
				Message: fmt.Sprintf("the receipt in the file is of format %d", r.Format), Hint: "Read it with the version of da that wrote it."}
		}
		for _, a := range r.Answers {
			for _, row := range a.Values {
				if len(row) != len(a.Columns) {
					return nil, broken(fmt.Errorf("a row has %d values, not %d", len(row), len(a.Columns)))
				}
			}
		}
	}
	return all, nil
}

// Note adds an answer, whose values are listed unless the receipt has too many.
func (r *Receipt) Note(a Answer, values [][]any) {
	a.Rows = len(values)
	n := len(values) * len(a.Columns)
	for _, other := range r.Answers {
		n += len(other.Values) * len(other.Columns)
	}
	if n <= MostCells {
		a.Values = values
	}
	r.Answers = append(r.Answers, a)
}

// Written is a value as texts have it.
func Written(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// same reports whether a cell has what was written. Workbooks hold numbers of more than
// 15 digits as texts.
func same(was, is any) bool {
	if Written(was) == Written(is) {
		return true
	}
	_, wasNumber := was.(json.Number)
	_, isNumber := is.(json.Number)
	_, err := strconv.ParseFloat(Written(is), 64)
	return plain(was) == plain(is) && (wasNumber && isNumber || err != nil)
}

// plain is a value in a form that is the same for the same number or time,
// whatever program has stored it.
func plain(v any) string {
	s := Written(v)
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return strconv.FormatFloat(f, 'g', 15, 64)
	}
	if v == true || v == false {
		return strings.ToUpper(s)
	}
	if len(s) < len(time.TimeOnly) || s[4] != '-' && s[2] != ':' {
		return s
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, "2006-01-02T15:04", "2006-01-02 15:04", time.TimeOnly} {
		if t, err := time.Parse(form, s); err == nil { // workbooks cut to the millisecond
			return strings.TrimSuffix(t.UTC().Truncate(time.Millisecond).Format("2006-01-02 15:04:05.999"), " 00:00:00")
		}
	}
	return s
}
