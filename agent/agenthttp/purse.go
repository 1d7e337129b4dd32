package agenthttp

import (
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/api"
	file "github.com/agnes-data/da/internal/guard/purse"
)

// purses keep what the model has cost each user today (UTC).
type purses struct {
	most agent.Money // maximum per user and day; 0: no limit
	now  func() time.Time
	log  *slog.Logger
}

// purse is that of one user, for one turn; see agent.Purse.
type purse struct {
	*purses
	costs Costs
	day   string // day of the reserved amount
}

// Costs are what the model has cost a user today.
type Costs interface {
	Read() (file.Today, error)
	// Change is that of package purse.
	Change(change func(*file.Today) bool) (changed bool, err error)
}

// inFolder are the costs in the folder of the user's conversations.
type inFolder struct {
	folder string
	now    func() time.Time
}

// Read implements Costs.
func (f inFolder) Read() (file.Today, error) { return file.Read(f.folder, f.now()) }

// Change implements Costs.
func (f inFolder) Change(change func(*file.Today) bool) (bool, error) {
	return file.Change(f.folder, f.now(), change)
}

func (p *purses) of(folder string) *purse { return p.with(inFolder{folder, p.now}) }

func (p *purses) with(costs Costs) *purse { return &purse{purses: p, costs: costs} }

// purse is the purse of the caller.
func (s *Server) purse(v visit) *purse {
	if costs := s.Costs(v.data.Folder()); costs != nil {
		return s.purses.with(costs)
	}
	return s.purses.of(v.store.Dir)
}

// change changes what was spent today, unless by returns false. It reports whether
// the new amount is on disk.
func (p *purse) change(by func(*file.Today) bool) bool {
	changed, err := p.costs.Change(by)
	if err != nil {
		p.log.Error("cannot write down what the model costs a user", "cause", err)
	}
	return changed
}

// bound is the most that may be spent in a day.
func (p *purses) bound() agent.Money {
	if p.most == 0 {
		return math.MaxInt64 / 4 // sums of it fit
	}
	return p.most
}

// Spent is what the user's requests of today have cost, and may cost that run now. A
// file that cannot be read leaves nothing to spend.
func (p *purse) Spent() agent.Money {
	s, err := p.costs.Read()
	if err != nil {
		p.log.Error("cannot read what the model has cost a user", "cause", err)
		return p.bound()
	}
	return agent.Money(s.Cost)
}

// Left implements agent.Purse.
func (p *purse) Left() agent.Money { return p.bound() - p.Spent() }

// usedUp is the error for a question when nothing is left.
func (p *purse) usedUp() error {
	return &api.Error{Code: api.CodeBudget, Kind: api.KindDailyBudget,
		Message: fmt.Sprintf("the model has cost you %s today, of %s for a day", p.Spent(), p.bound()),
		Hint:    "Ask again after midnight UTC. The operator sets the most in agent.daily_budget of the instance file."}
}

// Hold implements agent.Purse.
func (p *purse) Hold(most agent.Money) bool {
	return p.change(func(s *file.Today) bool {
		p.day = s.Day
		s.Cost += int64(most)
		return agent.Money(s.Cost) <= p.bound()
	})
}

// Settle implements agent.Purse. What was held yesterday counts for yesterday.
func (p *purse) Settle(held, cost agent.Money) {
	p.change(func(s *file.Today) bool {
		s.Cost = max(s.Cost+int64(cost-held), 0)
		return held != cost && s.Day == p.day
	})
}
