package opentables

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/sourcetest"
)

// DeltaLacks are the kinds of values that no Delta table can hold.
var DeltaLacks = []sourcetest.Kind{sourcetest.Time, sourcetest.Interval, sourcetest.UUID, sourcetest.JSON}

// deltaTypes are the types of the kinds as a log has them.
var deltaTypes = map[sourcetest.Kind]string{
	sourcetest.Bool: `"boolean"`, sourcetest.Int: `"long"`, sourcetest.Float: `"double"`, sourcetest.Decimal: `"decimal(18,3)"`, sourcetest.Wide: `"decimal(38,9)"`,
	sourcetest.Text: `"string"`, sourcetest.Bytes: `"binary"`, sourcetest.Date: `"date"`, sourcetest.Timestamp: `"timestamp_ntz"`, sourcetest.Instant: `"timestamp"`,
	sourcetest.Ints:   `{"type":"array","elementType":"long","containsNull":true}`,
	sourcetest.Texts:  `{"type":"array","elementType":"string","containsNull":true}`,
	sourcetest.Record: `{"type":"struct","fields":[{"name":"a","type":"long","nullable":true,"metadata":{}},{"name":"b","type":"string","nullable":true,"metadata":{}}]}`,
}

type object = map[string]any

// WriteDelta writes a table into a folder: a file for each partition, and a log of
// one commit without statistics.
func WriteDelta(ctx context.Context, conn *duckdb.Conn, dir string, table sourcetest.Table) error {
	groups, partitions := map[string][][]any{"": table.Rows}, []string{}
	if at := slices.IndexFunc(table.Columns, func(c sourcetest.Column) bool { return c.Name == table.PartitionBy }); at >= 0 {
		groups, partitions = map[string][][]any{}, []string{table.PartitionBy}
		for _, row := range table.Rows {
			value := ""
			if day, ok := row[at].(time.Time); ok {
				value = day.Format(time.DateOnly)
			}
			groups[value] = append(groups[value], row)
		}
	}
	actions, err := deltaHead(dir, table, partitions)
	if err != nil {
		return err
	}
	for value, rows := range groups {
		name := fmt.Sprintf("part-%d.parquet", len(actions))
		part := table
		part.Rows = rows
		size, err := copyTo(ctx, conn, filepath.Join(dir, name), sourcetest.DuckDB(part))
		if err != nil {
			return err
		}
		values := object{}
		if len(partitions) > 0 {
			values[partitions[0]] = value
		}
		actions = append(actions, added(name, values, size, int64(len(rows))))
	}
	return WriteCommit(dir, 0, actions...)
}

// WriteDeltaSeries writes a table of one file with so many rows of the columns n and
// pad.
func WriteDeltaSeries(ctx context.Context, conn *duckdb.Conn, dir string, rows int64) error {
	actions, err := deltaHead(dir, sourcetest.Table{Columns: []sourcetest.Column{{Name: "n", Kind: sourcetest.Int}, {Name: "pad", Kind: sourcetest.Text}}}, []string{})
	if err != nil {
		return err
	}
	size, err := copyTo(ctx, conn, filepath.Join(dir, "series.parquet"), Series(rows))
	if err != nil {
		return err
	}
	return WriteCommit(dir, 0, append(actions, added("series.parquet", object{}, size, rows))...)
}

// Series makes the rows of a fixture's series.
func Series(rows int64) string {
	return fmt.Sprintf("SELECT range AS n, rpad('pad' || range, 100, 'x') AS pad FROM range(%d)", rows)
}

func added(name string, values object, size, rows int64) object {
	return object{"add": object{"path": name, "partitionValues": values, "size": size, "modificationTime": 0, "dataChange": true, "stats": fmt.Sprintf(`{"numRecords":%d}`, rows)}}
}

// deltaHead makes the folder of a table, and the actions that say what it is.
func deltaHead(dir string, table sourcetest.Table, partitions []string) ([]object, error) {
	if err := os.MkdirAll(filepath.Join(dir, "_delta_log"), 0o755); err != nil {
		return nil, err
	}
	fields := make([]object, len(table.Columns))
	for i, c := range table.Columns {
		metadata := object{}
		if c.Comment != "" {
			metadata["comment"] = c.Comment
		}
		fields[i] = object{"name": c.Name, "type": json.RawMessage(deltaTypes[c.Kind]), "nullable": !c.Required, "metadata": metadata}
	}
	schema, err := json.Marshal(object{"type": "struct", "fields": fields})
	if err != nil {
		return nil, err
	}
	return []object{
		{"protocol": object{"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": []string{"timestampNtz"}, "writerFeatures": []string{"timestampNtz"}}},
		{"metaData": object{"id": dir, "format": object{"provider": "parquet", "options": object{}}, "schemaString": string(schema), "partitionColumns": partitions, "configuration": object{}}},
	}, nil
}

// WriteCommit writes a commit of a log.
func WriteCommit(dir string, version int, actions ...object) error {
	var lines strings.Builder
	for _, a := range actions {
		line, err := json.Marshal(a)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	return os.WriteFile(filepath.Join(dir, "_delta_log", fmt.Sprintf("%020d.json", version)), []byte(lines.String()), 0o600)
}

func copyTo(ctx context.Context, conn *duckdb.Conn, file, sql string) (int64, error) {
	err := conn.Exec(ctx, "COPY ("+sql+") TO "+duckdb.Literal(file)+" (FORMAT parquet, ROW_GROUP_SIZE 2048)")
	info, statErr := os.Stat(file)
	if err = errors.Join(err, statErr); err != nil {
		return 0, err
	}
	return info.Size(), nil
}
