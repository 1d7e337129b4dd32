package lake

import (
	"context"
	"errors"
	"fmt"
	"github.com/agnes-data/da/source/embedded"
	"math"
	"slices"
	"strings"
	"sync"
)

// maxChunks is how many column chunks of parquet footers are remembered, all
// tables together. A chunk takes about 150 bytes.
const maxChunks = 60_000

// footer is what parquet footers say about the stored data of a table.
type footer struct {
	groups []rowGroup
	keep   sync.Once // for the processes to come: see know
}

// rowGroup is a part of a file that is read or skipped as a whole.
type rowGroup struct {
	file *file
	rows int64
	// chunks are those of the requested columns, by name.
	chunks map[string]*chunk
}

// chunk is one column of a row group, with all its leaves.
type chunk struct {
	compressed, uncompressed int64
	// plain says that the statistics below are valid: the column is not nested.
	plain    bool
	nulls    int64  // -1: unknown
	min, max string // as the engine writes values of the type
	bounded  bool   // min and max are known
	dict     bool   // values are stored once and referred to
}

// footerShare is the part of maxChunks that the footers of one table can take.
const footerShare = 4

// footer returns the chunks of some columns, or of all if they can be remembered.
func (l *Lake) footer(ctx context.Context, name string, t *table, columns []string) (*footer, error) {
	k := key(name, t.set)
	if f, ok := l.footers.Get(k); ok {
		l.know(k, t, f)
		return f, nil
	}
	if weight := t.chunks(); weight <= l.footers.MaxWeight()/footerShare {
		return l.footing.do(ctx, k, func(ctx context.Context) (*footer, error) {
			f, err := l.readFooter(ctx, t, nil)
			if err == nil {
				l.know(k, t, f)
				l.footers.Put(k, f, 1+weight)
			}
			return f, err
		})
	}
	return l.readFooter(ctx, t, columns)
}

// chunks counts the column chunks of the table.
func (t *table) chunks() int {
	n := 0
	for i := range t.layouts {
		n += t.layouts[i].groups * len(t.layouts[i].leaves)
	}
	return n
}

// readFooter reads the chunks of the columns; nil means all.
func (l *Lake) readFooter(ctx context.Context, t *table, columns []string) (f *footer, err error) {
	s, err := l.engines.Session(ctx, false)
	if err != nil {
		return nil, err
	}
	defer func() {
		s.Done(err == nil)
		err = l.unfit(ctx, t, err)
	}()
	return l.readChunks(ctx, s, t, columns, math.MaxInt)
}

// errManyChunks means that a table has more chunks than are to be read.
var errManyChunks = errors.New("the footers are too large")

// readChunks is readFooter for a limited number of chunks. If there are more, the
// error is errManyChunks.
func (l *Lake) readChunks(ctx context.Context, s *embedded.Session, t *table, columns []string, most int) (*footer, error) {
	f := &footer{}
	for i := range t.layouts {
		y := &t.layouts[i]
		err := l.portions(t.set, y.files, func(k *linked, files []file) error {
			n, err := l.readGroups(ctx, s, y, k, k.list(files), columns, most, f)
			most -= n
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

// readGroups adds the row groups of some files of a layout, and returns how many
// chunks it has read.
func (l *Lake) readGroups(ctx context.Context, s *embedded.Session, y *layout, k *linked, files string, columns []string, most int,
	f *footer) (read int, err error) {
	var ids []string
	for i, leaf := range y.leaves {
		// The first leaf has the number of rows, so always read it.
		if i == 0 || columns == nil || slices.Contains(columns, leaf.column) {
			ids = append(ids, fmt.Sprint(i))
		}
	}
	type place struct {
		file  string
		group int64
	}
	at := map[place]int{}
	sql := `SELECT file_name, row_group_id, row_group_num_rows, column_id, total_compressed_size, total_uncompressed_size,
			coalesce(stats_null_count, -1), stats_min_value, stats_max_value, coalesce(contains(encodings, 'DICTIONARY'), false)
		FROM parquet_metadata(` + files + `) WHERE column_id IN (` + strings.Join(ids, ", ") + `)`
	if most < math.MaxInt {
		sql += fmt.Sprintf(" LIMIT %d", most+1)
	}
	err = s.Rows(ctx, sql, func(v []any) error {
		if read++; read > most {
			return nil // the last row, by the limit
		}
		name, _ := v[0].(string)
		var n [7]int64
		for i := 1; i <= 6; i++ {
			n[i], _ = v[i].(int64)
		}
		p := place{name, n[1]}
		i, ok := at[p]
		if !ok {
			file, err := k.file(name)
			if err != nil {
				return err
			}
			i = len(f.groups)
			at[p] = i
			f.groups = append(f.groups, rowGroup{file: file, rows: n[2], chunks: map[string]*chunk{}})
		}
		leaf, err := y.leaf(n[3])
		if err != nil {
			return err
		}
		c := f.groups[i].chunks[leaf.column]
		if c == nil {
			c = &chunk{plain: leaf.plain, nulls: n[6]}
			c.min, c.bounded = v[7].(string)
			if c.max, ok = v[8].(string); !ok {
				c.bounded = false
			}
			c.dict, _ = v[9].(bool)
			f.groups[i].chunks[leaf.column] = c
		}
		c.compressed += n[4]
		c.uncompressed += n[5]
		return nil
	})
	if read > most && err == nil {
		err = errManyChunks
	}
	return read, err
}
