package intake

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/delimited"
	"github.com/agnes-data/da/table/dialect"
	"github.com/agnes-data/da/table/encoding"
	"github.com/agnes-data/da/table/infer"
)

// profileText profiles delimited text.
func (f *File) profileText(ctx context.Context, o Options) (*Profile, error) {
	p, e, err := f.gather(ctx, o, f.sniffing(o), func(*evidence) error { return nil })
	if err != nil || e == nil {
		return p, err
	}
	return p, p.settle(e, e.names, o)
}

// sniffing is the part of the dialect that was given, before the file is read.
func (f *File) sniffing(o Options) dialect.Options {
	so := dialect.Options{Delimiter: o.Delimiter, Hint: format.Of(f.Path).Delimiter, HeaderLine: o.HeaderLine}
	if o.NoHeader {
		no := false
		so.Header = &no
	}
	return so
}

// gather reads delimited text and determines everything about it except its
// columns, for which it returns the evidence; nil if the file is empty. begin is
// called before anything is added to the evidence.
func (f *File) gather(ctx context.Context, o Options, so dialect.Options, begin func(*evidence) error) (*Profile, *evidence, error) {
	p := &Profile{Kind: format.Text, Compression: f.Compression}
	survey, hash, err := f.survey(ctx)
	if err != nil {
		return nil, nil, err
	}
	p.Hash = hash
	if err := p.chooseEncoding(f.Path, survey, o); err != nil {
		return nil, nil, err
	}
	sample, whole, err := f.sample(ctx, p.Encoding.Name)
	if err != nil {
		return nil, nil, err
	}
	if !whole && survey.Backslash && bytes.IndexByte(sample, '\t') >= 0 {
		if so.Escapes, err = f.escapes(ctx, p.Encoding.Name); err != nil {
			return nil, nil, err
		}
	}
	s, err := dialect.Sniff(ctx, sample, whole, so)
	if errors.Is(err, dialect.ErrNoHeaderLine) {
		return nil, nil, noHeaderLine(o.HeaderLine)
	}
	if err != nil {
		return nil, nil, tooWide(err)
	}
	p.Dialect, p.Guessed, p.Unsplit, p.Confidence, p.Preamble = s.Dialect, s.Guessed, s.Unsplit, s.Confidence, s.Preamble
	p.Before = s.Before
	p.Header, p.HeaderRows, p.HeaderLine, p.Rival, p.Doubt = s.Header, s.HeaderRows, s.Line, s.Rival, s.Doubt
	p.Format, p.Inferred = textFormat(f.Path, p.Dialect.Delimiter)
	if len(bytes.TrimSpace(sample)) == 0 {
		return p, nil, nil // an empty file is an empty table without columns
	}
	rows, done, err := f.textRows(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = done() }() // only read
	e := newEvidence(max(p.Dialect.Columns, 1), s.Names, p.HeaderRows)
	e.plain = p.Dialect.Quote == 0
	if cuts := p.Dialect.Cuts; len(cuts) > 1 {
		e.first = cuts[1]
	}
	if err := begin(e); err != nil {
		return nil, nil, err
	}
	if err := eachBatch(ctx, rows, e.add); err != nil {
		return nil, nil, err
	}
	p.Footer, p.Another = e.finish(), e.another
	if e.tooWide != nil { // among the last records
		return nil, nil, e.tooWide
	}
	e.problems.passed(rows)
	return p, e, nil
}

// survey reads the whole file once for its hash and its encoding.
func (f *File) survey(ctx context.Context) (*encoding.Survey, string, error) {
	h := xxh3.New()
	r, err := f.unpack(io.TeeReader(ctxReader{ctx, f.Raw()}, h))
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	s, err := encoding.Read(r)
	if err != nil {
		return nil, "", err
	}
	return s, hexOf(h), nil
}

func hexOf(h *xxh3.Hasher) string {
	sum := h.Sum128().Bytes()
	return hex.EncodeToString(sum[:])
}

// hashOf returns the xxh3-128 of all that r yields, in hex.
func hashOf(r io.Reader) (string, error) {
	h := xxh3.New()
	buf := make([]byte, 1<<20)
	for {
		n, err := r.Read(buf)
		_, _ = h.Write(buf[:n])
		if err == io.EOF {
			return hexOf(h), nil
		}
		if err != nil {
			return "", err
		}
	}
}

func (p *Profile) chooseEncoding(path string, s *encoding.Survey, o Options) error {
	p.Encoding = s.Detect()
	if o.Encoding != "" {
		name, err := knownEncoding(o.Encoding)
		if err != nil {
			return err
		}
		p.Encoding = encoding.Result{Name: name, Confidence: 1}
	}
	return notBinary(path, p.Encoding)
}

func notBinary(path string, r encoding.Result) error {
	if !r.Binary {
		return nil
	}
	return &api.Error{
		Code: api.CodeReadFailed, Message: filepath.Base(path) + " holds binary data, not a table in text", Details: map[string]any{"path": path},
		Hint: "Tables are read from " + format.Readable + ".",
	}
}

func noHeaderLine(line int) error {
	return &api.Error{
		Code: api.CodeValidation, Message: fmt.Sprintf("nothing on line %d can name the columns: it is blank, behind the end, or too far from the start", line),
		Hint:    "Give the line of the file, or the row of the sheet, that has the names, counted from 1.",
		Details: map[string]any{"header_line": line},
	}
}

func knownEncoding(name string) (string, error) {
	known, ok := encoding.Canonical(name)
	if !ok {
		return "", &api.Error{
			Code: api.CodeValidation, Message: fmt.Sprintf("encoding %q is not known", name),
			Hint: "Use a name such as utf-8, utf-16le, windows-1252, iso-8859-2, shift_jis or gb18030.",
		}
	}
	return known, nil
}

// longestSample bounds the sample of a file whose lines are very long.
const longestSample = 16 << 20

// sample decodes the start of the file: as much as is usual, and the header and
// two rows at least.
func (f *File) sample(ctx context.Context, enc string) (text []byte, whole bool, err error) {
	r, err := f.Stream()
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	d, err := encoding.NewReader(ctxReader{ctx, r}, enc)
	if err != nil {
		return nil, false, err
	}
	for size := dialect.SampleSize; ; size *= 2 {
		more, err := io.ReadAll(io.LimitReader(d, int64(size+1-len(text))))
		text = append(text, more...)
		if err != nil || len(text) <= size {
			return text, true, err
		}
		if size >= longestSample || bytes.Count(text[:size], []byte{'\n'}) > 2 {
			return text[:size], false, nil
		}
	}
}

// escapes looks at all backslashes of the file: the first may be behind the sample.
func (f *File) escapes(ctx context.Context, enc string) (*dialect.Escapes, error) {
	r, err := f.Stream()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	d, err := encoding.NewReader(ctxReader{ctx, r}, enc)
	if err != nil {
		return nil, err
	}
	e := &dialect.Escapes{}
	if _, err := io.Copy(e, d); err != nil && !e.Plain() {
		return nil, err
	}
	return e, nil
}

// textRows starts reading the records that p describes.
func (f *File) textRows(ctx context.Context, p *Profile) (rows *delimited.Reader, done func() error, err error) {
	r, err := f.Stream()
	if err != nil {
		return nil, nil, err
	}
	d, err := encoding.NewReader(ctxReader{ctx, r}, p.Encoding.Name)
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	size := delimited.BlockSize
	if f.Compression == "" { // there may be many small files
		size = min(size, 2*int(min(f.Info.Size(), delimited.BlockSize))+1024)
	}
	return delimited.NewReader(d, p.Dialect, size), r.Close, nil
}

// settle decides the columns from the evidence.
func (p *Profile) settle(e *evidence, header []string, o Options) error {
	p.Rows, p.Problems, p.Sums = e.rows, e.problems, e.sums
	p.Problems.Damaged = p.Encoding.Damaged
	n := len(e.cols)
	for k := len(header); k > n && k > 0; k-- {
		if header[k-1] == "" {
			header = header[:k-1]
			continue
		}
		c := &infer.Column{}
		c.Skip(e.rows)
		e.cols = append(e.cols[:n:n], append([]*infer.Column{c}, e.cols[n:]...)...)
	}
	if named := len(e.cols); named > n && e.rows > 0 && p.Kind == format.Text && p.Problems.Short == 0 {
		p.Problems.Short = e.rows
		p.Problems.Places = append(p.Problems.Places, Problem{
			Kind: ShortRow, Line: int64(p.Dialect.Skip + p.HeaderRows + 1),
			Reason: fmt.Sprintf("fewer fields than the %d names of the header: the rest is null", named),
		})
	}
	n = len(e.cols)
	for n > 1 && e.cols[n-1].Empty() && (n > len(header) || header[n-1] == "") && p.Header {
		n--
		p.Dropped++
	}
	if p.Header && p.Kind == format.Text {
		for p.Left < n-1 && e.cols[p.Left].Empty() && (p.Left >= len(header) || header[p.Left] == "") {
			p.Left++
		}
		e.cols, header = e.cols[p.Left:], header[min(p.Left, len(header)):]
		n -= p.Left
		p.Dropped += p.Left
	}
	var names []string
	names, p.Renamed = columnNames(header, n)
	hints := infer.GatherHints(e.cols[:n])
	if err := o.hints(&hints); err != nil {
		return err
	}
	for i := range n {
		c := Column{Name: names[i], Decision: e.cols[i].Decide(hints), MaxLen: e.cols[i].MaxLen, MadeUp: i >= len(header) ||
			strings.TrimSpace(header[i]) == ""}
		if p.Kind == format.Sheet && e.cols[i].Quoted == 0 {
			c.Ambiguous = "" // only a text can be read in two ways
		}
		p.Columns = append(p.Columns, c)
	}
	if err := o.force(p.Columns, hints); err != nil {
		return err
	}
	for _, c := range p.Columns {
		if near := c.Near; near != nil {
			for _, at := range near.Places {
				if at.File != e.file {
					continue
				}
				p.Problems.Places = append(p.Problems.Places, Problem{
					Kind: Misfit, Line: at.Line, Column: c.Name, Text: at.Text,
					Reason: fmt.Sprintf("not %s, as the other cells are: the column is text", article(near.Type)),
				})
			}
			p.Problems.Misfit += near.Misfit
		}
	}
	if p.Rival == 0 && !o.NoHeader && o.HeaderLine == 0 {
		p.Rival = p.namesBelow(e.file)
	}
	return nil
}

func article(t infer.Type) string {
	if t == infer.Integer {
		return "an integer"
	}
	return "a " + string(t)
}

// textFormat names the format; inferred says that the name of the file doesn't.
func textFormat(path, delim string) (name string, inferred bool) {
	named, written := format.Of(path), format.Delimited(delim)
	switch {
	case named.Name == "csv":
		return named.Name, delim != named.Delimiter && delim != ""
	case written.Name != "":
		return written.Name, written.Name != named.Name
	}
	return "delimited", true
}

// ctxReader ends a long read when its context is done.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// ctxReaderAt is a ctxReader for random access.
type ctxReaderAt struct {
	ctx context.Context
	r   io.ReaderAt
}

func (c ctxReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.ReadAt(p, off)
}
