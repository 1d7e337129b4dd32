package agent

import (
	"time"

	"github.com/agnes-data/da/agent/conversation"
)

// SpentSince is what requests to models have cost since a moment, in all
// conversations of a store. A request whose cost is not known counts as its
// reservation.
func SpentSince(store conversation.Store, since time.Time) (Money, error) {
	all, err := store.List()
	if err != nil {
		return 0, err
	}
	var sum Money
	for _, c := range all {
		if c.Last.Before(since) {
			continue
		}
		records, err := store.Read(c.ID)
		if err != nil {
			return 0, err
		}
		sum += spentSince(records, since)
	}
	return sum, nil
}

// spentSince is SpentSince for one conversation. A request counts for the moment
// that it was sent, and in the conversation that sent it.
func spentSince(records []conversation.Record, since time.Time) Money {
	var sum, held Money
	if len(records) > 0 && records[0].From != nil {
		records = records[min(1+records[0].From.Records, len(records)):]
	}
	for _, r := range records {
		switch r.Type {
		case conversation.ModelCall:
			sum, held = sum+held, 0
			if !r.At.Before(since) {
				held = Money(r.Cost)
			}
		case conversation.AssistantMessage, conversation.Summary:
			if held > 0 && r.Usage != nil { // else the reply broke off
				sum, held = sum+Money(r.Cost), 0
			}
		case conversation.ModelFailed:
			held = 0
		}
	}
	return sum + held
}
