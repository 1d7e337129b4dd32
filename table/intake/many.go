package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/dialect"
	"github.com/agnes-data/da/table/encoding"
	"github.com/agnes-data/da/table/infer"
)

// Unlike says that two files are not parts of one table.
type Unlike struct {
	A, B int // which, from 0
	Why  string
}

// Error implements error.
func (u *Unlike) Error() string { return fmt.Sprintf("files %d and %d %s", u.A+1, u.B+1, u.Why) }

// ProfileAll profiles n files of delimited text as parts of one table: all get
// the columns that their rows together have. For a single file it returns the
// same as Profile. Files without text get a profile without columns. It calls
// open for one file after the other, and closes the results. Files that do not
// belong together are an error of type *Unlike.
func ProfileAll(ctx context.Context, n int, open func(i int) (*File, error), o Options) ([]*Profile, error) {
	if err := o.checkHeader(); err != nil {
		return nil, err
	}
	m := &many{o: o}
	if err := m.read(ctx, n, open); err != nil {
		return nil, err
	}
	if m.shareHeader() {
		// Files that are no table with this header are read as they were.
		headed := &many{o: o, header: true}
		if err := headed.read(ctx, n, open); err == nil {
			m = headed
			m.profiles[m.first].Shared = true
		} else if ctx.Err() != nil {
			return nil, err
		}
	}
	if m.first < 0 {
		return m.profiles, nil
	}
	p := m.profiles[m.first]
	m.evidence.cols = m.cols
	if err := p.settle(m.evidence, m.evidence.names, o); err != nil {
		return nil, err
	}
	m.share(p)
	if len(o.Types) == 0 {
		return m.profiles, nil
	}
	return m.profiles, m.verify(ctx, open)
}

// many are the parts of a table that were read so far.
type many struct {
	o        Options
	header   bool // there is one, whatever a file looks like
	profiles []*Profile
	widths   []int // fields of a record, 0 in an empty file
	first    int   // the first file that is not empty; -1: none so far
	evidence *evidence
	cols     []*infer.Column // of all files
	starts   [][]string      // first records of the files that are not empty
}

// share gives all files the columns of the table. What is doubtful about a column is told of
// one file: the one with the first cell that shows it, or the first one.
func (m *many) share(p *Profile) {
	columns := p.Columns
	for i, q := range m.profiles {
		if m.widths[i] == 0 {
			continue
		}
		q.Columns, q.Left = slices.Clone(columns), p.Left
		for j := range q.Columns {
			c, first := &q.Columns[j], i == m.first
			if !first {
				c.Ambiguous, c.NullCells = "", 0
			}
			if at := c.NoteAt; at.Text == "" && !first || at.Text != "" && at.File != i {
				c.Note = ""
			}
			if c.FailedAt.File != i {
				c.Failed = 0
			}
			if c.Near == nil {
				continue
			}
			own := len(c.Near.Places) == 0 && first || len(c.Near.Places) > 0 && c.Near.Places[0].File == i
			switch {
			case own && !first:
				q.Problems.Misfit += c.Near.Misfit
			case !own && first:
				q.Problems.Misfit -= c.Near.Misfit
			}
			if !own {
				c.Near = nil
			}
		}
	}
}

// read adds all files.
func (m *many) read(ctx context.Context, n int, open func(i int) (*File, error)) error {
	m.first = -1
	for i := range n {
		f, err := open(i)
		if err == nil {
			err = errors.Join(m.add(ctx, i, f), f.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// shareHeader reports whether files that seem to have no header all begin with the
// same record, of different names, and hold more than that.
func (m *many) shareHeader() bool {
	if m.first < 0 || m.profiles[m.first].Header || m.o.NoHeader || len(m.starts) < 2 {
		return false
	}
	rows := m.evidence.rows
	for i, p := range m.profiles {
		if i != m.first {
			rows += p.Rows
		}
	}
	seen := map[string]bool{}
	for _, name := range m.starts[0] {
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" || seen[name] || infer.LookAt([]byte(name)) != infer.LooksText {
			return false
		}
		seen[name] = true
	}
	return rows > int64(len(m.starts)) &&
		!slices.ContainsFunc(m.starts, func(s []string) bool { return !slices.Equal(s, m.starts[0]) })
}

// add reads a file with the dialect of the first one, because a single file does
// not always show whether there is a header, and what the delimiter is.
func (m *many) add(ctx context.Context, i int, f *File) error {
	if f.Kind != format.Text {
		return readFailed(f.Path, fmt.Errorf("it holds no delimited text, but %s", f.Kind))
	}
	so := f.sniffing(m.o)
	if m.header {
		so.Header = &m.header
	}
	if m.first >= 0 {
		p := m.profiles[m.first]
		so.Header = &p.Header
		if p.Dialect.Cuts == nil && so.Delimiter == "" {
			so.Delimiter = p.Dialect.Delimiter
			if p.Dialect.Gap > 0 {
				so.Delimiter = strings.Repeat(" ", p.Dialect.Gap)
			}
		}
	}
	p, e, err := f.gather(ctx, m.o, so, func(e *evidence) error { return m.join(i, e) })
	var unlike *Unlike
	if errors.As(err, &unlike) {
		return err
	}
	if err != nil {
		return readFailed(f.Path, err)
	}
	m.profiles = append(m.profiles, p)
	if e == nil {
		m.widths = append(m.widths, 0)
		return nil
	}
	m.widths, m.starts = append(m.widths, e.n), append(m.starts, e.start)
	if len(e.cols) > len(m.cols) {
		m.cols = e.cols
	}
	if m.first < 0 {
		m.first, m.evidence = i, e
		return nil
	}
	p.Rows, p.Problems, p.Sums = e.rows, e.problems, e.sums
	p.Problems.Damaged = p.Encoding.Damaged
	return nil
}

// join has the evidence of a file add to that of the others, if their records
// are alike.
func (m *many) join(i int, e *evidence) error {
	if e.file = i; m.first < 0 {
		return nil
	}
	a, b := trimmed(m.evidence.names), trimmed(e.names)
	switch {
	case !slices.Equal(a, b):
		return &Unlike{m.first, i, fmt.Sprintf("have different columns, %s and %s", quoted(a), quoted(b))}
	case len(a) == 0 && e.n != m.evidence.n:
		return &Unlike{m.first, i, fmt.Sprintf("have rows of %d and of %d fields", m.evidence.n, e.n)}
	}
	copy(e.cols, m.cols)
	if len(m.cols) > len(e.cols) {
		e.cols = append(e.cols, m.cols[len(e.cols):]...)
	}
	return nil
}

// trimmed is a header without the empty names at its end.
func trimmed(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.TrimSpace(n)
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

func quoted(names []string) string {
	text := fmt.Sprintf("%q", names)
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return text
}

// verify counts the cells that do not fit a type given by the caller.
func (m *many) verify(ctx context.Context, open func(i int) (*File, error)) error {
	for i, p := range m.profiles {
		if m.widths[i] == 0 {
			continue
		}
		p.Columns = slices.Clone(p.Columns) // counts are each file's own
		f, err := open(i)
		if err == nil {
			err = errors.Join(f.verify(ctx, p), f.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Names returns the names in the header of delimited text, from the start of the
// file; without a header, one empty name per field. For JSON it returns the keys
// of the first row; its errors are those of JSONLines.
func (f *File) Names(ctx context.Context) ([]string, error) {
	if f.Kind == format.JSON {
		return f.firstKeys()
	}
	if f.Kind != format.Text {
		return nil, nil
	}
	start, err := f.startEncoding()
	if err != nil {
		return nil, err
	}
	sample, whole, err := f.sample(ctx, start.Name)
	if err != nil {
		return nil, err
	}
	s, err := dialect.Sniff(ctx, sample, whole, f.sniffing(Options{}))
	if err != nil {
		return nil, readFailed(f.Path, tooWide(err))
	}
	if s.Header {
		return trimmed(s.Names), nil
	}
	return make([]string, s.Dialect.Columns), nil
}

// CheckStart returns an error if the start of a text holds binary data.
func (f *File) CheckStart() error {
	if f.Kind != format.Text {
		return nil
	}
	_, err := f.startEncoding()
	return err
}

// startEncoding is the encoding of the start of a text.
func (f *File) startEncoding() (encoding.Result, error) {
	r, err := f.Stream()
	if err != nil {
		return encoding.Result{}, err
	}
	defer r.Close()
	survey, err := encoding.Read(io.LimitReader(r, dialect.SampleSize))
	if err != nil {
		return encoding.Result{}, err
	}
	start := survey.Detect()
	return start, notBinary(f.Path, start)
}
