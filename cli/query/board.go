package query

import (
	"context"
	"fmt"
	"io"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/dashboard"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/words/humanize"
)

// maxBoard is the size of the file of a dashboard, in bytes.
const maxBoard = 1 << 20

// writeBoard writes a report of the file of a dashboard.
func writeBoard(ctx context.Context, a *app.App, file, format string, o reportOptions, w io.Writer) (*reports.Report, error) {
	sheet, err := readBoard(a.Absolute(file))
	if err != nil {
		return nil, err
	}
	if o.fetch {
		sheet.Where = "fetch"
	}
	given, err := o.params.values(a)
	if err != nil {
		return nil, err
	}
	ask, err := NewAsker(ctx, a, Options{remote: sheet.Where == dashboard.Source, fetch: sheet.Where == "fetch"}, 2)
	if err != nil {
		return nil, err
	}
	defer ask.Close()
	return sheet.Write(ctx, w, dashboard.Request{Format: format, Given: given, Flavor: ask.flavor, Print: a.Print,
		Dir: a.ScratchFolder(), Now: a.Now(), Run: func(ctx context.Context, sql string) (*dashboard.Result, error) {
			q, err := ask.Ask(ctx, sql, false)
			if err != nil {
				return nil, err
			}
			asked := q.asked()
			asked.Fetch, asked.Remote = sheet.Where == "fetch", sheet.Where == dashboard.Source
			return &dashboard.Result{Rows: q.Rows, Asked: asked, Close: q.Close}, nil
		}})
}

func readBoard(path string) (*dashboard.Sheet, error) {
	f, err := kernelfs.Open(path)
	var text []byte
	if err == nil {
		defer f.Close()
		text, err = io.ReadAll(io.LimitReader(f, maxBoard+1))
	}
	if len(text) > maxBoard {
		return nil, &api.Error{Code: api.CodeTooLarge, Kind: api.KindFileSize,
			Message: fmt.Sprintf("the file of a dashboard has at most %s", humanize.Bytes(maxBoard)), Hint: "Check its path."}
	}
	if err != nil {
		return nil, &api.Error{Code: api.CodeReadFailed, Message: "cannot read the dashboard: " + err.Error(), Hint: "Check its path.", Err: err}
	}
	return dashboard.Read(text)
}
