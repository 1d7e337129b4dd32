package agenthttp

import (
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/agnes-data/da/agent"
	file "github.com/agnes-data/da/internal/purse"
)

// purses keep what the model has cost each user today (UTC).
type purses struct {
	most   agent.Money // maximum per user and day; 0: no limit
	folder func(user string) string
	now    func() time.Time
	log    *slog.Logger

	mu sync.Mutex
}

// purse is that of one user, for one turn; see agent.Purse.
type purse struct {
	*purses
	user string
	day  string // day of the reserved amount
}

func (p *purses) of(user string) *purse { return &purse{purses: p, user: user} }

// read returns what was spent today. A file that cannot be read leaves nothing to
// spend. The caller has locked p.
func (p *purse) read() file.Today {
	s, err := file.Read(p.folder(p.user), p.now())
	if err != nil {
		p.log.Error("cannot read what the model has cost a user", "file", file.File(p.folder(p.user)), "cause", err)
		s.Cost = int64(p.bound())
	}
	return s
}

// add changes what was spent, and reports whether that is on disk.
func (p *purse) add(s file.Today, cost agent.Money) bool {
	s.Cost = max(s.Cost+int64(cost), 0)
	err := s.Write(p.folder(p.user))
	if err != nil {
		p.log.Error("cannot write down what the model costs a user", "cause", err)
	}
	return err == nil
}

// bound is the most that may be spent in a day.
func (p *purses) bound() agent.Money {
	if p.most == 0 {
		return math.MaxInt64 / 4 // sums of it fit
	}
	return p.most
}

// Spent is what the user's requests of today have cost, and may cost that run now.
func (p *purse) Spent() agent.Money {
	p.mu.Lock()
	defer p.mu.Unlock()
	return agent.Money(p.read().Cost)
}

// Left implements agent.Purse.
func (p *purse) Left() agent.Money { return p.bound() - p.Spent() }

// Hold implements agent.Purse.
func (p *purse) Hold(most agent.Money) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.read()
	p.day = s.Day
	return agent.Money(s.Cost)+most <= p.bound() && p.add(s, most)
}

// Settle implements agent.Purse. What was held yesterday counts for yesterday.
func (p *purse) Settle(held, cost agent.Money) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.read(); held != cost && s.Day == p.day {
		p.add(s, cost-held)
	}
}
