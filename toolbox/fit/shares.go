package fit

import (
	"fmt"

	"github.com/agnes-data/da/api"
)

// Shares divides one budget among several answers. Later answers get what earlier
// ones leave.
type Shares struct{ bytes, waiting int }

// NewShares divides a budget in tokens, minus the caller's reserve in bytes,
// among that many answers. It fails if a share would be too small.
func NewShares(tokens, reserve, answers int) (*Shares, error) {
	if tokens < answers*MinTokens {
		return nil, &api.Error{Code: api.CodeUsage, Kind: api.KindMaxTokens,
			Message: fmt.Sprintf("%d tokens are too few for the results of %d statements", tokens, answers),
			Hint:    fmt.Sprintf("Give at least %d for each, %d in all, or send fewer statements.", MinTokens, answers*MinTokens)}
	}
	return &Shares{bytes: tokens*BytesPerToken - reserve, waiting: answers}, nil
}

// DefaultShares is the budget in tokens for that many answers if nobody chose one.
func DefaultShares(answers int) int { return max(DefaultTokens, answers*MinTokens) }

// Next returns how many tokens the next answer can have.
func (s *Shares) Next() int { return max(s.bytes/s.waiting/BytesPerToken, MinTokens) }

// Took notes that an answer has taken so many bytes.
func (s *Shares) Took(bytes int) {
	s.bytes -= bytes
	s.waiting = max(s.waiting-1, 1)
}
