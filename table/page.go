package table

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table/intake"
)

// openPage opens a table of a page of a PDF, as a text whose fields are its cells.
func (t *Tables) openPage(ctx context.Context, s Source, path string, open intake.Opener) (*intake.File, error) {
	file, err := open()
	if err != nil {
		return nil, t.explain(s.Path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	d, err := pdf.Open(ctx, file, info.Size(), pdf.Options{CacheDir: pdf.UserCache()})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all, err := d.Tables(s.Page)
	if err != nil {
		return nil, err
	}
	one, err := chosen(all, s.Options)
	if err != nil {
		return nil, err
	}
	rows, err := os.CreateTemp(t.store.Dir(), "page-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(rows.Name()) // it goes with the file that is open
	if err := csv.NewWriter(rows).WriteAll(one.Rows); err != nil {
		rows.Close()
		return nil, err
	}
	f, err := intake.OpenFile(path, rows)
	if err != nil {
		return nil, err
	}
	f.Info, f.Told = info, placed(one, s.Page)
	return f, nil
}

// chosen is the table that the options name; the only one without a number.
func chosen(all []pdf.Table, o intake.Options) (pdf.Table, error) {
	page := fmt.Sprintf("page %d", o.Page)
	if len(all) == 0 {
		return pdf.Table{}, &api.Error{Code: api.CodeValidation, Kind: api.KindNoTable, Message: "no table was found on " + page,
			Hint: "Read its text in place of it; a scan has neither."}
	}
	if o.Table == 0 && len(all) == 1 {
		return all[0], nil
	}
	if o.Table < 1 || o.Table > len(all) {
		heads := make([]string, len(all))
		for i, one := range all {
			heads[i] = fmt.Sprintf("%d (%s)", i+1, api.Clip(strings.Join(one.Rows[0], ", "), 60))
		}
		return pdf.Table{}, &api.Error{Code: api.CodeValidation, Kind: api.KindWhichTable,
			Message: page + " has " + humanize.Plural(int64(len(all)), "table", "tables"),
			Hint:    "Choose one by its number: " + api.Clip(strings.Join(heads, "; "), 600) + ".", Details: map[string]any{"tables": len(all)}}
	}
	return all[o.Table-1], nil
}

// placed says how the table was found, and what of it can be otherwise.
func placed(one pdf.Table, page int) []api.Caveat {
	by := "the places of its words"
	if one.Ruled {
		by = "the lines that are drawn"
	}
	told := []api.Caveat{api.NewCaveat(api.CaveatGuessed,
		"the rows and columns of the table on page %d were found by %s: compare them with the page", page, by)}
	for _, c := range []struct {
		n                int
		one, many, about string
	}{{one.Filled, "cell goes", "cells go", "over several rows: the text was read in each of them"},
		{one.Tall, "cell goes", "cells go", "over several rows: the text is in the first of them"},
		{one.Spans, "cell lies", "cells lie", "across columns: the text is in the first of them"},
		{one.Lone, "row has", "rows have", "text in one column only, and can belong to the row before or after"}} {
		if c.n > 0 {
			told = append(told, api.NewCaveat(api.CaveatGuessed, "%s %s", humanize.Plural(int64(c.n), c.one, c.many), c.about))
		}
	}
	return told
}
