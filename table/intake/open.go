package intake

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/compound"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/rows/parquetfile"
	"github.com/agnes-data/da/table/jsonrows"
	"github.com/agnes-data/da/table/xlsx"
)

// Options are what the caller knows; they override all guesses.
type Options struct {
	Delimiter  string            `json:"delimiter,omitempty"`
	Encoding   string            `json:"encoding,omitempty"`
	NoHeader   bool              `json:"no_header,omitempty"`
	HeaderLine int               `json:"header_line,omitempty"` // that names the columns, from 1: a line of text or a row of a sheet
	DateFormat string            `json:"date_format,omitempty"` // D/M/Y, M/D/Y, Y-M-D, YYYYMMDD, or as in %d.%m.%Y
	Types      map[string]string `json:"types,omitempty"`       // column → type
	Sheet      string            `json:"sheet,omitempty"`       // name or number, from 1; of a database, a table's name
	Range      string            `json:"range,omitempty"`       // as B2:F100
	Table      int               `json:"table,omitempty"`       // which of several tables, from the top, from 1
	Page       int               `json:"page,omitempty"`        // of a PDF, from 1
}

// File is a file that is open for reading. It is safe for one goroutine.
type File struct {
	Path        string
	Kind        format.Kind
	Compression string          // "gzip", "zstd" or empty
	Layout      jsonrows.Layout // of JSON
	Info        fs.FileInfo
	// Told is what is known of the rows beside what the text shows.
	Told []api.Caveat

	file    *os.File
	recoded bool       // the JSON is not in UTF-8
	lines   *JSONLines // set by JSONLines
	copy    *os.File   // the copy of the rows, if one was made
}

// Ours reports whether Profile and Load read the file; all others are the
// engine's to read.
func (f *File) Ours() bool { return f.Kind == format.Text || f.Kind == format.Sheet }

// Tagged returns what a parquet file says of its rows. Metadata that only the engine
// can read are not of our making.
func (f *File) Tagged() []api.Caveat {
	text, err := parquetfile.Tagged(f.file, f.Info.Size(), api.CaveatsKey)
	if err != nil {
		return nil
	}
	return api.DecodeCaveats(text)
}

// Opener opens a file for reading; it must not wait for the writer of a pipe.
type Opener func() (*os.File, error)

// Open opens a file and detects its kind from its content. The caller closes it.
func Open(path string) (*File, error) {
	return OpenWith(path, func() (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|kernelfs.NoWait, 0) })
}

// OpenWith is Open for a file that is not to be opened by its path alone; the
// path is its name.
func OpenWith(path string, open Opener) (*File, error) {
	file, err := open()
	if err != nil {
		return nil, readFailed(path, err)
	}
	f := &File{Path: path, file: file}
	if f.Info, err = file.Stat(); err == nil {
		err = regular(f.Info)
	}
	if err == nil {
		err = kernelfs.Check(file)
	}
	if err == nil {
		err = f.detect()
	}
	if err != nil {
		file.Close()
		return nil, readFailed(path, err)
	}
	return f, nil
}

// OpenFile is Open for a file that is open already, and whose name is path. The
// File owns it.
func OpenFile(path string, file *os.File) (*File, error) {
	return OpenWith(path, func() (*os.File, error) { return file, nil })
}

var errFolder = errors.New("it is a folder")

// regular rejects files that can be read only once.
func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errFolder
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	}
	return nil
}

// EnginePath is a path by which the engine opens the same file that is open here,
// even if its name now refers to another. On systems without such paths, it is
// the path that the file was opened by. It is valid until Close.
func (f *File) EnginePath() string {
	path, _ := enginePath(f.file)
	return path
}

// enginePath is EnginePath for any file, and whether the path leads to the file
// that is open.
func enginePath(file *os.File) (path string, open bool) {
	path = fmt.Sprintf("/proc/self/fd/%d", file.Fd())
	seen, err := os.Stat(path)
	if err == nil {
		if own, err := file.Stat(); err == nil && os.SameFile(seen, own) {
			return path, true
		}
	}
	return file.Name(), false
}

// Close closes the file.
func (f *File) Close() error {
	if f.copy != nil {
		_ = os.Remove(f.copy.Name()) // it may have been removed already
		_ = f.copy.Close()           // a temporary copy, already unlinked
	}
	return f.file.Close()
}

// detect determines the kind from the first bytes.
func (f *File) detect() error {
	head := make([]byte, format.HeadSize)
	n, err := f.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	head = head[:n]
	if f.Kind = format.Begins(head); f.Kind != "" {
		return nil
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		f.Compression = "gzip"
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		f.Compression = "zstd"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return f.detectZip()
	case bytes.HasPrefix(head, []byte(compound.Magic[:4])):
		return f.refuseCompound()
	}
	f.Kind = format.Text
	return f.detectJSON()
}

func (f *File) refuseCompound() error {
	n, err := f.compoundKind()
	if err != nil {
		return err
	}
	return n.errorAt(f.Path, "")
}

func (f *File) detectZip() error {
	_, err := xlsx.Open(f.file, f.Info.Size())
	if !errors.Is(err, xlsx.ErrNoWorkbook) {
		f.Kind = format.Sheet
		return err
	}
	return f.archiveKind().errorAt(f.Path, "")
}

// Stream returns the file's bytes from the start, decompressed. Only the last
// stream may be read; closing it leaves the file open.
func (f *File) Stream() (io.ReadCloser, error) { return f.unpack(f.Raw()) }

// Raw returns the file's bytes from the start, as they are.
func (f *File) Raw() io.Reader { return io.NewSectionReader(f.file, 0, 1<<62) }

// At returns random access to the file's bytes.
func (f *File) At() io.ReaderAt { return f.file }

func (f *File) unpack(raw io.Reader) (io.ReadCloser, error) {
	packed := &counted{r: raw}
	switch f.Compression {
	case "gzip":
		in := bufio.NewReaderSize(packed, 256<<10)
		first, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		first.Multistream(false)
		z := &members{first, in}
		return &inflated{z, packed, 0}, nil
	case "zstd":
		d, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(512<<20))
		if err != nil {
			return nil, err
		}
		return &inflated{d.IOReadCloser(), packed, 0}, nil
	}
	return io.NopCloser(raw), nil
}

// IsComplete is advice about a file whose content cannot be read.
const IsComplete = "Check that it is complete, and of the format that its name says."

// readFailed explains why a file can't be read, in the terms of the contract.
func readFailed(path string, err error) error {
	var known *api.Error
	if errors.As(err, &known) {
		return err
	}
	reason := err.Error()
	var pe *fs.PathError
	if errors.As(err, &pe) {
		reason = pe.Err.Error()
	}
	reason, _, _ = strings.Cut(reason, "\n") // closing a damaged file says the same again
	e := &api.Error{
		Code:    api.CodeReadFailed,
		Message: fmt.Sprintf("cannot read %s: %s", path, reason),
		Details: map[string]any{"path": path},
		Err:     err,
	}
	switch {
	case errors.Is(err, xlsx.ErrTooBig):
		e.Code, e.Kind, e.Hint = api.CodeBudget, api.KindMemory, "Save the sheet as CSV, and read that."
	case errors.Is(err, xlsx.ErrLongRow):
		e.Code, e.Kind, e.Hint = api.CodeBudget, api.KindMemory, "Copy its columns to several sheets, and read one after the other."
	case errors.Is(err, fs.ErrNotExist):
		e.Hint = "Check the path; it is taken from the folder that the command runs in."
	case errors.Is(err, errFolder):
		e.Hint = "Name a file in it."
	case errors.Is(err, fs.ErrPermission):
		e.Hint = "Check who may read it."
	case pe == nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded): // its content is at fault
		e.Hint = IsComplete
	}
	return e
}
