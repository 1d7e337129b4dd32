package xlsx

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// The size of a sheet.
const (
	MaxRows    = 1 << 20
	MaxColumns = 1 << 14
)

// Limits on the unpacked size of parts. A sheet is streamed and costs only time;
// what is kept in memory has tight limits.
const (
	maxSheetBytes  = 32 << 30
	maxStringBytes = 512 << 20
	freeStrings    = 64 << 20 // XML bytes that shared strings can always have
	maxInflation   = 50       // maximum ratio to their packed size beyond that
	maxPartBytes   = 64 << 20
	maxStrings     = 1 << 26
	maxRowBytes    = 16 << 20 // text of one row, whose cells can all share one long text; as for text files
)

// ErrNoWorkbook means that the archive is something else.
var ErrNoWorkbook = errors.New("the archive holds no workbook")

// ErrTooBig means that a part of the workbook unpacks to more than any real
// workbook.
var ErrTooBig = errors.New("the workbook unpacks to more than it may")

// ErrLongRow means that a row has more text than a record of any file may have.
var ErrLongRow = errors.New("its cells have more than 16 MiB of text")

// PartError is an error of one part of the workbook other than the sheet that is read.
type PartError struct {
	Part string
	Err  error
}

func (e *PartError) Error() string { return e.Part + ": " + e.Err.Error() }
func (e *PartError) Unwrap() error { return e.Err }

// SheetInfo describes one sheet.
type SheetInfo struct {
	Name   string
	Hidden bool
	part   string
}

// Workbook is an open workbook. It is safe for one goroutine.
type Workbook struct {
	Sheets    []SheetInfo
	Dates1904 bool // dates count from 1904, as old Macs did
	// Stale says that the values of formulas are to be calculated again before they
	// are used: they may be older than a change, or placeholders.
	Stale bool

	parts   map[string]*zip.File
	styles  []style // by index of the cell format
	strings *stringTable
	where   string // the part with the shared strings
}

// Open reads the directory of a workbook. r must stay open.
func Open(r io.ReaderAt, size int64) (*Workbook, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	w := &Workbook{parts: map[string]*zip.File{}}
	for _, f := range z.File {
		w.parts[strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(f.Name, "\\", "/"), "/"))] = f
	}
	main := w.mainPart()
	if !w.isWorkbook(main) {
		return nil, ErrNoWorkbook
	}
	if err := w.readWorkbook(main); err != nil {
		return nil, fmt.Errorf("workbook: %w", err)
	}
	return w, nil
}

// mainPart returns the archive's main part, which can have any name.
func (w *Workbook) mainPart() string {
	main := "xl/workbook.xml"
	if rels, err := w.relations("_rels/.rels", ""); err == nil {
		for _, rel := range rels {
			if strings.HasSuffix(rel.kind, "/officeDocument") {
				main = rel.target
			}
		}
	}
	return main
}

// isWorkbook checks the first tag of the main part, which differs in documents
// and presentations.
func (w *Workbook) isWorkbook(main string) bool {
	is, first := false, errors.New("it is read")
	_ = w.walk(main, func(s *scanner) error {
		if s.kind != tokenStart {
			return nil
		}
		is = s.is(tokenStart, "workbook")
		return first
	})
	return is
}

// part opens a part of the archive; reading more than limit bytes fails.
func (w *Workbook) part(name string, limit int64) (io.ReadCloser, error) {
	f, ok := w.parts[strings.ToLower(name)]
	if !ok {
		return nil, fmt.Errorf("the part %s is missing", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	return asUTF8(&limited{r: r, left: limit})
}

// asUTF8 decodes a part that is in UTF-16, as some programs write them, or in the
// encoding that its XML declares.
func asUTF8(r io.ReadCloser) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(r, 4<<10)
	head, err := b.Peek(128)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, r.Close())
	}
	var from encoding.Encoding
	switch string(head[:min(len(head), 2)]) {
	case "\xff\xfe", "<\x00":
		from = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case "\xfe\xff", "\x00<":
		from = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	default:
		if from, err = declared(head); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	text := io.Reader(b)
	if from != nil {
		text = transform.NewReader(b, from.NewDecoder())
	}
	return struct {
		io.Reader
		io.Closer
	}{text, r}, nil
}

// declared returns the encoding that the head of a part declares; nil for UTF-8.
func declared(head []byte) (encoding.Encoding, error) {
	declaration, _, ok := bytes.Cut(head, []byte("?>"))
	_, name, named := bytes.Cut(declaration, []byte("encoding="))
	if !ok || !named || len(name) < 2 {
		return nil, nil
	}
	name, _, _ = bytes.Cut(name[1:], name[:1])
	if strings.EqualFold(string(name), "utf-8") || strings.EqualFold(string(name), "us-ascii") {
		return nil, nil
	}
	from, err := ianaindex.IANA.Encoding(string(name))
	if err != nil || from == nil {
		return nil, fmt.Errorf("a part is in the encoding %q, which is not known", clip(name))
	}
	return from, nil
}

// limited fails once more than left bytes have been read.
type limited struct {
	r    io.ReadCloser
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, ErrTooBig
	}
	return n, err
}

func (l *limited) Close() error { return l.r.Close() }

// relation points from one part to another.
type relation struct{ id, kind, target string }

// relations reads a part of relations; targets are taken from folder base.
func (w *Workbook) relations(name, base string) ([]relation, error) {
	var out []relation
	err := w.walk(name, func(s *scanner) error {
		if !s.is(tokenStart, "Relationship") || string(s.attr("TargetMode")) == "External" {
			return nil
		}
		target := string(appendUnescaped(nil, s.attr("Target")))
		if strings.HasPrefix(target, "/") {
			target = target[1:]
		} else {
			target = path.Join(base, target)
		}
		out = append(out, relation{string(s.attr("Id")), string(s.attr("Type")), strings.ToLower(target)})
		return nil
	})
	return out, err
}

// walk hands every token of a small part to f.
func (w *Workbook) walk(name string, f func(*scanner) error) error {
	r, err := w.part(name, maxPartBytes)
	if err != nil {
		return err
	}
	defer r.Close()
	s := newScanner(r)
	for {
		if err := s.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := f(s); err != nil {
			return err
		}
	}
}

// readWorkbook reads the list of sheets and finds their parts.
func (w *Workbook) readWorkbook(main string) error {
	rels, err := w.relations(path.Join(path.Dir(main), "_rels", path.Base(main)+".rels"), path.Dir(main))
	if err != nil {
		return err
	}
	targets := map[string]string{}
	for _, r := range rels {
		targets[r.id] = r.target
		switch {
		case strings.HasSuffix(r.kind, "/styles"):
			// Some writers name a part that they leave out when it is empty.
			if err := w.readStyles(r.target); err != nil && w.parts[r.target] != nil {
				return err
			}
		case strings.HasSuffix(r.kind, "/sharedStrings") && w.parts[r.target] != nil:
			w.where = r.target
		}
	}
	return w.walk(main, func(s *scanner) error {
		switch {
		case s.is(tokenStart, "workbookPr"):
			v := string(s.attr("date1904"))
			w.Dates1904 = v == "1" || v == "true"
		case s.is(tokenStart, "calcPr"):
			v := string(s.attr("fullCalcOnLoad"))
			w.Stale = v == "1" || v == "true"
		case s.is(tokenStart, "sheet"):
			part := targets[string(s.prefixed("id"))]
			if part == "" {
				part = targets[string(s.attr("id"))]
			}
			if strings.Contains(part, "chartsheets/") || part == "" || len(w.Sheets) > 10_000 {
				return nil
			}
			w.Sheets = append(w.Sheets, SheetInfo{
				Name:   string(appendUnescaped(nil, s.attr("name"))),
				Hidden: len(s.attr("state")) > 0 && string(s.attr("state")) != "visible",
				part:   part,
			})
		}
		return nil
	})
}
