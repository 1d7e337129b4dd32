package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/local"
)

// Export says which rows of a local file are written to another file; it is used
// by programs, not by the model. Both files are named as in the arguments of
// tools.
type Export struct {
	Path    string
	Sheet   string   // of a workbook; empty: the first that is shown
	Columns []string // empty: all
	Rows    int64    // the first; 0: all
	Target  string   // a file that is replaced
	Format  string
}

// Export writes rows into a file, and returns what they are, without the rows
// themselves. Errors are those of tools.
func (b *Boxed) Export(ctx context.Context, e Export) (*DataFrame, error) {
	if b.folder != nil {
		if err := b.folder.Show(ctx, e.Path); err != nil {
			return nil, err
		}
	}
	list := "*"
	if len(e.Columns) > 0 {
		var names []string
		for _, name := range e.Columns {
			names = append(names, `"`+strings.ReplaceAll(name, `"`, `""`)+`"`)
		}
		list = strings.Join(names, ", ")
	}
	sql := "SELECT " + list + " FROM data"
	head, answer := b.box.Result(ctx, local.ResultIn{Path: e.Path, Sheet: e.Sheet, SQL: sql + " LIMIT 0"})
	if answer.Failed {
		return nil, failedAnswer{string(answer.Text)}
	}
	if e.Rows > 0 {
		sql += fmt.Sprintf(" LIMIT %d", e.Rows)
	}
	if answer := b.box.Export(ctx, e.Path, e.Sheet, sql, e.Target, e.Format); answer.Failed {
		return nil, failedAnswer{string(answer.Text)}
	}
	if len(head.Columns) == 0 {
		return nil, &api.Error{Code: api.CodeValidation, Message: "the file has no columns"}
	}
	return &DataFrame{Columns: head.Columns, Types: head.Types, Caveats: head.Caveats}, nil
}
