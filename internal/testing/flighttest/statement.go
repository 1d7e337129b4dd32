package flighttest

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/jackc/pgx/v5/pgconn"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// GetFlightInfoStatement prepares a statement; DoGetStatement runs it.
func (s *Server) GetFlightInfoStatement(ctx context.Context, q flightsql.StatementQuery, desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	if err := s.engine.check(ctx, q.GetQuery()); err != nil {
		return nil, failure(err)
	}
	ticket, err := flightsql.CreateStatementQueryTicket([]byte(q.GetQuery()))
	if err != nil {
		return nil, err
	}
	return &flight.FlightInfo{
		FlightDescriptor: desc, TotalRecords: -1, TotalBytes: -1,
		// Somewhere else: a client must not go there.
		Endpoint: []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: ticket}, Location: []*flight.Location{{Uri: "grpc://192.0.2.1:1"}}}},
	}, nil
}

// DoGetStatement runs a statement, and streams its rows until ctx is done.
func (s *Server) DoGetStatement(ctx context.Context, t flightsql.StatementQueryTicket) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	s.running.Add(1)
	rows, err := s.engine.query(ctx, string(t.GetStatementHandle()))
	if err != nil {
		s.running.Add(-1)
		return nil, nil, failure(err)
	}
	chunks := make(chan flight.StreamChunk)
	go func() {
		defer s.running.Add(-1)
		defer rows.Release()
		defer close(chunks)
		for rows.Next() {
			b := rows.RecordBatch()
			b.Retain()
			select {
			case chunks <- flight.StreamChunk{Data: b}:
			case <-ctx.Done():
				b.Release()
				return
			}
		}
		if err := rows.Err(); err != nil {
			select {
			case chunks <- flight.StreamChunk{Err: failure(err)}:
			case <-ctx.Done():
			}
		}
	}()
	return rows.Schema(), chunks, nil
}

// failure is an engine's error in the words of the protocol.
func failure(err error) error {
	var said *duckdb.Error
	var told *pgconn.PgError
	switch {
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, err.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, err.Error())
	case errors.As(err, &said):
		return status.Error(codes.InvalidArgument, said.Message)
	case errors.As(err, &told):
		return status.Error(codes.InvalidArgument, told.Message)
	}
	return status.Error(codes.Internal, err.Error())
}
