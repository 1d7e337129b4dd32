package app

import (
	"context"
	"errors"
	"io"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/table/xlsx"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// PrintWhole prints one value as JSON, without shortening it.
func (a *App) PrintWhole(v any) error {
	return a.Page(func(w io.Writer) error { return output.WriteJSON(w, v, a.OutputOptions()) })
}

// OutputOptions returns the options for standard output.
func (a *App) OutputOptions() output.Options {
	o := output.For(a.IO)
	o.Records = a.Records
	o.WriteParquet = func(ctx context.Context, path string, rdr array.RecordReader) (int64, error) {
		work, err := a.Analyst()
		if err != nil {
			return 0, err
		}
		return work.WriteParquet(ctx, path, rdr)
	}
	o.WriteWorkbook = WriteWorkbook
	return o
}

// WriteWorkbook writes rows as a workbook of one sheet, or of several if they do
// not fit into one.
func WriteWorkbook(ctx context.Context, w io.Writer, rdr api.Rows) ([]api.Caveat, error) {
	book := xlsx.NewBook(w)
	defer book.Abort()
	done, err := book.Add(ctx, rdr, xlsx.WriteOptions{})
	if err != nil {
		return nil, OfSheet(err)
	}
	return done.Caveats, book.Close()
}

// OfSheet says of an error in writing a sheet what to do about it.
func OfSheet(err error) error {
	if errors.Is(err, xlsx.ErrTooWide) {
		return &api.Error{Code: api.CodeUsage, Message: err.Error(), Hint: "Select fewer columns, or choose another format with -o.", Err: err}
	}
	return err
}
