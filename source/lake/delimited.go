package lake

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	tabular "github.com/agnes-data/da/table"
	"github.com/agnes-data/da/table/intake"
)

// Package intake decides how delimited text is read, here as for 'da table'. The
// engine never reads such a file: see parquetCopy.

// describeDelimited reads all files of a table once.
func (l *Lake) describeDelimited(ctx context.Context, set *fileSet) (*table, error) {
	profiles, err := intake.ProfileAll(ctx, len(set.files), func(i int) (*intake.File, error) { return l.intake(set.files[i]) },
		options(set.reading))
	var unlike *intake.Unlike
	if errors.As(err, &unlike) {
		return nil, mixed(set.files[unlike.A].rel, set.files[unlike.B].rel, unlike.Why)
	}
	if err != nil {
		return nil, misread(unread(err))
	}
	t := &table{set: set, profiles: profiles, rows: new(int64)}
	t.readBy()
	var cols []api.Column
	for i, p := range profiles {
		*t.rows += p.Rows
		t.texts = append(t.texts, textFile{p.Rows, p.Reading()})
		t.caveats = append(t.caveats, remarks(set.files[i].rel, p)...)
		if cols == nil {
			for j, f := range p.Schema().Fields() {
				cols = append(cols, p.Columns[j].Dated(api.Column{Name: p.Columns[j].Name, Type: engineType(f), Nullable: true}))
			}
		}
	}
	if cols == nil {
		return nil, empty(set)
	}
	if len(cols) > intake.EngineColumns {
		return nil, tooWide(set, len(cols))
	}
	t.caveats = firstOf(t.caveats)
	stored := len(cols)
	if cols, err = withKeys(set, cols); err != nil {
		return nil, err
	}
	if t.columns, err = withHive(set, cols); err != nil {
		return nil, err
	}
	for i := range t.texts { // partitions have types of the table's, too
		for _, c := range t.columns {
			t.texts[i].reading += fmt.Sprintf(" %q %s", c.Name, c.Type)
		}
	}
	for i := range t.columns[:stored] {
		t.columns[i].replaces = t.columns[i].hive >= 0
	}
	return t, nil
}

// intake opens a file of text.
func (l *Lake) intake(f file) (*intake.File, error) {
	out, err := l.detect(f)
	return out, unread(err)
}

// detect is intake with the errors of that package.
func (l *Lake) detect(f file) (*intake.File, error) {
	opened, err := l.open(f)
	if err != nil {
		return nil, err
	}
	return intake.OpenFile(f.rel, opened)
}

// unread is a file that package intake cannot read, as an error of this source.
func unread(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeReadFailed {
		return err
	}
	out := sourceError(api.KindUnreadable, e.Message, e)
	out.Hint = e.Hint
	for _, step := range e.Next {
		out.Next = append(out.Next, api.Do(step.Action, step.Why)) // without the path: the caller may not have the file
	}
	return out
}

// engineType is the type that the engine has for a field.
func engineType(f arrow.Field) string {
	if f.Metadata.FindKey("ARROW:extension:name") >= 0 {
		return "JSON"
	}
	switch t := f.Type.(type) {
	case *arrow.Decimal128Type:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return "TIMESTAMP WITH TIME ZONE"
		}
		return "TIMESTAMP"
	}
	return map[arrow.Type]string{
		arrow.INT64: "BIGINT", arrow.FLOAT64: "DOUBLE", arrow.BOOL: "BOOLEAN", arrow.STRING: "VARCHAR", arrow.DATE32: "DATE",
		arrow.TIME64: "TIME",
	}[f.Type.ID()]
}

// withKeys adds the columns of partitions. A key replaces a column of its name.
func withKeys(set *fileSet, cols []api.Column) ([]api.Column, error) {
	for i, key := range set.keys {
		own := api.Column{Name: key, Type: set.types[i], Nullable: true}
		at := -1
		for j, c := range cols {
			switch {
			case c.Name == key:
				at = j
			case strings.EqualFold(c.Name, key):
				return nil, differOnlyInCase(set)
			}
		}
		if at >= 0 {
			cols[at] = own
		} else {
			cols = append(cols, own)
		}
	}
	return cols, nil
}

// maxRemarks limits the remarks about a table's files.
const maxRemarks = 20

func firstOf(caveats []api.Caveat) []api.Caveat {
	if more := len(caveats) - maxRemarks; more > 0 {
		return append(caveats[:maxRemarks], api.NewCaveat(api.CaveatUnread, "… and %d more remarks about the files of this table", more))
	}
	return caveats
}

// inInstance words the options to change as keys of the table in the instance file.
func inInstance(next []api.Step) string {
	var keys []string
	for _, s := range next {
		keys = append(keys, s.Text("option"))
	}
	if len(keys) == 0 {
		return ""
	}
	return "; set " + strings.Join(keys, " or ") + " of the table in the instance file"
}

// only is the file of a table that has no others; otherwise "".
func (s *fileSet) only() string {
	if len(s.files) == 1 {
		return s.files[0].rel
	}
	return ""
}

// remarks describes what does not fit in a file, and how the file was read. rel is "" if
// it is not known which of several files that is.
func remarks(rel string, p *intake.Profile) []api.Caveat {
	var out []api.Caveat
	for _, c := range tabular.Caveats(p) {
		c.Text = strings.Replace(c.Text, ", and are null", ": a request that reads the file fails", 1) // here, types are promises
		c.Text = strings.Replace(c.Text, ", and is null", ": a request that reads the file fails", 1)
		c.Text, c.About.File, c.Next = c.Text+inInstance(c.Next), rel, nil
		if rel != "" {
			c.Text = rel + ": " + c.Text
		}
		out = append(out, c)
	}
	return out
}
