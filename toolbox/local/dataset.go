package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace/content"
)

// typedColumn is a column of a data set.
type typedColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// dataset is a snapshot or a file with rows, opened by its name.
type dataset struct {
	kind    string // snapshot or file
	rows    int64
	columns []typedColumn
	caveats []api.Caveat
	// from is what statements call it.
	from string
	// query returns the first row of a statement over it.
	query func(ctx context.Context, sql string) (*ResultOut, error)
	close func()
}

// openDataset opens a data set: a snapshot of that name, else a file of the
// workspace, else a local file. The caller closes it.
func openDataset(ctx context.Context, c *tool.Call, name, sheet string) (*dataset, error) {
	if c.Work != nil {
		d, err := snapshotDataset(c, name)
		if err == nil && sheet != "" {
			return nil, tool.BadValue(fmt.Sprintf("'%s' is a snapshot, which has no sheets", name), "Leave sheet out.")
		}
		if err == nil || !api.CodeUnknownSnapshot.Is(err) && !api.CodeInvalidName.Is(err) { // a file has other names than a snapshot
			return d, err
		}
	}
	if c.Space == nil {
		return pathDataset(ctx, c, name, sheet)
	}
	w, err := c.Space()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "da-dataset")
	if err != nil {
		return nil, fmt.Errorf("make a folder to read from: %w", err)
	}
	remove := func() { _ = os.RemoveAll(dir) } // the system removes what is left in its folder
	path, _, err := content.RowsFile(ctx, w, name, nil, dir)
	if err != nil {
		remove()
	}
	switch {
	case api.CodeUnknownFile.Is(err):
		return pathDataset(ctx, c, name, sheet)
	case err != nil:
		return nil, err
	}
	files, err := table.New(table.Config{Dir: filepath.Join(dir, "kept"), Root: dir, WorkDir: dir, Now: c.Now})
	if err != nil {
		remove()
		return nil, err
	}
	return fileDataset(ctx, c, files, path, sheet, func() { files.Close(); remove() })
}

// pathDataset opens a local file. A box without a workspace, as in a process that
// works for another one, has the files of the workspace by their paths.
func pathDataset(ctx context.Context, c *tool.Call, name, sheet string) (*dataset, error) {
	d, err := fileDataset(ctx, c, c.Files, name, sheet, func() {})
	if api.CodeReadFailed.Is(err) {
		err = &api.Error{Code: api.CodeUnknownFile, Message: fmt.Sprintf("there is no data set '%s'", api.Clip(name, 60)),
			Hint: "list_datasets lists them.", Err: err}
	}
	return d, err
}

func snapshotDataset(c *tool.Call, name string) (*dataset, error) {
	m, err := c.Work.Store.Get(name)
	if err != nil {
		return nil, err
	}
	d := &dataset{kind: "snapshot", rows: m.Rows, columns: []typedColumn{}, caveats: c.Worded(keep.Caveats(c.Work, m)),
		from: duckdb.Quote(m.Name), close: func() {}}
	for _, col := range m.Schema {
		d.columns = append(d.columns, typedColumn{col.Name, typeWord(col.Type)})
	}
	d.query = func(ctx context.Context, sql string) (*ResultOut, error) {
		result, err := query.Run(ctx, c.Work, sql, true, plan.Brief)
		if err != nil {
			return nil, err
		}
		defer result.Close()
		return readResult(ctx, result.Rows(), ResultIn{Rows: 1, Cells: mostValueCells})
	}
	return d, nil
}

// typeWord is the type of a snapshot's column in the words that files and results have.
func typeWord(engine string) string {
	kind, _, _ := strings.Cut(engine, "(")
	switch {
	case strings.HasSuffix(engine, "]"), strings.HasPrefix(engine, "STRUCT"), strings.HasPrefix(engine, "MAP"):
		return strings.ToLower(engine)
	case strings.HasSuffix(kind, "INT") || kind == "INTEGER" || kind == "UINTEGER":
		return "integer"
	case strings.HasPrefix(kind, "TIMESTAMP WITH"):
		return "timestamptz"
	case strings.HasPrefix(kind, "TIMESTAMP"):
		return "timestamp"
	case kind == "VARCHAR":
		return "string"
	case kind == "DOUBLE":
		return "float"
	}
	return strings.ToLower(kind)
}

// fileDataset opens a file. It calls end if it fails, or when the data set is
// closed.
func fileDataset(ctx context.Context, c *tool.Call, files *table.Tables, path, sheet string, end func()) (*dataset, error) {
	src, err := tool.FileIn{Path: path, Sheet: sheet}.Source()
	if err != nil {
		end()
		return nil, err
	}
	m, err := files.Map(ctx, table.MapRequest{Source: src})
	if err != nil {
		end()
		return nil, err
	}
	d := &dataset{kind: "file", rows: m.RowCount, columns: []typedColumn{}, caveats: c.Worded(m.Caveats), from: "data", close: end}
	for _, col := range m.Columns {
		d.columns = append(d.columns, typedColumn{col.Name, col.InferredType})
	}
	d.query = func(ctx context.Context, sql string) (*ResultOut, error) {
		return resultOfFile(ctx, files, ResultIn{SQL: sql, Path: path, Sheet: sheet, Rows: 1, Cells: mostValueCells})
	}
	return d, nil
}
