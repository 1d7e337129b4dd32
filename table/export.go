package table

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/parquetfile"
	"github.com/agnes-data/da/table/render"
	"github.com/agnes-data/da/table/xlsx"
)

// ExportRequest asks to write all rows, or those of a query, to a file.
type ExportRequest struct {
	Source
	Query          string            `json:"query,omitempty"` // empty: all rows
	Tables         map[string]Source `json:"tables,omitempty"`
	TargetPath     string            `json:"target_path"`      // - is To
	Format         string            `json:"format,omitempty"` // empty: by the target's name
	TargetSheet    string            `json:"target_sheet,omitempty"`
	Force          bool              `json:"force,omitempty"`
	BOM            bool              `json:"bom,omitempty"`
	EscapeFormulas bool              `json:"escape_formulas,omitempty"`
	NoMadeUpNames  bool              `json:"no_made_up_names,omitempty"` // of CSV and TSV: leave out names that the file does not have
	NoReceipt      bool              `json:"no_receipt,omitempty"`       // of workbooks: do not say where the figures come from
	Timeout        time.Duration     `json:"-"`                          // 0: no limit
	MemoryLimit    string            `json:"memory_limit,omitempty"`
	To             io.Writer         `json:"-"` // the writer for "-"; may be nil
	// MaxBytes limits the file: CodeTooLarge if it would be larger. 0: no limit.
	MaxBytes int64 `json:"-"`
	// Refuse are the kinds of caveats with which nothing is written.
	Refuse []api.CaveatKind `json:"-"`
}

// Export describes what was written.
type Export struct {
	TargetPath  string       `json:"target_path"`
	Format      string       `json:"format"`
	Sheet       *string      `json:"sheet"`
	Sheets      []string     `json:"sheets,omitempty"` // if there are several
	RowCount    int64        `json:"row_count"`
	ColumnCount int          `json:"column_count"`
	Caveats     []api.Caveat `json:"caveats"`
}

// Export writes rows to a file, which appears complete or not at all.
func (t *Tables) Export(ctx context.Context, r ExportRequest) (*Export, error) {
	format, err := exportFormat(r.Format, r.TargetPath)
	if err != nil {
		return nil, err
	}
	if r.NoMadeUpNames && (r.Query != "" || format != "csv" && format != "tsv") {
		return nil, &api.Error{Code: api.CodeValidation,
			Message: "only CSV and TSV of all rows of a file can be without names that were made up",
			Hint:    "The names of a query are those that it gives; other formats have a name for each column."}
	}
	if r, err = t.sheetOfTarget(ctx, r); err != nil {
		return nil, err
	}
	target := ""
	if r.TargetPath != "-" {
		var release func()
		if target, release, err = t.target(r); err != nil {
			return nil, err
		}
		defer release()
	} else if r.To == nil {
		return nil, &api.Error{Code: api.CodeValidation, Message: "- is not a file here", Hint: "Name the file to write."}
	}
	ctx, cancel := limitTime(ctx, r.Timeout, -1)
	defer cancel()
	x := &exporter{t: t, r: r, target: target, out: &Export{TargetPath: r.TargetPath, Format: format, Caveats: []api.Caveat{}}}
	if err := x.open(ctx); err != nil {
		return nil, timedOut(ctx, err)
	}
	defer x.close()
	if err = x.refused(); err != nil {
		return nil, err
	}
	if format == "parquet" {
		err = x.parquet(ctx)
	} else {
		err = x.stream(ctx, format)
	}
	if err != nil {
		return nil, timedOut(ctx, err)
	}
	return x.out, nil
}

// refused is the error for what is known of the rows, if the caller does not take it.
func (x *exporter) refused() error { return api.Refused(x.out.Caveats, x.r.Refuse) }

// exporter writes one file.
type exporter struct {
	t      *Tables
	r      ExportRequest
	target string
	out    *Export
	single *looked       // the file, if no engine is needed to read it
	query  *prepared     // the statement, otherwise
	stage  *store.Folder // folder beside the target where the file is written
}

func (x *exporter) close() {
	if x.query != nil {
		x.query.Close()
	}
	if x.single != nil {
		x.single.Close()
	}
	if x.stage != nil {
		x.stage.Close()
	}
}

// open proves the query, if there is one, and examines the files.
func (x *exporter) open(ctx context.Context) (err error) {
	beside := filepath.Dir(x.target)
	if x.target == "" {
		beside = os.TempDir() // a file for a stream is written to the folder for temporary files
	}
	if x.stage, err = store.FolderBeside(beside); err != nil {
		return writeFailed(x.r.TargetPath, err)
	}
	var dirs []string
	if x.out.Format == "parquet" {
		dirs = append(dirs, x.stage.Path)
	}
	sql := x.r.Query
	if sql == "" {
		l, err := x.t.examine(ctx, x.r.Source)
		if err != nil {
			x.close()
			return err
		}
		if x.out.Format == "parquet" && len(l.profile().Columns) == 0 { // which has no file without columns
			l.Close()
			x.close()
			return noTable(x.r.Source)
		}
		if l.file.Ours() {
			x.single = l
			x.out.Caveats = append(x.out.Caveats, Caveats(l.profile())...)
			return nil
		}
		l.Close()
		sql = "SELECT * FROM " + dataTable
	}
	if x.query, err = x.t.prepare(ctx, x.r.Source, x.r.Tables, sql, limits{memory: x.r.MemoryLimit, threads: 1}, dirs...); err != nil {
		x.close()
		return err
	}
	x.out.Caveats = append(x.out.Caveats, x.query.caveats...)
	if x.r.Query != "" && !x.query.sel.Ordered {
		x.out.Caveats = append(x.out.Caveats, api.Caveat{Kind: api.CaveatUnordered,
			Text: "the query has no ORDER BY: the order of the rows is arbitrary"})
	}
	return nil
}

// rows starts reading the rows to write.
func (x *exporter) rows(ctx context.Context) (api.Rows, error) {
	known := func() []api.Caveat { return x.out.Caveats }
	if x.single != nil {
		rows, err := x.single.file.Load(ctx, x.single.profile())
		return api.WithCaveats(rows, known), err
	}
	s, err := x.query.session.conn.Query(ctx, x.query.sel.SQL)
	if err != nil {
		return nil, queryError(ctx, x.query.sel, err)
	}
	return api.WithCaveats(s, known), nil
}

// stream writes text or a workbook.
func (x *exporter) stream(ctx context.Context, format string) error {
	rows, err := x.rows(ctx)
	if err != nil {
		return err
	}
	defer rows.Release()
	x.out.ColumnCount = rows.Schema().NumFields()
	write := func(w io.Writer) error {
		if x.r.MaxBytes > 0 {
			w = &bounded{w, x.r.MaxBytes}
		}
		if format == "xlsx" {
			return x.workbook(ctx, w, rows)
		}
		done, err := render.Write(ctx, w, rows, render.Options{Format: render.Format(format), BOM: x.r.BOM, EscapeFormulas: x.r.EscapeFormulas,
			Names: x.names()})
		x.out.RowCount = done.Rows
		x.out.Caveats = done.Caveats
		return err
	}
	staged := filepath.Join(x.stage.Path, "rows")
	if x.target == "" && len(x.r.Refuse) == 0 {
		err = write(x.r.To)
	} else {
		err = atomicfile.Write(staged, 0o644, write)
	}
	if errors.Is(err, errBound) {
		return overBound(x.r.MaxBytes)
	}
	if err != nil {
		if rerr := rows.Err(); rerr != nil {
			if x.single != nil {
				return x.t.explain(x.single.shown, rerr)
			}
			return queryError(ctx, x.query.sel, rerr)
		}
		return writeFailed(x.r.TargetPath, err)
	}
	if x.target == "" && len(x.r.Refuse) == 0 {
		return nil
	}
	return x.install(staged)
}

// names are those that the file has, if only they are written.
func (x *exporter) names() []string {
	if !x.r.NoMadeUpNames || x.single == nil {
		return nil
	}
	p := x.single.profile()
	out := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		if !c.MadeUp {
			out[i] = c.Name
		}
	}
	for _, r := range p.Renamed {
		out[r.Index] = r.From
	}
	return out
}

// install lets a file that is complete appear, unless what is known of it is refused.
func (x *exporter) install(staged string) error {
	if err := x.refused(); err != nil {
		return err
	}
	if x.target == "" {
		return x.pass(staged)
	}
	if err := free(x.target, x.r.TargetPath, x.r.Force); err != nil {
		return err
	}
	if err := os.Rename(staged, x.target); err != nil {
		return writeFailed(x.r.TargetPath, err)
	}
	return atomicfile.SyncDir(filepath.Dir(x.target))
}

func (x *exporter) workbook(ctx context.Context, w io.Writer, rows api.Rows) error {
	book := xlsx.NewBook(w)
	defer book.Abort()
	note := reports.NewReceipt(time.Time{}) // the same call writes the same bytes
	done, err := note.Add(ctx, book, rows, x.r.TargetSheet, x.answer())
	if errors.Is(err, xlsx.ErrTooWide) {
		return &api.Error{Code: api.CodeValidation, Message: err.Error(), Hint: "Select fewer columns.",
			Next: []api.Step{api.Set(api.OptionQuery, "select them")}, Err: err}
	}
	if err == nil && !x.r.NoReceipt {
		err = note.Into(book)
	}
	if err == nil {
		err = book.Close()
	}
	if err != nil {
		return err
	}
	x.out.RowCount = done.Rows
	x.out.Sheet = &done.Sheets[0]
	if len(done.Sheets) > 1 {
		x.out.Sheets = done.Sheets
	}
	x.out.Caveats = append(x.out.Caveats, done.Caveats...)
	return nil
}

// answer is what a receipt says of the rows.
func (x *exporter) answer() figures.Answer {
	out := figures.Answer{Statement: cmp.Or(x.r.Query, "SELECT * FROM "+dataTable)}
	out.Files = true
	read := map[string]*looked{dataTable: x.single}
	if x.query != nil {
		read = x.query.files
	}
	for _, name := range slices.Sorted(maps.Keys(read)) {
		head := read[name].entry.Head
		out.Sources = append(out.Sources, figures.Source{Name: name, Server: "import:" + read[name].shown, // its folders stay out of the file
			Version: head.Hash, AsOf: head.Stamp.ModTime})
	}
	return out
}

// parquet lets the engine write into a folder of its own beside the target.
func (x *exporter) parquet(ctx context.Context) error {
	tmp := filepath.Join(x.stage.Path, "rows.parquet")
	within, stop := ctx, func() bool { return false }
	if x.r.MaxBytes > 0 {
		within, stop = boundFile(ctx, tmp, x.r.MaxBytes)
	}
	err := x.copyTo(within, tmp)
	if stop() {
		return overBound(x.r.MaxBytes)
	}
	if err != nil {
		return err
	}
	if text := api.EncodeCaveats(api.Arranged(x.out.Caveats)); text != "" {
		if err := parquetfile.Tag(tmp, api.CaveatsKey, text); err != nil {
			return writeFailed(x.r.TargetPath, err)
		}
	}
	if x.target != "" {
		if err := atomicfile.SyncFile(tmp, 0o644); err != nil {
			return writeFailed(x.r.TargetPath, err)
		}
	}
	return x.install(tmp)
}

// pass copies a file that is complete to the stream.
func (x *exporter) pass(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	_, err = io.Copy(x.r.To, f)
	if err != nil {
		return writeFailed("standard output", err)
	}
	return nil
}

func (x *exporter) copyTo(ctx context.Context, path string) (err error) {
	if x.single != nil {
		s, err := x.t.session(ctx, nil, limits{memory: x.r.MemoryLimit}, x.stage.Path)
		if err != nil {
			return err
		}
		defer s.Close()
		rows, err := x.single.file.Load(ctx, x.single.profile())
		if err != nil {
			return err
		}
		defer rows.Release()
		x.out.ColumnCount = rows.Schema().NumFields()
		if x.out.RowCount, err = s.conn.WriteParquet(ctx, path, rows); err != nil {
			if rerr := rows.Err(); rerr != nil {
				return x.t.explain(x.single.shown, rerr)
			}
			return writeFailed(x.r.TargetPath, err)
		}
		return nil
	}
	conn := x.query.session.conn
	columns, err := conn.Describe(ctx, x.query.sel.SQL)
	if err != nil {
		return queryError(ctx, x.query.sel, err)
	}
	x.out.ColumnCount = len(columns)
	sql, warned, err := conn.Carry(ctx, x.query.sel.SQL)
	if err != nil {
		return queryError(ctx, x.query.sel, err)
	}
	x.out.Caveats = append(x.out.Caveats, api.CaveatsOf(api.CaveatNarrowed, warned...)...)
	store := "COPY (" + sql + ")" + duckdb.ToParquet(path, columns)
	if err := conn.Exec(ctx, store); err != nil {
		if duckdb.IsDiskFull(err) {
			return writeFailed(x.r.TargetPath, err)
		}
		return queryError(ctx, x.query.sel, duckdb.Within(store, x.query.sel.SQL, err))
	}
	x.out.RowCount, err = conn.ParquetRows(ctx, path)
	return err
}
