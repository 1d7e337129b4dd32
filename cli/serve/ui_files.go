package serve

import (
	"context"
	"io"
	"time"

	"github.com/agnes-data/da/analyst/profiles"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/rows/parquetwriter"
	httpapi "github.com/agnes-data/da/server/http"
)

// serverGroup limits the memory for a group of rows of a parquet file, in bytes.
const serverGroup = 64 << 20

// deskRows makes the files of rows that the page of da ui offers.
func deskRows(a *app.App) httpapi.RowWriter {
	o := a.OutputOptions()
	o.Terminal = false
	return rowWriter(o)
}

// nearValues proposes the values that were meant, of those that the caller may read.
func nearValues(ctx context.Context, data api.Data, of api.PageFile, rows api.Rows) api.Rows {
	sql := of.SQL
	if of.Scan != nil {
		sql = values.OfScan(*of.Scan)
	}
	return values.Near{Data: data, AtSource: true, Scan: of.Scan != nil}.Watch(ctx, rows, sql)
}

// profileOf says what the columns of a table hold, by statements at its source.
func profileOf(ctx context.Context, data api.Data, table string) (any, error) {
	return profiles.Computable(ctx, data, profiles.Request{Name: table}, profiles.Keeper{Now: time.Now}, 0)
}

// serverRows makes those of a server. It has no engine for them.
func serverRows() httpapi.RowWriter {
	write := rowWriter(output.Options{WriteWorkbook: app.WriteWorkbook})
	return func(ctx context.Context, w io.Writer, rows api.Rows, format string) ([]api.Caveat, error) {
		if format != string(output.Parquet) {
			return write(ctx, w, rows, format)
		}
		if !parquetwriter.Takes(rows.Schema()) {
			return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindFormat, Message: "the server writes no nested columns as parquet",
				Hint: "Choose another format, or leave these columns out."}
		}
		err := parquetwriter.Write(ctx, w, rows, parquetwriter.Options{Codec: parquetwriter.Zstd, MaxGroup: serverGroup,
			Tag: func() (key, value string) { return api.CaveatsKey, api.EncodeCaveats(api.Arranged(rows.Caveats())) }})
		return rows.Caveats(), err
	}
}

func rowWriter(o output.Options) httpapi.RowWriter {
	return func(ctx context.Context, w io.Writer, rows api.Rows, format string) ([]api.Caveat, error) {
		done, err := output.Write(ctx, w, rows, output.Format(format), o)
		return done.Caveats, err
	}
}
