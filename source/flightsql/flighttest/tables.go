package flighttest

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/internal/duckdb"
)

// GetFlightInfoTables hands the question back as the ticket for its answer.
func (s *Server) GetFlightInfoTables(_ context.Context, _ flightsql.GetTables, desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return &flight.FlightInfo{
		FlightDescriptor: desc, TotalRecords: -1, TotalBytes: -1,
		Endpoint: []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: desc.GetCmd()}}},
	}, nil
}

// DoGetTables lists tables and views, with their schemas.
func (s *Server) DoGetTables(ctx context.Context, ask flightsql.GetTables) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	c, err := s.db.Conn()
	if err != nil {
		return nil, nil, failure(err)
	}
	defer func() { _ = c.Close() }()
	sql := "SELECT table_catalog, table_schema, table_name, table_type FROM information_schema.tables WHERE true"
	for column, pattern := range map[string]*string{"table_schema": ask.GetDBSchemaFilterPattern(), "table_name": ask.GetTableNameFilterPattern()} {
		if pattern != nil {
			sql += fmt.Sprintf(" AND %s LIKE %s", column, duckdb.Literal(*pattern))
		}
	}
	if ask.GetCatalog() != nil {
		sql += " AND table_catalog = " + duckdb.Literal(*ask.GetCatalog())
	}
	rows, err := texts(ctx, c, sql+" ORDER BY ALL")
	if err != nil {
		return nil, nil, failure(err)
	}
	schema := schema_ref.Tables
	if ask.GetIncludeSchema() {
		schema = schema_ref.TablesWithIncludedSchema
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, r := range rows {
		for i, v := range r {
			b.Field(i).(*array.StringBuilder).Append(v)
		}
		if !ask.GetIncludeSchema() {
			continue
		}
		described, err := tableSchema(ctx, c, r)
		if err != nil {
			return nil, nil, failure(err)
		}
		b.Field(4).(*array.BinaryBuilder).Append(flight.SerializeSchema(described, memory.DefaultAllocator))
	}
	chunks := make(chan flight.StreamChunk, 1)
	chunks <- flight.StreamChunk{Data: b.NewRecordBatch()}
	close(chunks)
	return schema, chunks, nil
}

// tableSchema is the schema of a table, with what its columns' declarations say.
func tableSchema(ctx context.Context, c *duckdb.Conn, table []string) (*arrow.Schema, error) {
	rows, err := c.Query(ctx, fmt.Sprintf("SELECT * FROM %s.%s.%s LIMIT 0", duckdb.Quote(table[0]), duckdb.Quote(table[1]), duckdb.Quote(table[2])))
	if err != nil {
		return nil, err
	}
	fields := rows.Schema().Fields()
	rows.Release()
	declared, err := texts(ctx, c, fmt.Sprintf(`SELECT column_name, is_nullable::VARCHAR, coalesce(comment, '') FROM duckdb_columns()
WHERE database_name = %s AND schema_name = %s AND table_name = %s ORDER BY column_index`, duckdb.Literal(table[0]), duckdb.Literal(table[1]), duckdb.Literal(table[2])))
	if err != nil {
		return nil, err
	}
	for i := range fields {
		for _, d := range declared {
			if d[0] != fields[i].Name {
				continue
			}
			fields[i].Nullable = d[1] == "true"
			if d[2] != "" {
				keys, values := append(fields[i].Metadata.Keys(), flightsql.RemarksKey), append(fields[i].Metadata.Values(), d[2])
				fields[i].Metadata = arrow.NewMetadata(keys, values)
			}
		}
	}
	return arrow.NewSchema(fields, nil), nil
}

// texts reads rows of texts.
func texts(ctx context.Context, c *duckdb.Conn, sql string) ([][]string, error) {
	rows, err := c.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	var out [][]string
	for rows.Next() {
		b := rows.RecordBatch()
		for i := range int(b.NumRows()) {
			row := make([]string, b.NumCols())
			for j := range row {
				row[j] = b.Column(j).ValueStr(i)
			}
			out = append(out, row)
		}
	}
	return out, rows.Err()
}
