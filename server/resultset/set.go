package resultset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// mostViews is how many orders and conditions of a result are kept.
const mostViews = 4

// Bytes returns the size on the disk.
func (s *Set) Bytes() int64 { return s.bytes }

// conn returns a connection to the file. The caller calls done.
func (s *Set) conn(ctx context.Context) (c *duckdb.Conn, done func(), err error) {
	s.open.RLock()
	if s.gone {
		s.open.RUnlock()
		return nil, nil, errGone
	}
	c, err = s.db.Conn()
	if err != nil {
		s.open.RUnlock()
		return nil, nil, err
	}
	done = sync.OnceFunc(func() {
		_ = c.Close() // nothing is written that is not committed
		s.open.RUnlock()
	})
	if err := c.Exec(ctx, "USE "+s.name); err != nil {
		done()
		return nil, nil, err
	}
	return c, done, nil
}

// fill makes the file of the rows.
func (s *Set) fill(ctx context.Context, rows api.Rows) error {
	first, err := s.db.Conn()
	if err != nil {
		return err
	}
	err = first.Exec(ctx, "ATTACH "+duckdb.PathLiteral(s.path)+" AS "+s.name)
	if err := errors.Join(err, first.Close()); err != nil {
		return told(err)
	}
	c, done, err := s.conn(ctx)
	if err != nil {
		return err
	}
	defer done()
	var names []string
	for i, f := range rows.Schema().Fields() {
		s.Columns = append(s.Columns, api.PageColumn{Name: f.Name, Type: arrowjson.TypeName(f), Numeric: arrowjson.Numeric(f)})
		names = append(names, column(i))
	}
	in := &bounded{RecordReader: rows, left: s.store.limits.Each}
	if err := c.Import(ctx, "incoming", in, "CREATE TABLE r AS SELECT * FROM incoming AS t("+strings.Join(names, ", ")+")"); err != nil {
		return told(err)
	}
	if err := c.QueryRow(ctx, "SELECT count(*) FROM r", nil, &s.Rows); err != nil {
		return err
	}
	described, err := c.Describe(ctx, "SELECT * FROM r")
	if err != nil {
		return err
	}
	for _, d := range described {
		s.types = append(s.types, d.Type)
	}
	if err := c.Exec(ctx, "CHECKPOINT "+s.name); err != nil {
		return told(err)
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	s.bytes, s.Caveats = info.Size(), api.Arranged(rows.Caveats())
	return nil
}

func column(at int) string { return fmt.Sprintf("c%d", at) }

// bounded ends rows with an error beyond a size.
type bounded struct {
	array.RecordReader
	left int64
	err  error
}

// Next implements array.RecordReader.
func (b *bounded) Next() bool {
	if b.err != nil || !b.RecordReader.Next() {
		return false
	}
	if b.left -= api.BatchBytes(b.RecordBatch()); b.left < 0 {
		b.err = &api.Error{Code: api.CodeTooLarge, Message: "the result is larger than what is kept of one to look at",
			Hint: "Ask for fewer rows or columns, or get it as a file."}
	}
	return b.err == nil
}

// Err implements array.RecordReader.
func (b *bounded) Err() error {
	if b.err != nil {
		return b.err
	}
	return b.RecordReader.Err()
}

// Stream returns rows of a part after the first from, at most limit; a negative
// limit means all. found is how many the part has. The caller closes the stream.
func (s *Set) Stream(ctx context.Context, part api.ResultPart, from, limit int64) (rows *api.Stream, found int64, err error) {
	c, done, err := s.conn(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			done()
			err = told(err)
		}
	}()
	v, err := s.view(ctx, c, part)
	if err != nil {
		return nil, 0, err
	}
	defer s.leave(v) // a statement that has begun has the table
	if limit < 0 {
		limit = max(0, v.found-from)
	}
	var items []string
	for i, col := range s.Columns {
		items = append(items, "r."+column(i)+" AS "+duckdb.Quote(col.Name))
	}
	sql := "SELECT " + strings.Join(items, ", ") + fmt.Sprintf(" FROM r WHERE rowid >= %d AND rowid < %d ORDER BY rowid", from, from+limit)
	if v.table != "" {
		sql = "SELECT " + strings.Join(items, ", ") + " FROM " + v.table + " v JOIN r ON r.rowid = v.row" +
			fmt.Sprintf(" WHERE v.rowid >= %d AND v.rowid < %d ORDER BY v.rowid", from, from+limit)
	}
	batches, err := c.Query(ctx, sql)
	if err != nil {
		return nil, 0, err
	}
	return &api.Stream{Batches: batches, Known: s.Caveats, Ordered: part.Order != nil, End: func() api.End { return api.End{} },
		CloseFunc: func() {
			batches.Release()
			done()
		}}, v.found, nil
}

// view finds or makes the table of a part. The caller leaves it.
func (s *Set) view(ctx context.Context, c *duckdb.Conn, part api.ResultPart) (*view, error) {
	where, args, err := s.conditions(ctx, c, part)
	if err != nil {
		return nil, err
	}
	order := ""
	if o := part.Order; o != nil {
		if o.At < 0 || o.At >= len(s.Columns) {
			return nil, noColumn(o.At)
		}
		order = " ORDER BY " + column(o.At) + map[bool]string{false: " ASC", true: " DESC"}[o.Down] + " NULLS LAST, rowid"
	}
	if where == "" && order == "" {
		return &view{found: s.Rows}, nil
	}
	key, err := json.Marshal(part)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, v := range s.views {
		if v.key == string(key) {
			s.views = append(append(s.views[:i:i], s.views[i+1:]...), v) // the last one used is the last to go
			v.users++
			return v, nil
		}
	}
	s.made++
	v := &view{key: string(key), table: fmt.Sprintf("v%d", s.made), users: 1}
	made, err := c.Query(ctx, "CREATE TABLE "+v.table+" AS SELECT rowid AS row FROM r"+where+order, args...)
	if err != nil {
		return nil, err
	}
	for made.Next() { // nothing that is of use
	}
	if err := made.Err(); err != nil {
		return nil, err
	}
	if err := c.QueryRow(ctx, "SELECT count(*) FROM "+v.table, nil, &v.found); err != nil {
		return nil, err
	}
	s.views = append(s.views, v)
	for i, old := range s.views {
		if len(s.views) > mostViews && old.users == 0 {
			s.views = append(s.views[:i:i], s.views[i+1:]...)
			return v, c.Exec(ctx, "DROP TABLE "+old.table)
		}
	}
	return v, nil
}

// leave says that a view is not needed any more.
func (s *Set) leave(v *view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.users--
}

// conditions returns the WHERE of a part, with its arguments.
func (s *Set) conditions(ctx context.Context, c *duckdb.Conn, part api.ResultPart) (string, []any, error) {
	var all []string
	var args []any
	for _, w := range part.Where {
		if w.At < 0 || w.At >= len(s.Columns) {
			return "", nil, noColumn(w.At)
		}
		text, given, err := s.condition(ctx, c, w)
		if err != nil {
			return "", nil, err
		}
		all, args = append(all, text), append(args, given...)
	}
	if words := strings.Fields(strings.ToLower(part.Words)); len(words) > 0 && len(s.Columns) > 0 {
		texts := make([]string, len(s.Columns))
		for i := range s.Columns {
			texts[i] = "CAST(" + column(i) + " AS VARCHAR)"
		}
		row := "lower(concat_ws(chr(9), " + strings.Join(texts, ", ") + "))"
		for _, w := range words {
			all, args = append(all, "contains("+row+", ?)"), append(args, w)
		}
	}
	if len(all) == 0 {
		return "", nil, nil
	}
	return " WHERE " + strings.Join(all, " AND "), args, nil
}

func (s *Set) condition(ctx context.Context, c *duckdb.Conn, w api.ResultCondition) (string, []any, error) {
	col := column(w.At)
	switch {
	case w.Null:
		return col + " IS NULL", nil, nil
	case len(w.In) > 0:
		var all []string
		var args []any
		for _, is := range w.In {
			one, given, err := s.condition(ctx, c, api.ResultCondition{At: w.At, Is: &is})
			if err != nil {
				return "", nil, err
			}
			all, args = append(all, one), append(args, given...)
		}
		return "(" + strings.Join(all, " OR ") + ")", args, nil
	case w.Has != "":
		return "contains(lower(CAST(" + col + " AS VARCHAR)), ?)", []any{strings.ToLower(w.Has)}, nil
	case w.Is != nil && s.nested(w.At):
		return "CAST(to_json(" + col + ") AS VARCHAR) = ?", []any{*w.Is}, nil
	}
	var all []string
	var args []any
	add := func(operator string, text *string) error {
		if text == nil {
			return nil
		}
		value := "TRY_CAST(? AS " + s.types[w.At] + ")"
		if s.types[w.At] == "BLOB" {
			value = "from_base64(?)"
		}
		bad := false
		if err := c.QueryRow(ctx, "SELECT "+value+" IS NULL", []any{*text}, &bad); err != nil || bad {
			return &api.Error{Code: api.CodeBadRequest, Kind: api.KindParameter, Err: err,
				Message: fmt.Sprintf("'%s' is not a value of the column '%s', whose type is %s", api.Clip(*text, 60),
					api.Clip(s.Columns[w.At].Name, 80), s.Columns[w.At].Type)}
		}
		all, args = append(all, col+" "+operator+" "+value), append(args, *text)
		return nil
	}
	upTo := "<"
	if w.Last {
		upTo = "<="
	}
	for _, b := range []struct {
		operator string
		text     *string
	}{{"=", w.Is}, {">=", w.From}, {upTo, w.To}} {
		if err := add(b.operator, b.text); err != nil {
			return "", nil, err
		}
	}
	if len(all) == 0 {
		return "", nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindIncomplete, Message: "a condition needs null, is, in, has, from or to"}
	}
	return strings.Join(all, " AND "), args, nil
}

// nested reports whether a column holds lists, maps or structures.
func (s *Set) nested(at int) bool {
	t := s.types[at]
	return strings.HasSuffix(t, "]") || strings.HasPrefix(t, "STRUCT") || strings.HasPrefix(t, "MAP") || strings.HasPrefix(t, "UNION") ||
		t == "JSON" || t == "VARIANT"
}

func noColumn(at int) error {
	return &api.Error{Code: api.CodeBadRequest, Kind: api.KindParameter, Message: fmt.Sprintf("the result has no column at place %d", at)}
}

// remove ends the file once nobody reads it.
func (s *Set) remove() {
	s.open.Lock()
	defer s.open.Unlock()
	if s.gone {
		return
	}
	s.gone = true
	if c, err := s.db.Conn(); err == nil {
		_ = c.Exec(context.Background(), "DETACH DATABASE IF EXISTS "+s.name) // a file without a name is removed all the same
		_ = c.Close()
	}
	_ = os.Remove(s.path)          // the folder goes with its process
	_ = os.Remove(s.path + ".wal") // mostly not there
}
