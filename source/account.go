package source

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
