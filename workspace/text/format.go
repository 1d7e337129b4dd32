package text

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/agnes-data/da/api"
	found "github.com/agnes-data/da/table/encoding"
)

// headBytes is how much of a file its format is read from.
const headBytes = 64 << 10

// Format describes the encoding and line ends of a text.
type Format struct {
	Encoding string `json:"encoding"` // utf-8, utf-16le, shift_jis, windows-1250, …
	// Guessed says that the encoding is only likely: the bytes are not UTF-8, and
	// neither a mark nor the caller says what they are.
	Guessed bool   `json:"encoding_guessed,omitempty"`
	LineEnd string `json:"line_end"` // "\n" or "\r\n"

	unsure bool              // little speaks for the guess
	mark   []byte            // byte order mark
	wide   encoding.Encoding // UTF-16 and UTF-32: what follows the mark is decoded as a whole
	small  encoding.Encoding // a line end is one byte, as in ASCII: lines keep their bytes
}

// Default is the format of new files.
func Default() Format { return Format{Encoding: "utf-8", LineEnd: "\n"} }

// Detect reads a text's format from its first bytes that are not ASCII. name is the
// encoding if the caller knows it; one that is not known is CodeUsage. A
// CodeValidation error of kind binary says that the file is not text.
func Detect(r io.ReaderAt, name string) (Format, error) {
	head, err := telling(r)
	if err != nil {
		return Format{}, &api.Error{Code: api.CodeReadFailed, Message: "cannot read the file: " + err.Error(), Err: err}
	}
	var f Format
	if name != "" {
		f, err = named(name)
	} else {
		f, err = judged(head)
	}
	if err != nil {
		return f, err
	}
	if !bytes.HasPrefix(head, f.mark) {
		f.mark = nil
	}
	if first, _, found := strings.Cut(f.show(f.first(head)), "\n"); found && strings.HasSuffix(first, "\r") {
		f.LineEnd = "\r\n"
	}
	return f, nil
}

// telling returns the first bytes of a text, or, where these are all ASCII, the lines
// from the first other byte on.
func telling(r io.ReaderAt) ([]byte, error) {
	head, err := io.ReadAll(io.NewSectionReader(r, 0, headBytes))
	if err != nil || len(head) < headBytes || plain(head) < len(head) {
		return head, err
	}
	buf := make([]byte, 256<<10)
	for at := int64(headBytes); ; {
		n, err := r.ReadAt(buf, at)
		if i := plain(buf[:n]); i < n {
			start := at + int64(bytes.LastIndexByte(buf[:i], '\n')+1)
			return io.ReadAll(io.NewSectionReader(r, start, headBytes))
		}
		if errors.Is(err, io.EOF) {
			return head, nil
		}
		if err != nil {
			return nil, err
		}
		at += int64(n)
	}
}

// plain is how many bytes at the start of p are ASCII, without zero bytes.
func plain(p []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(p); i += 8 {
		if v := binary.LittleEndian.Uint64(p[i:]); (v|(v-ones)&^v)&highs != 0 {
			break
		}
	}
	for i < len(p) && p[i] != 0 && p[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// named is the format of an encoding, with the mark that a text in it may begin with.
func named(name string) (Format, error) {
	f := Default()
	var ok bool
	if f.Encoding, ok = found.Canonical(name); !ok {
		return f, &api.Error{Code: api.CodeUsage, Kind: api.KindEncoding, Message: fmt.Sprintf("there is no encoding '%s'", api.Clip(name, 40)),
			Hint: "Names are those of the web, such as utf-8, utf-16le, windows-1250, shift_jis, euc-jp, gb18030, big5 or euc-kr."}
	}
	switch f.Encoding {
	case "utf-8":
		f.mark = []byte("\xef\xbb\xbf")
	case "utf-16le":
		f.mark, f.wide = []byte("\xff\xfe"), unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		f.mark, f.wide = []byte("\xfe\xff"), unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "utf-32le":
		f.mark, f.wide = []byte("\xff\xfe\x00\x00"), utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case "utf-32be":
		f.mark, f.wide = []byte("\x00\x00\xfe\xff"), utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	default:
		f.small = found.Lookup(f.Encoding)
	}
	return f, nil
}

// judged is the format that bytes most probably are in.
func judged(head []byte) (Format, error) {
	survey, err := found.Read(bytes.NewReader(wholeLetters(head)))
	if err != nil {
		return Format{}, err
	}
	d := survey.Detect()
	isUTF8 := utf8.Valid(wholeLetters(head))
	switch {
	case d.BOM, isUTF8 && d.Name == "iso-2022-jp":
	case bytes.IndexByte(head, 0) >= 0:
		if d.Binary || !strings.HasPrefix(d.Name, "utf-16") && !strings.HasPrefix(d.Name, "utf-32") {
			return Format{}, &api.Error{Code: api.CodeValidation, Kind: api.KindBinary, Message: "the file is not text"}
		}
	case isUTF8:
		d.Name = "utf-8"
	case d.Name == "utf-8", !found.MultiByte(d.Name) && d.Confidence < found.LowConfidence, d.Confidence <= thin:
		if d.Confidence = 0; d.Name != "iso-8859-1" { // the same letters
			d.Name = "windows-1252" // nothing tells: that of Western Europe
		}
	}
	f, err := named(d.Name)
	f.Guessed = !d.BOM && d.Name != "utf-8"
	f.unsure = f.Guessed && d.Confidence < found.LowConfidence
	return f, err
}

// thin is the confidence that three letters give.
const thin = 0.5

// wholeLetters removes an incomplete character from the end of a head.
func wholeLetters(head []byte) []byte {
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

// reader returns the text without its byte order mark: UTF-16 and UTF-32 converted
// to UTF-8, any other encoding unchanged.
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
		return nil, &api.Error{Code: api.CodeValidation, Kind: api.KindEncoding, Message: "the content is not UTF-8"}
	}
	if f.small == nil {
		return []byte(content), nil
	}
	for i, r := range content {
		if _, err := f.small.NewEncoder().String(string(r)); err != nil {
			return nil, &api.Error{Code: api.CodeValidation, Kind: api.KindEncoding,
				Message: fmt.Sprintf("the file is in %s, which has no letter %q (line %d of the content)", f.Encoding, r,
					1+strings.Count(content[:i], "\n")),
				Hint: "Nothing was changed. Write the whole text into a new file, which is UTF-8, instead."}
		}
	}
	return f.small.NewEncoder().Bytes([]byte(content))
}
