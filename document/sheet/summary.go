package sheet

import (
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table/xlsx"
)

// Summary gives an overview of a sheet.
type Summary struct {
	Sheet   string `json:"sheet"`
	Rows    int    `json:"rows"`
	Columns int    `json:"columns"`
	// Header is the first non-empty row, which is row HeaderRow.
	Header    []any   `json:"header"`
	HeaderRow int     `json:"header_row,omitempty"`
	First     [][]any `json:"first_rows"` // the rows after the header
	Last      [][]any `json:"last_rows"`
	Hidden    bool    `json:"hidden,omitempty"`
	api.CaveatList
}

// Summary reads a sheet once and keeps the first and last rows: samples of each.
func (b *Book) Summary(sheet string, samples int) (*Summary, error) {
	s, err := b.sheet(sheet)
	if err != nil {
		return nil, err
	}
	about, err := b.about(s)
	if err != nil {
		return nil, err
	}
	out := &Summary{Sheet: s.name, Rows: about.Rows, Columns: about.Columns, Header: []any{}, First: [][]any{}, Last: [][]any{}, Hidden: about.Hidden}
	var seen formulas
	err = b.eachFilledRow(s, func(number int, values []any, all []xlsx.Formula) bool {
		seen.add(all, area{cell{1, 1}, cell{xlsx.MaxRows, xlsx.MaxColumns}})
		switch {
		case len(values) == 0:
		case out.HeaderRow == 0:
			out.Header, out.HeaderRow = values, number
		case len(out.First) < samples:
			out.First = append(out.First, values)
		default:
			if out.Last = append(out.Last, values); len(out.Last) > samples {
				out.Last = out.Last[1:]
			}
		}
		return true
	})
	out.Caveats = seen.caveats(s.name, b.stale())
	return out, err
}

// formulas counts those that were read.
type formulas struct{ all, unvalued int64 }

func (f *formulas) add(row []xlsx.Formula, within area) {
	for _, one := range row {
		if one.Column >= within.from.col && one.Column <= within.to.col {
			f.all++
			if !one.Valued {
				f.unvalued++
			}
		}
	}
}

// caveats says which values of formulas are missing or may be old.
func (f *formulas) caveats(sheet string, stale bool) (out []api.Caveat) {
	tell := func(n int64, text string) {
		out = append(out, api.Caveat{Kind: api.CaveatUncalculated, About: api.Subject{Sheet: sheet}, Count: &api.Count{N: n, Of: "cells"}, Text: text})
	}
	if n := f.all - f.unvalued; stale && n > 0 {
		tell(n, xlsx.Stale(n, ""))
	}
	if f.unvalued > 0 {
		tell(f.unvalued, xlsx.Unvalued(f.unvalued))
	}
	return out
}
