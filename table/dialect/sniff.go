package dialect

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/agnes-data/da/table/delimited"
)

const (
	// SampleSize is how many bytes of a file's text Sniff examines.
	SampleSize = 256 << 10
	// MaxColumns is the maximum number of columns of a table.
	MaxColumns = 50_000
	maxRows    = 2000      // records of the sample to examine
	maxCells   = 1_000_000 // cells to examine
)

// Sniff examines the sample; whole says that it is the whole file. The error is
// that of ctx, ErrNoHeaderLine, or a *TooWide.
func Sniff(ctx context.Context, sample []byte, whole bool, o Options) (Result, error) {
	if !whole {
		if i := bytes.LastIndexByte(sample, '\n'); i > 0 {
			sample = sample[:i+1]
		}
	}
	if o.HeaderLine > 1 {
		return sniffBelow(ctx, sample, whole, o)
	}
	directive := 0
	if sep, ok := separatorLine(sample); ok {
		directive = 1
		if o.Delimiter == "" {
			o.Delimiter = sep
		}
	}
	ends := otherEnds(sample)
	if ends != "" {
		sample = bytes.ReplaceAll(sample, []byte(ends), []byte{'\n'})
	}
	best, err := bestReading(ctx, sample, o, directive)
	if err != nil {
		return Result{}, err
	}
	if best.n > MaxColumns {
		return Result{}, best.tooWide()
	}
	if o.Delimiter == "" {
		best = aligned(sample, best)
		best.guessed = best.guessed || best.splitsAligned(sample)
	}
	if inner := unwrapped(sample, best); inner != nil {
		in, err := bestReading(ctx, inner, o, directive)
		if err != nil {
			return Result{}, err
		}
		if in.n > 1 && in.even() && in.holdsRecords(sample) {
			in.d.Wrapped, in.d.Quote = true, '"'
			best = in
		}
	}
	best.refine(sample)
	res := best.result(sample, o, directive)
	res.Ends = ends
	return res, ctx.Err()
}

// tooWide is the first record of too many fields.
func (r *reading) tooWide() *TooWide {
	for _, rec := range r.rows {
		if rec.fields > MaxColumns {
			return &TooWide{Line: rec.line, Fields: rec.fields}
		}
	}
	return &TooWide{Line: 1, Fields: r.n}
}

// otherEnds returns the record separator of a text without LF and CR, or "":
// mainframes use a next-line character, and ASCII has a record separator.
func otherEnds(sample []byte) string {
	if bytes.ContainsAny(sample, "\r\n") {
		return ""
	}
	for _, e := range []string{"\x1e", "\u0085", "\u2028"} {
		if bytes.Count(sample, []byte(e)) > 1 {
			return e
		}
	}
	return ""
}

// unwrapped returns the sample with the quotes taken off its lines, if each of
// them is one quoted field.
func unwrapped(sample []byte, r *reading) []byte {
	if r != nil && r.d.Quote == 0 {
		r = read(sample, delimited.Dialect{Quote: '"', Skip: r.d.Skip})
		r.n = 1
	}
	if r == nil || r.n != 1 || r.d.Quote != '"' || len(r.rows) < 2 || !r.allQuoted() || !r.rows[0].cells[0].quoted {
		return nil
	}
	var out []byte
	for _, line := range bytes.SplitAfter(sample, []byte{'\n'}) {
		out = append(out, delimited.Unwrap(line, '"')...)
	}
	return out
}

// holdsRecords reports whether lines without their quotes are records, as opposed
// to texts that contain a delimiter: they contain doubled quotes, or commas or
// semicolons, for which a program that saves records as texts quotes them, and names
// above a column of numbers or dates.
func (r *reading) holdsRecords(sample []byte) bool {
	return bytes.Contains(sample, []byte(`""`)) ||
		(r.d.Delimiter == "," || r.d.Delimiter == ";") && len(r.rows) > 2 && namesColumns(r.rows[0]) && anyTyped(r.rows[1:], r.n)
}

// even reports whether all records have the usual number of fields and none was
// repaired.
func (r *reading) even() bool {
	if r.mended > 0 {
		return false
	}
	return !slices.ContainsFunc(r.rows, func(rec record) bool { return len(rec.cells) != r.n })
}

// separatorLine reads the line sep=; that Excel understands.
func separatorLine(sample []byte) (sep string, ok bool) {
	line, _, _ := bytes.Cut(sample, []byte("\n"))
	line = bytes.Trim(bytes.TrimSuffix(line, []byte("\r")), `"`)
	if len(line) < 5 || len(line) > 6 || !strings.EqualFold(string(line[:4]), "sep=") {
		return "", false
	}
	return string(line[4:]), true
}

// bestReading tries every dialect that the sample allows, until ctx ends.
func bestReading(ctx context.Context, sample []byte, o Options, skip int) (*reading, error) {
	var best *reading
	loneCR := endsInCR(sample)
	try := func(d delimited.Dialect, prior float64) {
		if ctx.Err() != nil {
			return
		}
		d.Skip, d.LoneCR = skip, loneCR
		r := read(sample, d)
		r.hinted = d.Delimiter == o.Hint
		if d.Quote == '\'' && !r.quotesMatter() {
			return
		}
		r.rate(prior)
		if r.n > 1 && r.score > 0.05 { // broken quotes can be mended now
			d.Columns = r.n
			again := read(sample, d)
			again.hinted = r.hinted
			again.rate(prior)
			r = again
		}
		if best == nil || r.score > best.score+1e-9 {
			best = r
		}
	}
	for _, c := range delimiters(sample, o) {
		if o.Delimiter != "" && strings.Trim(o.Delimiter, " ") == "" {
			d := delimited.Dialect{Delimiter: delimited.FieldMark, Gap: len(o.Delimiter), Quote: quotedGaps(sample)}
			try(d, 1)
			if d.Gap > 1 {
				continue
			}
		}
		if escapes := o.escapes(sample); c.text == "\t" && escapes.sure() {
			switch dump := (delimited.Dialect{Delimiter: c.text, Escape: '\\', EmptyText: escapes.nulls}); {
			case escapes.nulls:
				try(dump, c.prior*1.5) // only dumps have \N
			case !opens(sample, c.text, '"'):
				try(dump, c.prior*1.03)
			}
		}
		quotes := quotesIn(sample, c.text)
		for _, q := range quotes {
			prior := c.prior
			if q == 0 {
				prior *= 0.9 // a broken quote is likelier than quotes that mean nothing
			}
			try(delimited.Dialect{Delimiter: c.text, Quote: q}, prior)
			if q != 0 && bytes.Contains(sample, []byte(c.text+" "+string(q))) {
				try(delimited.Dialect{Delimiter: c.text, Quote: q, TrimSpace: true}, prior)
			}
			if bytes.IndexByte(sample, '\\') >= 0 && escapes(sample, c.text, q) {
				try(delimited.Dialect{Delimiter: c.text, Quote: q, Escape: '\\'}, prior*0.995)
			}
		}
	}
	if o.Delimiter == "" {
		try(delimited.Dialect{Quote: '"'}, 1)
	}
	if best != nil && best.n == 1 && o.Delimiter == "" && best.d.Delimiter != o.Hint && len(best.rows) > 0 && len(best.rows[0].cells) == 1 {
		best.d.Delimiter = "" // a few values of one column have the character
		best = best.reread(sample)
	}
	return best, ctx.Err()
}

// candidate is a delimiter with how likely it is before looking.
type candidate struct {
	text  string
	prior float64
}

func delimiters(sample []byte, o Options) []candidate {
	if o.Delimiter != "" {
		return []candidate{{o.Delimiter, 1}}
	}
	var out []candidate
	for _, c := range []candidate{
		{",", 1}, {"\t", 1}, {";", 1}, {"|", 0.98}, {"\x1f", 1}, {"\x01", 1}, {"||", 1}, {"::", 0.9}, {"~", 0.9}, {"^", 0.9},
		{"¦", 0.95}, {"§", 0.95}, {"¬", 0.95}, {"|~|", 1}, {"~|~", 1}, {";;", 0.9}, {":", 0.6}, {" ", 0.55}, {"/", 0.3}, {"*", 0.5},
		{"#", 0.5}, {"&", 0.5}, {"=", 0.3},
	} {
		if bytes.Contains(sample, []byte(c.text)) {
			if c.text == o.Hint {
				c.prior *= 1.05
			}
			out = append(out, c)
		}
	}
	return out
}

// quotesIn lists the possible quotes; 0 means no quotes.
func quotesIn(sample []byte, delim string) []byte {
	if bytes.IndexByte(sample, '"') < 0 && bytes.IndexByte(sample, '\'') < 0 {
		return []byte{'"'}
	}
	out := []byte{'"'}
	if opens(sample, delim, '\'') {
		out = append(out, '\'')
	}
	return append(out, 0)
}

// opens reports whether the quote is where a field starts, and closes one.
func opens(sample []byte, delim string, quote byte) bool {
	q := string(quote)
	starts := bytes.HasPrefix(sample, []byte(q)) || bytes.Contains(sample, []byte(delim+q)) || bytes.Contains(sample, []byte(delim+" "+q)) ||
		bytes.Contains(sample, []byte("\n"+q))
	ends := bytes.Contains(sample, []byte(q+delim)) || bytes.Contains(sample, []byte(q+"\n")) || bytes.Contains(sample, []byte(q+"\r"))
	return starts && ends
}

// endsInCR reports whether a good part of the lines ends in a CR alone.
func endsInCR(sample []byte) bool {
	cr, lf := bytes.Count(sample, []byte{'\r'}), bytes.Count(sample, []byte{'\n'})
	lone := cr - bytes.Count(sample, []byte("\r\n"))
	return lone > 0 && lone*5 >= lf
}

// escapes reports whether a backslash may be an escape character.
func escapes(sample []byte, delim string, quote byte) bool {
	return quote != 0 && bytes.Contains(sample, []byte{'\\', quote}) || bytes.Contains(sample, []byte("\\"+delim)) ||
		bytes.Contains(sample, []byte(`\\`))
}
