package lake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/source/embedded"
	tabular "github.com/agnes-data/da/table"
	"github.com/agnes-data/da/table/intake"
	"github.com/agnes-data/da/table/jsonlines"
	"github.com/agnes-data/da/table/jsonrows"
)

// Packages intake and jsonlines decide what the rows of a JSON file are, here as
// for 'da table'. The engine reads only lines that they have checked, and only to
// find the types and to make the parquet copy.

func empty(set *fileSet) error {
	e := sourceError(api.KindUnlikeFiles, set.files[0].rel+" is empty, so the table has no columns", nil)
	e.Hint = "Put data into the file, or at least a line of column names, or take the table out of the instance file."
	return e
}

// rowLines are the rows of all files of a table as JSON lines, linked for the
// engine.
type rowLines struct {
	*linked
	open    []*intake.File
	keys    jsonrows.Keys
	filled  []file // those with rows
	rows    int64
	longest int                          // bytes of a row
	read    map[string]*intake.JSONLines // by file.rel
	beyond  map[string]jsonrows.Number   // by column: numbers that a float changes
}

// linkLines reads files of a set through and links their rows. The caller closes
// what is returned.
func (l *Lake) linkLines(ctx context.Context, set *fileSet, files []file) (*rowLines, error) {
	k, err := l.linking(2 * len(files)) // a file and its copy
	if err != nil {
		return nil, err
	}
	r := &rowLines{linked: k, read: map[string]*intake.JSONLines{}, beyond: map[string]jsonrows.Number{}, keys: jsonrows.Keys{}}
	for i := range files {
		if err := l.linkRows(ctx, r, set, &files[i]); err != nil {
			r.close()
			return nil, err
		}
	}
	return r, nil
}

// linkRows reads one file through and links its rows.
func (l *Lake) linkRows(ctx context.Context, r *rowLines, set *fileSet, f *file) error {
	in, err := l.intake(*f)
	if err != nil {
		return err
	}
	r.open = append(r.open, in)
	if in.Kind != format.JSON {
		return nil // it is blank: its name says JSON
	}
	lines, err := in.JSONLines(ctx, l.copies.dir)
	var fault *jsonrows.Error
	if errors.As(err, &fault) {
		return unread(jsonlines.Fault(f.rel, fault))
	}
	if err != nil || lines.Rows == 0 {
		return err
	}
	if fault := r.keys.Add(lines.Keys); fault != nil {
		return unread(jsonlines.Fault(f.rel, fault))
	}
	r.filled = append(r.filled, *f)
	r.rows += lines.Rows
	r.longest = max(r.longest, lines.Longest)
	r.read[f.rel] = lines
	for key, n := range lines.Numbers.Beyond {
		if !r.beyond[key].Infinite {
			r.beyond[key] = n
		}
	}
	return r.put(set, f, lines.Path, map[string]string{"": ".jsonl", "gzip": ".jsonl.gz", "zstd": ".jsonl.zst"}[lines.Compression])
}

// lines are the rows, for the engine.
func (r *rowLines) lines() jsonlines.Lines {
	return jsonlines.Lines{From: r.list(r.filled), Compression: "auto_detect", Longest: r.longest, Beyond: r.beyond}
}

// refused finds the position for which the engine rejected the rows. The engine's
// own message has the paths of links and the line numbers of copies.
func (r *rowLines) refused(ctx context.Context, err error) error {
	if !duckdb.IsOfRows(err) {
		return err
	}
	for _, f := range r.open {
		if fault := f.FindFault(ctx); fault != nil {
			return unread(jsonlines.Fault(f.Path, fault))
		}
	}
	return err
}

// close closes the files, and removes the copies of rows.
func (r *rowLines) close() {
	for _, f := range r.open {
		_ = f.Close() // only read
	}
	r.linked.close()
}

// describeJSON reads all files of a table.
func (l *Lake) describeJSON(ctx context.Context, s *embedded.Session, set *fileSet) (*table, error) {
	r, err := l.linkLines(ctx, set, set.files)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if r.rows == 0 {
		return nil, empty(set)
	}
	t := &table{set: set, rows: &r.rows}
	t.readBy()
	var mixed []int
	if t.stored, mixed, err = r.lines().Columns(ctx, s.Conn); err != nil {
		return nil, r.refused(ctx, err)
	}
	all, err := described(ctx, s, "("+t.rowsOf(r)+")")
	if err != nil {
		return nil, r.refused(ctx, err)
	}
	t.texts = make([]textFile, len(set.files))
	for i, f := range set.files {
		t.texts[i].reading = fmt.Sprint(t.stored, hiveOptions(set))
		if lines := r.read[f.rel]; lines != nil {
			t.texts[i].rows = lines.Rows
		}
	}
	columns := make([]intake.Column, len(t.stored))
	for i, c := range t.stored {
		columns[i] = intake.Column{Name: c.Name, SQL: c.Type}
	}
	shared := &intake.Profile{Columns: slices.Clone(columns)}
	if err := tabular.FindNear(ctx, s.Conn, shared, r.lines(), mixed); err != nil {
		return nil, r.refused(ctx, err)
	}
	t.caveats = remarks(set.only(), shared)
	for _, f := range r.filled {
		lines := r.read[f.rel]
		t.caveats = append(t.caveats, remarks(f.rel, &intake.Profile{Kind: format.JSON, Passed: lines.Passed, Numbers: lines.Numbers,
			Columns: columns})...)
	}
	t.caveats = firstOf(t.caveats)
	t.columns, err = withHive(set, all)
	return t, err
}

// hugeInteger matches the 128-bit integer type in a type's name. A field with
// that name would be quoted or followed by a space.
var hugeInteger = lazyregexp.New(`HUGEINT($|[,)\[])`)

// rowsOf selects the rows of JSON. Parquet has no 128-bit integers, not even
// inside structs and lists, and no other type of the engine is exact for long
// integers.
func (t *table) rowsOf(r *rowLines) string {
	items := "*"
	var long []string
	for _, c := range t.stored {
		if exact := hugeInteger().ReplaceAllString(c.Type, "DECIMAL(38,0)$1"); exact != c.Type && !slices.Contains(t.set.keys, c.Name) {
			long = append(long, duckdb.Quote(c.Name)+"::"+exact+" AS "+duckdb.Quote(c.Name))
		}
	}
	if len(long) > 0 {
		items += " REPLACE (" + strings.Join(long, ", ") + ")"
	}
	return "SELECT " + items + " FROM " + r.lines().SQL(t.stored, hiveOptions(t.set))
}

// copyJSON writes the rows of files of a table. At least one file has rows.
func (l *Lake) copyJSON(ctx context.Context, s *embedded.Session, t *table, files []file, first int64, to string) error {
	r, err := l.linkLines(ctx, t.set, files)
	if err != nil {
		return err
	}
	defer r.close()
	if r.rows != t.rowsIn(files) {
		return changed(files[0], nil)
	}
	sql := t.rowsOf(r)
	if first > 0 {
		sql += fmt.Sprintf(" LIMIT %d", first)
	}
	return r.refused(ctx, s.Exec(ctx, "COPY ("+sql+")"+to))
}
