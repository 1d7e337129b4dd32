package fit

import (
	"fmt"

	"github.com/agnes-data/da/api"
)

// Shares divides one budget among several answers. What one leaves is there for
// those behind it.
type Shares struct{ bytes, waiting int }

// NewShares divides a budget of tokens, without the bytes that the caller keeps,
// among so many answers. A budget with too little room for each is refused.
func NewShares(tokens, reserve, answers int) (*Shares, error) {
	if tokens < answers*MinTokens {
		return nil, &api.Error{Code: api.CodeUsage, Kind: "max_tokens", Message: fmt.Sprintf("%d tokens are too few for the results of %d statements", tokens, answers),
			Hint: fmt.Sprintf("Give at least %d for each, %d in all, or send fewer statements.", MinTokens, answers*MinTokens)}
	}
	return &Shares{bytes: tokens*BytesPerToken - reserve, waiting: answers}, nil
}

// Next is how many tokens the next answer may have.
func (s *Shares) Next() int { return max(s.bytes/s.waiting/BytesPerToken, MinTokens) }

// Took notes that an answer has taken so many bytes.
func (s *Shares) Took(bytes int) {
	s.bytes -= bytes
	s.waiting = max(s.waiting-1, 1)
}
