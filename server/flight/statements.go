package flightapi

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
)

var errReadOnly = &api.Error{Code: api.CodeStatement, Message: "nothing can be written here", Hint: "Send one SELECT."}

var errParameters = &api.Error{Code: api.CodeStatement, Message: "values of parameters are not taken here",
	Hint: "Write them into the statement."}

// statements answers Flight SQL. Handles and tickets are the statements themselves: any
// server can continue what another began, and a made-up one can ask for nothing that the
// gate does not admit.
type statements struct {
	flightsql.BaseServer
	info map[uint32]bool // what GetSqlInfo tells
}

func newStatements(version string) *statements {
	s := &statements{info: map[uint32]bool{}}
	s.Alloc = memory.DefaultAllocator // the library sets it in calls, which race
	for id, value := range map[flightsql.SqlInfo]any{
		flightsql.SqlInfoFlightSqlServerName: "da", flightsql.SqlInfoFlightSqlServerVersion: version,
		flightsql.SqlInfoFlightSqlServerArrowVersion: arrow.PkgVersion, flightsql.SqlInfoFlightSqlServerReadOnly: true,
		flightsql.SqlInfoFlightSqlServerSql: true, flightsql.SqlInfoFlightSqlServerSubstrait: false,
		flightsql.SqlInfoFlightSqlServerTransaction: int32(flightsql.SqlTransactionNone),
		flightsql.SqlInfoFlightSqlServerCancel:      false, // who cancels ends the call
		flightsql.SqlInfoDDLCatalog:                 false, flightsql.SqlInfoDDLSchema: false, flightsql.SqlInfoDDLTable: false,
		flightsql.SqlInfoIdentifierQuoteChar: `"`, flightsql.SqlInfoSearchStringEscape: `\`,
	} {
		if err := s.RegisterSqlInfo(id, value); err != nil {
			panic(err) // the types of the values are right
		}
		s.info[uint32(id)] = true
	}
	return s
}

// toldInfo are the numbers of what a driver asks for and the server tells. The library
// refuses all if one of them is unknown.
type toldInfo []uint32

// GetInfo implements flightsql.GetSqlInfo.
func (t toldInfo) GetInfo() []uint32 { return t }

// DoGetSqlInfo tells what the server is.
//
//nolint:staticcheck // the library names it
func (s *statements) DoGetSqlInfo(ctx context.Context, cmd flightsql.GetSqlInfo) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	known := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(cmd.GetInfo()))), func(id uint32) bool { return !s.info[id] })
	if len(known) == 0 && len(cmd.GetInfo()) > 0 {
		return rowsOf(schema_ref.SqlInfo)
	}
	return s.BaseServer.DoGetSqlInfo(ctx, toldInfo(known))
}

// ticketed is the answer to a question whose rows are fetched with a ticket.
func ticketed(desc *flight.FlightDescriptor, ticket []byte, schema *arrow.Schema) *flight.FlightInfo {
	info := &flight.FlightInfo{FlightDescriptor: desc, Endpoint: []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: ticket}}},
		TotalRecords: -1, TotalBytes: -1}
	if schema != nil {
		info.Schema = flight.SerializeSchema(schema, memory.DefaultAllocator)
	}
	return info
}

// GetFlightInfoStatement names the ticket of a statement. It runs with the ticket.
func (*statements) GetFlightInfoStatement(_ context.Context, cmd flightsql.StatementQuery,
	desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	if len(cmd.GetTransactionId()) > 0 {
		return nil, errReadOnly
	}
	ticket, err := flightsql.CreateStatementQueryTicket([]byte(cmd.GetQuery()))
	if err != nil {
		return nil, err
	}
	return ticketed(desc, ticket, nil), nil
}

// DoGetStatement runs a statement.
func (*statements) DoGetStatement(ctx context.Context,
	ticket flightsql.StatementQueryTicket) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return query(ctx, string(ticket.GetStatementHandle()))
}

// GetSchemaStatement returns the columns of a statement.
func (*statements) GetSchemaStatement(ctx context.Context, cmd flightsql.StatementQuery,
	_ *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	schema, err := columnsOf(ctx, cmd.GetQuery())
	if err != nil {
		return nil, err
	}
	return &flight.SchemaResult{Schema: flight.SerializeSchema(schema, memory.DefaultAllocator)}, nil
}

// CreatePreparedStatement returns the columns of a statement, and the statement as its
// handle. JDBC prepares every statement.
func (*statements) CreatePreparedStatement(ctx context.Context,
	req flightsql.ActionCreatePreparedStatementRequest) (out flightsql.ActionCreatePreparedStatementResult, err error) {
	if len(req.GetTransactionId()) > 0 {
		return out, errReadOnly
	}
	out.Handle, out.IsUpdate = []byte(req.GetQuery()), new(bool)
	out.DatasetSchema, err = columnsOf(ctx, req.GetQuery())
	return out, err
}

// ClosePreparedStatement has nothing to forget.
func (*statements) ClosePreparedStatement(context.Context, flightsql.ActionClosePreparedStatementRequest) error {
	return nil
}

// GetFlightInfoPreparedStatement names the ticket of a prepared statement.
func (*statements) GetFlightInfoPreparedStatement(_ context.Context, _ flightsql.PreparedStatementQuery,
	desc *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return ticketed(desc, desc.Cmd, nil), nil
}

// DoGetPreparedStatement runs a prepared statement.
func (*statements) DoGetPreparedStatement(ctx context.Context,
	cmd flightsql.PreparedStatementQuery) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return query(ctx, string(cmd.GetPreparedStatementHandle()))
}

// DoPutPreparedStatementQuery refuses the values of parameters.
func (*statements) DoPutPreparedStatementQuery(context.Context, flightsql.PreparedStatementQuery, flight.MessageReader,
	flight.MetadataWriter) ([]byte, error) {
	return nil, errParameters
}

// DoPutCommandStatementUpdate refuses what is no query.
func (*statements) DoPutCommandStatementUpdate(context.Context, flightsql.StatementUpdate) (int64, error) {
	return 0, errReadOnly
}

// DoPutPreparedStatementUpdate refuses what is no query.
func (*statements) DoPutPreparedStatementUpdate(context.Context, flightsql.PreparedStatementUpdate, flight.MessageReader) (int64, error) {
	return 0, errReadOnly
}

func query(ctx context.Context, sql string) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	rows, err := visitOf(ctx).data.Query(ctx, api.QueryRequest{SQL: sql})
	if err != nil {
		return nil, nil, err
	}
	return send(ctx, rows)
}

// columnsOf returns the columns of a statement, whose rows nobody asks for.
func columnsOf(ctx context.Context, sql string) (*arrow.Schema, error) {
	sql = strings.TrimRight(sql, "; \t\r\n")
	rows, err := visitOf(ctx).data.Query(ctx, api.QueryRequest{SQL: "SELECT * FROM (" + sql + "\n) AS statement LIMIT 0"})
	if err != nil {
		// What is no query is wrong within the other one in another way.
		if _, own := visitOf(ctx).data.PriceQuery(ctx, api.QueryRequest{SQL: sql}); own != nil {
			err = own
		}
		return nil, err
	}
	defer rows.Close()
	return rows.Batches.Schema(), nil
}
