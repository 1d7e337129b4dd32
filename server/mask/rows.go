package mask

import (
	"errors"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/recordreader"
)

// Set are the masks of a request, by column.
type Set map[string]Mask

// Read lists those of the wanted columns that have to be read: what a mask shows without
// reading is left out.
func (s Set) Read(want []string) []string {
	return slices.DeleteFunc(slices.Clone(want), func(c string) bool {
		m, ok := s[c]
		return ok && !m.Reads()
	})
}

// Rows returns rows of the columns that were read as rows of the wanted ones, masked. It
// takes ownership of rows. keyed hashes a text with the key of the instance.
func (s Set) Rows(rows array.RecordReader, read, want []string, keyed func(string) string) (array.RecordReader, error) {
	if rows.Schema().NumFields() != len(read) {
		rows.Release()
		return nil, errors.New("the rows to mask have other columns than were asked for")
	}
	r := &masked{rows: rows, keyed: keyed}
	var fields []arrow.Field
	texts := map[string]string{}
	for _, name := range want {
		at := slices.Index(read, name)
		m, masks := s[name]
		if !masks && at < 0 {
			rows.Release()
			return nil, errors.New("the rows to mask lack a column that was asked for")
		}
		if !masks {
			r.columns = append(r.columns, column{at: at})
			fields = append(fields, rows.Schema().Field(at))
			continue
		}
		texts[name] = m.Text
		field := arrow.Field{Name: name, Nullable: true}
		var t arrow.DataType
		if at >= 0 {
			t = rows.Schema().Field(at).Type
		}
		field.Type = m.shown(t)
		if !m.Reads() {
			at = -1 // also of the one column that had to be read for the number of rows
		}
		r.columns = append(r.columns, column{at: at, mask: &m})
		fields = append(fields, field)
	}
	meta := rows.Schema().Metadata().ToMap()
	// Those of masks come first, so that none is left out of too many.
	meta[api.CaveatsKey] = api.EncodeCaveats(append(Caveats(texts), s.without(api.SchemaCaveats(rows.Schema()))...))
	all := arrow.MetadataFrom(meta)
	r.Begin(arrow.NewSchema(fields, &all), rows.Release)
	return r, nil
}

// without leaves out what is said of masked columns: it may tell of their values.
func (s Set) without(caveats []api.Caveat) []api.Caveat {
	return slices.DeleteFunc(slices.Clone(caveats), func(c api.Caveat) bool {
		return slices.ContainsFunc(c.About.Columns, func(name string) bool { _, ok := s[name]; return ok })
	})
}

// column is where a column comes from: the column at an index, or a mask over it.
type column struct {
	at   int // -1: nothing is read
	mask *Mask
}

type masked struct {
	recordreader.Base
	rows    array.RecordReader
	columns []column
	keyed   func(string) string
	err     error
}

// Next implements array.RecordReader.
func (r *masked) Next() bool {
	r.Set(nil)
	if r.err != nil || !r.rows.Next() {
		return false
	}
	in := r.rows.RecordBatch()
	var out []arrow.Array
	defer func() {
		for _, a := range out {
			a.Release()
		}
	}()
	for _, c := range r.columns {
		var from arrow.Array
		if c.at >= 0 {
			from = in.Column(c.at)
		}
		if c.mask == nil {
			from.Retain()
			out = append(out, from)
			continue
		}
		a, err := c.mask.replaced(from, int(in.NumRows()), r.keyed)
		if err != nil {
			r.err = err
			return false
		}
		out = append(out, a)
	}
	r.Set(array.NewRecordBatch(r.Schema(), out, in.NumRows()))
	return true
}

// Err implements array.RecordReader.
func (r *masked) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.rows.Err()
}
