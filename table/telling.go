package table

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table/encoding"
	"github.com/agnes-data/da/table/intake"
)

// telling collects caveats of a file.
type telling []api.Caveat

func (t *telling) add(kind api.CaveatKind, format string, args ...any) {
	*t = append(*t, api.NewCaveat(kind, format, args...))
}

// choose adds a step to the last caveat: set an option, for that reason.
func (t telling) choose(why string, options ...string) {
	for _, option := range options {
		last := &t[len(t)-1]
		last.Next = append(last.Next, api.Set(option, why))
	}
}

// text says how a text was taken apart.
func (t *telling) text(p *intake.Profile) {
	if p.Kind != format.Text {
		return
	}
	// If every line has the same number of fields, there is no doubt.
	if !p.Guessed && p.Inferred && (len(p.Columns) < 2 || p.Rows == 0 || p.Problems.Short+p.Problems.Long+p.Problems.Mended > 0) {
		t.add(api.CaveatGuessed, "the format was guessed: it was read as %s", describe(p))
	}
	if p.Dialect.Wrapped {
		t.add(api.CaveatGuessed, "each line is one quoted field, whose text was read as a record: %s", describe(p))
	}
	if p.Guessed {
		t.add(api.CaveatGuessed, "the text is aligned with blanks, and its columns were guessed: it was read as %s", describe(p))
		(*t)[len(*t)-1].Next = []api.Step{api.SetTo(api.OptionDelimiter, "  ", "split it at two or more blanks"),
			api.SetTo(api.OptionDelimiter, " ", "split it at each blank")}
	}
	if p.Unsplit != "" {
		t.add(api.CaveatGuessed, "almost every line has the delimiter %q, and was read as one column", p.Unsplit)
		(*t)[len(*t)-1].Next = []api.Step{api.SetTo(api.OptionDelimiter, p.Unsplit, "split it there")}
	}
	if n := p.Problems.OpenQuotes; n > 0 {
		t.add(api.CaveatGuessed, "%s with a quote that does not end, which was kept as text%s", humanize.Plural(n, "cell begins", "cells begin"),
			firstOf(p, intake.OpenQuote, n))
	}
	if p.Encoding.Confidence < encoding.LowConfidence {
		t.add(api.CaveatGuessed, "the encoding is uncertain: read as %s (confidence %.2f)", p.Encoding.Name, p.Encoding.Confidence)
		t.choose("set it", api.OptionEncoding)
	}
	if p.Encoding.Damaged > 0 {
		t.add(api.CaveatUnread, "%s not valid %s: read as windows-1252", humanize.Plural(p.Encoding.Damaged, "byte is", "bytes are"),
			p.Encoding.Name)
	}
}

// sheet says what of a sheet is not what it seems.
func (t *telling) sheet(p *intake.Profile) {
	if p.HiddenRows > 0 {
		t.add(api.CaveatHidden, "%s like the others", humanize.Plural(p.HiddenRows, "row that the sheet hides is read",
			"rows that the sheet hides are read"))
	}
	if n := p.Never; n > 0 {
		t.add(api.CaveatUnread, "%s, for instance 1900-02-29, Excel's day 60: read as stored",
			humanize.Plural(n, "cell is formatted as a date or time, but its value is not a valid one", "cells are formatted as dates or times, but their values are not valid ones"))
	}
	if n := p.Subtotals; n > 0 {
		t.add(api.CaveatSummed, "%s rows above by SUBTOTAL, read like the others: sums over all rows count twice",
			humanize.Plural(n, "row sums", "rows sum"))
	}
	if n := len(p.Totals); n > 0 {
		*t = append(*t, api.Caveat{Kind: api.CaveatSummed, Count: &api.Count{N: int64(n), Of: "rows"},
			Text: humanize.Plural(int64(n), "row of totals was", "rows of totals were") + " left out, which a table of the sheet declares"})
	}
	if n := p.Filled; n > 0 {
		t.add(api.CaveatGuessed, "%s over several rows: the text of the first was read in each of them",
			humanize.Plural(n, "merged range goes", "merged ranges go"))
	}
	if n := p.Merged; n > 0 {
		t.add(api.CaveatGuessed, "%s over several rows: only the first row has the value, those below are null",
			humanize.Plural(n, "merged range goes", "merged ranges go"))
	}
	if n := len(p.Others); n > 0 {
		t.add(api.CaveatHidden, "sheet %q was read, the first that is shown; %s content, too: %s", p.Sheet,
			humanize.Plural(int64(n), "other sheet has", "other sheets have"), api.Clip(strings.Join(p.Others, ", "), 120))
		t.choose("name the one to read", api.OptionSheet)
	}
}

// header says how sure the names of the columns are.
func (t *telling) header(p *intake.Profile) {
	if (p.Kind == format.Text || p.Kind == format.Sheet) && p.Header && p.Rows == 0 {
		t.add(api.CaveatGuessed, "nothing follows the names of the columns")
		t.choose("read their line as a row", api.OptionNoHeader)
	}
	if p.Shared {
		t.add(api.CaveatGuessed, "all files of the table begin with the same line, which was taken for the header")
		t.choose("read it as a row", api.OptionNoHeader)
	}
	if p.Rival > 0 {
		t.add(api.CaveatGuessed, "line %d could name the columns as well as line %d, which was taken", p.Rival, p.HeaderLine)
		if !p.Header {
			(*t)[len(*t)-1].Text = fmt.Sprintf("line %d may name the columns, and was read as data", p.Rival)
		}
		(*t)[len(*t)-1].Next = []api.Step{api.SetTo(api.OptionHeaderLine, strconv.FormatInt(p.Rival, 10), "take it")}
	}
	switch {
	case !p.Doubt || p.Rival > 0 || p.HeaderRows > 1 || p.Rows == 0:
	case p.Header:
		t.add(api.CaveatGuessed, "line %d was taken for the names of the columns, and may be data", p.HeaderLine)
		t.choose("read it as a row", api.OptionNoHeader)
	default:
		t.add(api.CaveatGuessed, "line %d may name the columns, and was read as data", p.HeaderLine)
		(*t)[len(*t)-1].Next = []api.Step{api.SetTo(api.OptionHeaderLine, strconv.FormatInt(p.HeaderLine, 10), "take it")}
	}
	if p.HeaderRows > 1 {
		t.add(api.CaveatGuessed, "the header takes %d rows: the names in them were joined", p.HeaderRows)
		t.choose("name the one that has the names", api.OptionHeaderLine)
	}
	if p.Above > 0 {
		t.add(api.CaveatGuessed, "the range begins below row %d, where the header of its table begins: names above the range were not read; begin it there to have them", p.Above)
	}
}
