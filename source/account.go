package source

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
)

// Account says on whose behalf a source works, and what that may cost: sources
// that bill bound each job by it and label the job with it. It decides nothing
// about rights. Zero: nobody is named, and the source's own bound holds.
type Account struct {
	// MaxBilledBytes is the most that the work may be billed; nil: no bound but
	// the source's own.
	MaxBilledBytes *int64
	// User, Agent, Session and RequestID are as the audit has them; empty: not
	// known.
	User, Agent, Session, RequestID string
}

// Payer is a Querier whose engine bills: it takes on whose behalf a statement
// runs, and can tell before what that costs.
type Payer interface {
	Querier
	// EstimateQuery tells what QueryFor would read and bill, without reading it.
	EstimateQuery(ctx context.Context, sql string, tables map[string]Relation, account Account) (*api.Estimate, error)
	// QueryFor is Query on an account.
	QueryFor(ctx context.Context, sql string, tables map[string]Relation, account Account) (array.RecordReader, error)
}
