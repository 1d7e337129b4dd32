package source

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
)

// Account says on whose behalf a source works and what that may cost. Sources
// that bill limit every job by it and label the job with it. It decides nothing
// about rights. The zero value names nobody and leaves the source's own limit in
// force.
type Account struct {
	// MaxBilledBytes limits the billed bytes; nil means that only the source's
	// own limit applies.
	MaxBilledBytes *int64
	// User, Agent, Session and RequestID are those of the audit; empty if
	// unknown.
	User, Agent, Session, RequestID string
}

// Payer is a Querier whose engine bills: it gets the Account of a statement, and
// can estimate its cost.
type Payer interface {
	Querier
	// EstimateQuery returns what QueryFor would read and bill, without reading
	// it.
	EstimateQuery(ctx context.Context, sql string, tables map[string]Relation, account Account) (*api.Estimate, error)
	// QueryFor is Query on an account.
	QueryFor(ctx context.Context, sql string, tables map[string]Relation, account Account) (array.RecordReader, error)
}
