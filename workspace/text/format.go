package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/agnes-data/da/api"
	found "github.com/agnes-data/da/table/encoding"
)

// headBytes is how much of a file its format is read from.
const headBytes = 64 << 10

// Format describes the encoding and line ends of a text.
type Format struct {
	Encoding string `json:"encoding"` // utf-8, utf-16le, utf-16be, or a single-byte encoding
	// Guessed says that the encoding is only likely, because the bytes are not
	// UTF-8 and have no byte order mark.
	Guessed bool   `json:"encoding_guessed,omitempty"`
	LineEnd string `json:"line_end"` // "\n" or "\r\n"

	mark  []byte            // byte order mark
	wide  encoding.Encoding // UTF-16: the text after the mark is decoded as a whole
	small encoding.Encoding // single-byte encoding: lines keep their bytes
}

// Default is the format of new files.
func Default() Format { return Format{Encoding: "utf-8", LineEnd: "\n"} }

// Detect determines a text's format from its first bytes. It returns a
// CodeValidation error of kind binary if the bytes are not text.
func Detect(r io.ReaderAt) (Format, error) {
	head, err := io.ReadAll(io.NewSectionReader(r, 0, headBytes))
	if err != nil {
		return Format{}, &api.Error{Code: api.CodeReadFailed, Message: "cannot read the file: " + err.Error(), Err: err}
	}
	f := Default()
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		f.mark = head[:3:3]
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		f.Encoding, f.mark, f.wide = "utf-16le", head[:2:2], unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		f.Encoding, f.mark, f.wide = "utf-16be", head[:2:2], unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case bytes.IndexByte(head, 0) >= 0:
		return f, &api.Error{Code: api.CodeValidation, Kind: "binary", Message: "the file is not text",
			Hint: "It can be read as bytes, or, if it is a document that is understood, by its sheets, sections, slides or pages."}
	case !utf8.Valid(whole(head)):
		f.Guessed = true
		f.Encoding, f.small = likely(head)
	}
	if first, _, found := strings.Cut(f.show(f.first(head)), "\n"); found && strings.HasSuffix(first, "\r") {
		f.LineEnd = "\r\n"
	}
	return f, nil
}

// likely returns the most probable single-byte encoding of the bytes; if there is
// no evidence, the one for Western Europe.
func likely(head []byte) (string, encoding.Encoding) {
	if survey, err := found.Read(bytes.NewReader(head)); err == nil {
		if d := survey.Detect(); d.Confidence >= found.LowConfidence {
			if letters := found.OneByte(d.Name); letters != nil && letters != charmap.Windows1252 {
				return d.Name, letters
			}
		}
	}
	return "windows-1252", charmap.Windows1252
}

// whole removes an incomplete character from the end of a head.
func whole(head []byte) []byte {
	if len(head) == headBytes {
		for i := 1; i <= utf8.UTFMax && i < len(head); i++ {
			if utf8.RuneStart(head[len(head)-i]) {
				return head[:len(head)-i]
			}
		}
	}
	return head
}

// first returns the decoded text of a head.
func (f Format) first(head []byte) []byte {
	text, _ := io.ReadAll(f.reader(bytes.NewReader(head))) // the last character may be incomplete
	return text
}

// reader returns the text without its byte order mark: UTF-16 converted to UTF-8,
// any other encoding unchanged.
func (f Format) reader(r io.Reader) io.Reader {
	_, _ = io.CopyN(io.Discard, r, int64(len(f.mark))) // Detect has already read the mark
	if f.wide != nil {
		return transform.NewReader(r, f.wide.NewDecoder())
	}
	return r
}

// writer is the other way of reader. The caller closes it.
func (f Format) writer(w io.Writer) (io.WriteCloser, error) {
	if _, err := w.Write(f.mark); err != nil {
		return nil, err
	}
	if f.wide != nil {
		return transform.NewWriter(w, f.wide.NewEncoder()), nil
	}
	return keepOpen{w}, nil
}

type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

// show decodes the bytes of a line.
func (f Format) show(line []byte) string {
	if f.small != nil {
		if text, err := f.small.NewDecoder().Bytes(line); err == nil {
			return string(text)
		}
	}
	return strings.ToValidUTF8(string(line), "\uFFFD")
}

// take encodes a text, using the line ends of the format. It fails with
// CodeValidation if the encoding lacks a character.
func (f Format) take(content string) ([]byte, error) {
	content = strings.ReplaceAll(content, "\r\n", "\n")
	if f.LineEnd != "\n" {
		content = strings.ReplaceAll(content, "\n", f.LineEnd)
	}
	if !utf8.ValidString(content) {
		return nil, &api.Error{Code: api.CodeValidation, Kind: "encoding", Message: "the content is not UTF-8"}
	}
	if f.small == nil {
		return []byte(content), nil
	}
	for i, r := range content {
		if _, err := f.small.NewEncoder().String(string(r)); err != nil {
			return nil, &api.Error{Code: api.CodeValidation, Kind: "encoding", Message: fmt.Sprintf("the file is in %s, which has no letter %q (line %d of the content)", f.Encoding, r, 1+strings.Count(content[:i], "\n")),
				Hint: "Nothing was changed. Write the whole text into a new file, which is UTF-8, instead."}
		}
	}
	return f.small.NewEncoder().Bytes([]byte(content))
}
