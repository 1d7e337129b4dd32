package output

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/rows/canonical"
)

// writeArrow writes rows as Arrow IPC: as a stream, or as a file, which other
// programs expect where a name ends in .arrow. It writes the end mark only after
// the last row, so that a reader can detect what is incomplete.
func writeArrow(w io.Writer, rows *limited, file bool) error {
	to := bufio.NewWriterSize(sink{w}, flushAt)
	var out interface {
		Write(rows arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(to, ipc.WithSchema(rows.Schema()))
	if file {
		var err error
		if out, err = ipc.NewFileWriter(to, ipc.WithSchema(rows.Schema())); err != nil {
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
	if err := out.Close(); err != nil {
		return explainWrite("write the result", err)
	}
	return to.Flush()
}

// streamParquet lets the engine write a temporary file and copies it to w,
// because parquet cannot be written as a stream.
func streamParquet(ctx context.Context, w io.Writer, rows *limited, o Options) (warnings []string, err error) {
	const doing = "write the result to a temporary file"
	dir, err := os.MkdirTemp(o.TempDir, "da-output-*")
	if err != nil {
		return nil, explainWrite(doing, err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system removes what remains of temporary files
	path := filepath.Join(dir, "result.parquet")
	if warnings, err = parquetFile(ctx, path, rows, o); err != nil {
		return warnings, err
	}
	f, err := os.Open(path)
	if err != nil {
		return warnings, explainWrite(doing, err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	_, err = io.Copy(sink{w}, f)
	return warnings, explainWrite("write the result", err)
}

// parquetFile writes rows to path. It makes column names unique without regard to
// case, because DuckDB ignores case.
func parquetFile(ctx context.Context, path string, rows *limited, o Options) (warnings []string, err error) {
	if o.WriteParquet == nil {
		return nil, &api.Error{Code: api.CodeUsage, Message: "parquet cannot be written here", Hint: "Choose another format with -o."}
	}
	names := arrowjson.Names(rows.Schema())
	if unique, changed := arrowjson.Unique(names, strings.ToLower); changed {
		warnings = []string{renamedWarning(names, unique)}
		rows.rename(unique)
	}
	if _, err = o.WriteParquet(ctx, path, rows); err != nil {
		return warnings, err
	}
	return warnings, rows.Err()
}

// writeWorkbook streams rows as a workbook. An incomplete file is not a valid
// workbook.
func writeWorkbook(ctx context.Context, w io.Writer, rows *limited, o Options) (warnings []string, err error) {
	if o.WriteWorkbook == nil {
		return nil, &api.Error{Code: api.CodeUsage, Message: "xlsx cannot be written here", Hint: "Choose another format with -o."}
	}
	to := bufio.NewWriterSize(sink{w}, flushAt)
	if warnings, err = o.WriteWorkbook(ctx, to, rows); err != nil {
		return warnings, err
	}
	if err := rows.Err(); err != nil {
		return warnings, err
	}
	return warnings, to.Flush()
}
