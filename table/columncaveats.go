package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
)

// about is what can be said of a column.
type about int

const (
	keepsNumbers about = iota // the type keeps numbers that a float changes
	ambiguous
	readSo    // how cells were read
	nullWords // cells were taken for a missing value
	nearlyAll // a few cells lack the type of the others
)

// remark is said once of all columns to which it applies: a table can have thousands.
type remark struct {
	about about
	what  string // a type or a sentence
}

// keptTypes are the types, in users' words, that preserve numbers as written.
var keptTypes = map[string]string{"VARCHAR": "string", "JSON": "json"}

// columnCaveats says what is doubtful about the columns whose types were not given.
func columnCaveats(p *intake.Profile) []api.Caveat {
	columns := map[remark][]intake.Column{}
	var order []remark
	add := func(c intake.Column, about about, what string) {
		r := remark{about, what}
		if columns[r] == nil {
			order = append(order, r)
		}
		columns[r] = append(columns[r], c)
	}
	for _, c := range p.Columns {
		if c.Ambiguous != "" {
			add(c, ambiguous, c.Ambiguous)
		}
		if c.Forced {
			continue
		}
		if _, ok := p.Numbers.Beyond[c.Name]; ok && keptTypes[c.SQL] != "" {
			add(c, keepsNumbers, keptTypes[c.SQL])
		}
		if c.Note != "" {
			add(c, readSo, c.Note)
		}
		if signs := slices.DeleteFunc(slices.Clone(c.NullWords), meansNull); c.NullCells > 0 && len(signs) > 0 {
			add(c, nullWords, strings.Join(signs, "', '"))
		}
		if c.Near != nil && c.Near.Misfit > 0 {
			add(c, nearlyAll, string(c.Near.Type))
		}
	}
	var out []api.Caveat
	for _, r := range order {
		out = append(out, r.caveat(p, columns[r]))
	}
	return out
}

// namesOfNull are the words that programs write for null.
var namesOfNull = []string{"null", "none", "nil", "nan", "na", "n/a", `\n`}

// meansNull reports whether a word names null or is an error of a formula, and is not a sign
// that people use for a missing value.
func meansNull(word string) bool {
	return strings.HasPrefix(word, "#") || slices.Contains(namesOfNull, strings.Trim(strings.ToLower(word), "<>()+-"))
}

// caveat words a remark about columns.
func (r remark) caveat(p *intake.Profile, columns []intake.Column) api.Caveat {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	about := api.Subject{Columns: names}
	which, are, in := humanize.Columns(names), "is", ""
	if len(columns) > 1 {
		are, in = "are", humanize.Columns(names[:1])+", "
	}
	cell := func(at infer.CellRef) string {
		switch {
		case at.Text == "":
			return ""
		case at.Line == 0:
			return fmt.Sprintf(" (such as %s%q)", in, at.Text)
		case in != "":
			return fmt.Sprintf(" (first in %sline %d: %q)", in, at.Line, at.Text)
		}
		return fmt.Sprintf(" (line %d: %q)", at.Line, at.Text)
	}
	switch r.about {
	case keepsNumbers:
		at := p.Numbers.Beyond[names[0]]
		return api.Caveat{Kind: api.CaveatNarrowed, About: about,
			Text: fmt.Sprintf("%s %s %s, which keeps numbers that a float changes, the first in %srow %d: %s", which, are, r.what, in, at.Row,
				at.Text)}
	case ambiguous:
		why := "settle it"
		next := []api.Step{api.Set(api.OptionDateFormat, why), api.Set(api.OptionTypes, why)}
		if o := columns[0].Other; o != 0 {
			next = []api.Step{api.SetTo(api.OptionTypes, names[0]+"="+o.String(), "read it so")}
		} else if columns[0].Order == 0 {
			next = next[1:]
		}
		return api.Caveat{Kind: api.CaveatGuessed, About: about, Text: fmt.Sprintf("%s %s ambiguous: %s", which, are, r.what), Next: next}
	case nullWords:
		n := int64(0)
		for _, c := range columns {
			n += c.NullCells
		}
		return api.Caveat{Kind: api.CaveatGuessed, About: about, Count: &api.Count{N: n, Of: "cells"},
			Text: fmt.Sprintf("%s: %s read as null, such as '%s'", which, humanize.Plural(n, "cell is", "cells are"), r.what)}
	case nearlyAll:
		misfits, at := int64(0), infer.CellRef{}
		for _, c := range columns {
			misfits += c.Near.Misfit
		}
		if places := columns[0].Near.Places; len(places) > 0 {
			at = places[0]
		}
		return api.Caveat{Kind: api.CaveatUnread, About: about, Count: &api.Count{N: misfits, Of: "cells"},
			Text: fmt.Sprintf("%s %s text because of %s: all others are %s%s", which, are, humanize.Plural(misfits, "cell", "cells"), r.what,
				cell(at))}
	default:
		return api.Caveat{Kind: api.CaveatGuessed, About: about, Text: which + ": " + r.what + cell(columns[0].NoteAt)}
	}
}
