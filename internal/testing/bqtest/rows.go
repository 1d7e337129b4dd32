package bqtest

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// tabledataList lists the first rows of a table, which costs nothing. A view
// has none of its own, and neither has a table whose rows lie elsewhere.
func (s *Server) tabledataList(r *http.Request) (any, error) {
	t, err := s.table(r)
	if err != nil {
		return nil, err
	}
	if t.def.View != "" || t.def.External || strings.HasPrefix(t.name, "slow") {
		return nil, &refusal{http.StatusBadRequest, "invalid", "Cannot list a table of type VIEW."}
	}
	q := r.URL.Query()
	limit, err := strconv.Atoi(q.Get("maxResults"))
	if err != nil || q.Get("pageToken") != "" || q.Get("formatOptions.useInt64Timestamp") != "true" {
		return nil, &refusal{http.StatusBadRequest, "invalid", "a limit, no page and whole timestamps are expected here"}
	}
	var columns []field
	for _, c := range t.columns() {
		if fields := q.Get("selectedFields"); fields == "" || slices.Contains(strings.Split(fields, ","), c.name) {
			columns = append(columns, c)
		}
	}
	out := &bq.TableDataList{TotalRows: t.rows}
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = quote(c.name)
	}
	err = s.with(r.Context(), func(conn *duckdb.Conn) error {
		return eachRow(r.Context(), conn, fmt.Sprintf("SELECT %s FROM %s LIMIT %d", strings.Join(list, ", "), quote(t.engineName), limit), columns,
			func(row *bq.TableRow) { out.Rows = append(out.Rows, row) })
	})
	if int64(len(out.Rows)) < t.rows {
		out.PageToken = "more"
	}
	return out, err
}

func eachRow(ctx context.Context, conn *duckdb.Conn, sql string, columns []field, each func(*bq.TableRow)) error {
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return err
	}
	defer rows.Release()
	for rows.Next() {
		b := rows.RecordBatch()
		for i := range int(b.NumRows()) {
			row := &bq.TableRow{}
			for c, col := range columns {
				row.F = append(row.F, &bq.TableCell{V: restValue(col.typ, b.Column(c), i), ForceSendFields: []string{"V"}, NullFields: []string{"V"}})
			}
			for _, cell := range row.F {
				if cell.V != nil {
					cell.NullFields = nil
				}
			}
			each(row)
		}
	}
	return rows.Err()
}

// cell is a value in a row of the REST API; lists are such values, too.
type cell struct {
	V any `json:"v"`
}

// restValue is a value as the REST API writes it.
func restValue(t typ, a any, i int) any {
	if n, ok := a.(interface{ IsNull(int) bool }); ok && n.IsNull(i) {
		if t.kind == "ARRAY" {
			return []cell{}
		}
		return nil
	}
	switch a := a.(type) {
	case *array.Boolean:
		return strconv.FormatBool(a.Value(i))
	case *array.Int64:
		return strconv.FormatInt(a.Value(i), 10)
	case *array.Float64:
		return strconv.FormatFloat(a.Value(i), 'g', -1, 64)
	case *array.Binary:
		return base64.StdEncoding.EncodeToString(a.Value(i))
	case *array.Timestamp:
		at := a.Value(i).ToTime(timeUnit(a))
		if t.kind == "TIMESTAMP" {
			return strconv.FormatInt(at.UnixMicro(), 10)
		}
		return strings.TrimSuffix(at.UTC().Format("2006-01-02T15:04:05.000000"), ".000000")
	case *array.Time64:
		us := int64(a.Value(i))
		return fmt.Sprintf("%02d:%02d:%02d.%06d", us/3600e6, us/60e6%60, us/1e6%60, us%1e6)
	case *array.Date32:
		return a.Value(i).ToTime().Format("2006-01-02")
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		us := v.Nanoseconds / 1000
		sign := ""
		if us < 0 {
			sign, us = "-", -us
		}
		months, monthSign := v.Months, ""
		if months < 0 {
			months, monthSign = -months, "-"
		}
		return fmt.Sprintf("%s%d-%d %d %s%d:%d:%d.%06d", monthSign, months/12, months%12, v.Days, sign, us/3600e6, us/60e6%60, us/1e6%60, us%1e6)
	case array.ExtensionArray:
		return restValue(t, a.Storage(), i)
	case *array.Struct:
		row := struct {
			F []cell `json:"f"`
		}{}
		for f := range a.NumField() {
			row.F = append(row.F, cell{restValue(t.fields[f].typ, a.Field(f), i)})
		}
		return row
	case array.ListLike:
		list := []cell{}
		from, to := a.ValueOffsets(i)
		for k := from; k < to; k++ {
			list = append(list, cell{restValue(*t.elem, a.ListValues(), int(k))})
		}
		return list
	case interface{ ValueStr(int) string }:
		return a.ValueStr(i) // texts and decimals
	}
	return nil
}
