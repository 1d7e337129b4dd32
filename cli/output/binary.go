package output

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/rows/canonical"
	"github.com/agnes-data/da/internal/rows/parquetfile"
)

// writeArrow writes rows as Arrow IPC: as a stream, or as a file, which other
// programs expect where a name ends in .arrow. It writes the end mark only after
// the last row, so that a reader can detect what is incomplete. The schema has the
// caveats that are known at the start, and an empty batch at the end those that came
// with the rows.
func writeArrow(w io.Writer, rows *limited, file bool) error {
	to := bufio.NewWriterSize(sink{w}, flushAt)
	schema, known := rows.Schema(), slices.Clone(rows.Caveats())
	if len(known) > 0 {
		schema = api.SchemaWith(schema.Fields(), api.Arranged(known))
	}
	var out interface {
		Write(rows arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(to, ipc.WithSchema(schema))
	if file {
		var err error
		if out, err = ipc.NewFileWriter(to, ipc.WithSchema(schema)); err != nil {
			return explainWrite("write the result", err)
		}
	}
	for rows.Next() {
		batch, err := canonical.Batch(rows.RecordBatch())
		if err != nil {
			return err
		}
		err = out.Write(batch)
		batch.Release()
		if err != nil {
			return explainWrite("write the result", err)
		}
		if err := to.Flush(); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if late := api.EncodeCaveats(api.Arranged(api.Without(rows.Caveats(), known))); late != "" {
		none := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		batch := array.NewRecordBatchWithMetadata(schema, none.NewRecordBatch().Columns(), 0,
			arrow.NewMetadata([]string{api.CaveatsKey}, []string{late}))
		if err := out.Write(batch); err != nil {
			return explainWrite("write the result", err)
		}
	}
	if err := out.Close(); err != nil {
		return explainWrite("write the result", err)
	}
	return to.Flush()
}

// streamParquet lets the engine write a temporary file and copies it to w,
// because parquet cannot be written as a stream.
func streamParquet(ctx context.Context, w io.Writer, rows *limited, o Options) (more []api.Caveat, err error) {
	const doing = "write the result to a temporary file"
	dir, err := os.MkdirTemp(o.TempDir, "da-output-*")
	if err != nil {
		return nil, explainWrite(doing, err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system removes what remains of temporary files
	path := filepath.Join(dir, "result.parquet")
	if more, err = parquetFile(ctx, path, rows, o); err != nil {
		return more, err
	}
	f, err := os.Open(path)
	if err != nil {
		return more, explainWrite(doing, err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	_, err = io.Copy(sink{w}, f)
	return more, explainWrite("write the result", err)
}

// parquetFile writes rows to path. It makes column names unique without regard to
// case, because DuckDB ignores case.
func parquetFile(ctx context.Context, path string, rows *limited, o Options) (more []api.Caveat, err error) {
	if o.WriteParquet == nil {
		return nil, &api.Error{Code: api.CodeUsage, Message: "parquet cannot be written here", Hint: "Choose another format with -o."}
	}
	names := arrowjson.Names(rows.Schema())
	if unique, changed := arrowjson.Unique(names, strings.ToLower); changed {
		more = api.CaveatsOf(api.CaveatRenamed, arrowjson.Renamed(names, unique))
		rows.rename(unique)
	}
	if _, err = o.WriteParquet(ctx, path, rows); err != nil {
		return more, err
	}
	if err := rows.Err(); err != nil {
		return more, err
	}
	if text := api.EncodeCaveats(api.Arranged(append(rows.Caveats(), more...))); text != "" {
		return more, explainWrite("write the result", parquetfile.Tag(path, api.CaveatsKey, text))
	}
	return more, nil
}

// writeWorkbook streams rows as a workbook. An incomplete file is not a valid
// workbook.
func writeWorkbook(ctx context.Context, w io.Writer, rows *limited, o Options) (more []api.Caveat, err error) {
	if o.WriteWorkbook == nil {
		return nil, &api.Error{Code: api.CodeUsage, Message: "xlsx cannot be written here", Hint: "Choose another format with -o."}
	}
	to := bufio.NewWriterSize(sink{w}, flushAt)
	if more, err = o.WriteWorkbook(ctx, to, rows); err != nil {
		return more, err
	}
	if err := rows.Err(); err != nil {
		return more, err
	}
	return more, to.Flush()
}
