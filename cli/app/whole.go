package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/table/xlsx"
	"github.com/agnes-data/da/toolbox/fit"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// PrintWhole prints one value as JSON, without shortening it.
func (a *App) PrintWhole(v any) error {
	return a.Page(func(w io.Writer) error { return output.WriteJSON(w, v, a.OutputOptions()) })
}

// PrintJSONList is PrintJSON for {name: items, last: v} with very many items. It holds
// them all only for a model that sets no bound.
func PrintJSONList[T any](a *App, name string, count int, items iter.Seq2[T, error], last string, v any) error {
	tokens, err := a.TokenBudget()
	if err != nil {
		return err
	}
	if tokens == 0 && a.Fenced() == 0 {
		return a.Page(func(w io.Writer) error { return output.WriteJSONList(w, name, items, last, v, a.OutputOptions()) })
	}
	first, bytes := []any{}, 0
	for item, err := range items {
		if err != nil {
			return err
		}
		first = append(first, item)
		if tokens == 0 {
			continue
		}
		text, err := json.Marshal(item)
		if err != nil {
			return fmt.Errorf("write as JSON: %w", err)
		}
		if bytes += len(text); bytes > 4*tokens*fit.BytesPerToken {
			break // far more than fits
		}
	}
	var doc any = api.Row{Columns: []string{name, last}, Values: []any{first, v}}
	if tokens > 0 {
		o := fit.Options{MaxTokens: tokens, Reserve: a.Fenced()}
		if len(first) < count {
			o.Totals = map[string]int{name: count}
		}
		if doc, err = fit.Document(doc, o, a.wholeCommand()); err != nil {
			return err
		}
	}
	return a.PrintForReader(doc)
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
