package intake

import (
	"context"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/words/humanize"
)

// Profile reads the whole file, once for each table up to the one that is asked for.
// Kinds of files that the engine reads itself have no profile here.
func (f *File) Profile(ctx context.Context, o Options) (*Profile, error) {
	if err := o.checkHeader(); err != nil {
		return nil, err
	}
	for n := 1; n < o.Table && o.Page == 0; n++ {
		p, err := f.profile(ctx, o)
		if err != nil {
			return nil, err
		}
		if p.Another == nil {
			return nil, &api.Error{Code: api.CodeValidation, Kind: api.KindUnknownTable,
				Message: fmt.Sprintf("there is no table %d: %s found", o.Table, humanize.Plural(int64(n), "table was", "tables were")),
				Hint:    "Name the line of its header instead, or the range of its cells.", Details: map[string]any{"table": o.Table, "found": n}}
		}
		o.HeaderLine = int(p.Another.Line)
	}
	return f.profile(ctx, o)
}

// header reports whether the caller says which line is the header: it is that one alone.
// Where a table begins that was asked for by its number is found, not said.
func (o Options) header() bool { return o.HeaderLine > 0 && o.Table == 0 }

func (f *File) profile(ctx context.Context, o Options) (*Profile, error) {
	var p *Profile
	var err error
	switch f.Kind {
	case format.Text:
		if p, err = f.profileText(ctx, o); err == nil {
			p.Told = append(p.Told, f.Told...)
		}
	case format.Sheet:
		p, err = f.profileSheet(ctx, o)
	default:
		return nil, &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("%s files have no profile", f.Kind)}
	}
	if err == nil && len(o.Types) > 0 {
		err = f.verify(ctx, p)
	}
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err() // the interruption may have caused any error
	}
	if err != nil {
		return nil, readFailed(f.Path, err)
	}
	return p, nil
}

// verify reads the file again to find cells that do not fit the types given by
// the caller.
func (f *File) verify(ctx context.Context, p *Profile) error {
	r, err := f.Load(ctx, p)
	if err != nil {
		return err
	}
	defer r.Release()
	nulls := make([]int64, len(p.Columns))
	for r.Next() {
		for j, c := range r.RecordBatch().Columns() {
			nulls[j] += int64(c.NullN())
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	counts, places := r.Misfits()
	for j := range p.Columns {
		p.Columns[j].Nulls, p.Columns[j].NonNull = nulls[j], p.Rows-nulls[j]
		p.Problems.Misfit += counts[j]
	}
	p.Problems.Places = append(p.Problems.Places, places...)
	return nil
}

// Hash returns the xxh3-128 of the file's bytes, in hex.
func (f *File) Hash(ctx context.Context) (string, error) {
	h, err := hashOf(ctxReader{ctx, f.Raw()})
	if err != nil {
		return "", readFailed(f.Path, err)
	}
	return h, nil
}
