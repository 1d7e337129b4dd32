package intake

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/encoding"
	"github.com/agnes-data/da/table/jsonrows"
)

// copyPattern is the name pattern of copies of files for the engine. The folder's
// owner removes copies of dead processes.
const copyPattern = "copy-*"

// JSONLines is the file's rows as JSON lines, for the engine to read.
type JSONLines struct {
	Path        string // good until the file is closed
	Compression string // as File.Compression
	Rows        int64
	Longest     int      // bytes of the longest row
	Passed      []string // names of members beside the features of a GeoJSON collection
	Numbers     jsonrows.Numbers
	Keys        jsonrows.Keys
}

// detectJSON determines whether the text is JSON, and how its rows are arranged.
func (f *File) detectJSON() error {
	r, err := f.jsonText()
	if err != nil {
		return err
	}
	defer r.Close()
	head, err := io.ReadAll(io.LimitReader(r, jsonrows.HeadSize))
	if f.Layout = jsonrows.Detect(head, len(head) < jsonrows.HeadSize); f.Layout == "" && format.Of(f.Path).Kind == format.JSON {
		f.Layout = jsonrows.Claimed(head)
	}
	if f.Layout != "" {
		f.Kind = format.JSON
		return nil
	}
	if err == nil {
		err = f.foreign(head)
	}
	return err
}

// jsonText returns the file's text in UTF-8.
func (f *File) jsonText() (io.ReadCloser, error) {
	r, err := f.Stream()
	if err != nil {
		return nil, err
	}
	b := bufio.NewReader(r) // large reads bypass the buffer
	mark, _ := b.Peek(2)    // an error comes again
	var name string
	switch {
	case bytes.Equal(mark, []byte{0xff, 0xfe}):
		name = "utf-16le"
	case bytes.Equal(mark, []byte{0xfe, 0xff}):
		name = "utf-16be"
	default:
		return readCloser{b, r}, nil
	}
	f.recoded = true
	text, err := encoding.NewReader(b, name)
	if err != nil {
		r.Close()
		return nil, err
	}
	return readCloser{text, r}, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// JSONLines reads the whole file once, before the engine sees it. It rejects
// files without rows, and files nested so deeply that they would crash the
// engine. Unless the file is JSON lines already, its rows are copied into dir;
// the copy is removed with the file. Errors of package jsonrows are returned
// unchanged.
func (f *File) JSONLines(ctx context.Context, dir string) (*JSONLines, error) {
	if f.lines != nil {
		return f.lines, nil
	}
	if f.Layout == jsonrows.Lines {
		rows, err := f.eachRow(ctx, func([]byte) error { return nil })
		if err != nil {
			return nil, err
		}
		if rows.OwnLines() && !f.recoded {
			f.lines = &JSONLines{Path: f.EnginePath(), Compression: f.Compression, Rows: rows.Rows(), Longest: rows.Longest(),
				Numbers: rows.Numbers(), Keys: rows.Keys()}
			return f.lines, nil
		}
	}
	var err error
	if f.copy, err = os.CreateTemp(dir, copyPattern); err != nil {
		return nil, atomicfile.Explain("keep a copy of the rows", err)
	}
	w := bufio.NewWriterSize(f.copy, 256<<10)
	rows, err := f.eachRow(ctx, func(row []byte) error {
		_, err := w.Write(row)
		if err == nil {
			err = w.WriteByte('\n')
		}
		return writing(err)
	})
	if err == nil {
		err = writing(w.Flush())
	}
	if err != nil {
		return nil, err
	}
	path, open := enginePath(f.copy)
	if open {
		_ = os.Remove(f.copy.Name()) // an unlinked file needs no cleaning up
	}
	f.lines = &JSONLines{Path: path, Rows: rows.Rows(), Longest: rows.Longest(), Passed: rows.Passed(), Numbers: rows.Numbers(),
		Keys: rows.Keys()}
	return f.lines, nil
}

func writing(err error) error {
	if err == nil {
		return nil
	}
	return atomicfile.Explain("keep a copy of the rows", err)
}

// rowsOf reads rows of the file's text. Files of lines have names of their own: what is
// called .json may be one document.
func (f *File) rowsOf(text io.Reader) *jsonrows.Reader {
	rows := jsonrows.NewReader(text, f.Layout)
	rows.Document = format.Ending(f.Path) == ".json"
	return rows
}

// eachRow hands every row to do.
func (f *File) eachRow(ctx context.Context, do func([]byte) error) (*jsonrows.Reader, error) {
	text, err := f.jsonText()
	if err != nil {
		return nil, err
	}
	defer text.Close()
	rows := f.rowsOf(ctxReader{ctx, text})
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err == nil {
			err = do(row)
		}
		if err != nil {
			return nil, err
		}
	}
}

// FindFault searches for what an engine may have rejected in the rows; it returns
// nil if it finds nothing.
func (f *File) FindFault(ctx context.Context) *jsonrows.Error {
	text, err := f.jsonText()
	if err != nil {
		return nil
	}
	defer text.Close()
	return jsonrows.FindFault(ctxReader{ctx, text}, f.Layout)
}

// firstKeys returns the keys of the first row, in order; nil if there are no
// rows.
func (f *File) firstKeys() ([]string, error) {
	text, err := f.jsonText()
	if err != nil {
		return nil, err
	}
	defer text.Close()
	rows := f.rowsOf(text)
	row, err := rows.Next()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	var values map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(row, &values)
	}
	if err == nil && f.Layout == jsonrows.Lines && (rows.Document || !rows.OwnLines()) {
		// A document, and an object over several lines, is a row only if another follows.
		if _, err = rows.Next(); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	return slices.Sorted(maps.Keys(values)), err
}
