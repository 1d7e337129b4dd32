package flighttest

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	"github.com/apache/arrow-go/v18/arrow/memory"
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
	pattern := ask.GetDBSchemaFilterPattern()
	if s.o.NoSchemas {
		pattern = nil
	}
	tables, err := s.engine.tables(ctx, pattern, ask.GetTableNameFilterPattern())
	if err != nil {
		return nil, nil, failure(err)
	}
	schema := schema_ref.Tables
	if ask.GetIncludeSchema() {
		schema = schema_ref.TablesWithIncludedSchema
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, t := range tables {
		if !s.wanted(t, ask) {
			continue
		}
		for i, v := range []string{t.catalog, t.schema, t.name, t.kind} {
			if i == 0 && s.o.NoCatalogs || i == 1 && s.o.NoSchemas {
				b.Field(i).AppendNull()
				continue
			}
			b.Field(i).(*array.StringBuilder).Append(v)
		}
		if ask.GetIncludeSchema() {
			b.Field(4).(*array.BinaryBuilder).Append(flight.SerializeSchema(t.columns, memory.DefaultAllocator))
		}
	}
	chunks := make(chan flight.StreamChunk, 1)
	chunks <- flight.StreamChunk{Data: b.NewRecordBatch()}
	close(chunks)
	return schema, chunks, nil
}

// wanted reports whether a table is in the catalog that is asked for; where
// there are no schemas, none matches.
func (s *Server) wanted(t table, ask flightsql.GetTables) bool {
	if p := ask.GetDBSchemaFilterPattern(); p != nil && *p != "" && s.o.NoSchemas {
		return false
	}
	c := ask.GetCatalog()
	return c == nil || !s.o.NoCatalogs && *c == t.catalog
}
