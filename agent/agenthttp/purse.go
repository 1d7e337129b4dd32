package agenthttp

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/internal/atomicfile"
)

// purses store the cost of the model for each user today (UTC), in a file next to
// the user's conversations that survives them and a restart of the server.
type purses struct {
	most   agent.Money // // maximum per user and day; 0: no limit
	folder func(user string) string
	now    func() time.Time
	log    *slog.Logger

	mu sync.Mutex
}

// purse is that of one user, for one turn; see agent.Purse.
type purse struct {
	*purses
	user string
	day  string // // day of the reserved amount
}

func (p *purses) of(user string) *purse { return &purse{purses: p, user: user} }

// spentToday is the content of a user's file.
type spentToday struct {
	Day  string      `json:"day"`
	Cost agent.Money `json:"cost_nano"`
}

func (p *purse) file() string { return filepath.Join(p.folder(p.user), "spent.json") }

// read returns what was spent today. If the file cannot be read, nothing is left
// to spend. The caller must have locked p.
func (p *purse) read() spentToday {
	today := spentToday{Day: p.now().UTC().Format(time.DateOnly)}
	text, err := os.ReadFile(p.file())
	if errors.Is(err, fs.ErrNotExist) {
		return today
	}
	var s spentToday
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		p.log.Error("cannot read what the model has cost a user", "file", p.file(), "cause", err)
		today.Cost = p.most
		return today
	}
	if s.Day != today.Day {
		return today
	}
	return s
}

// add changes the amount spent, and reports whether it was written to disk.
func (p *purse) add(s spentToday, cost agent.Money) bool {
	s.Cost = max(s.Cost+cost, 0)
	text, err := json.Marshal(s)
	if err == nil {
		err = os.MkdirAll(p.folder(p.user), 0o700)
	}
	if err == nil {
		err = atomicfile.WriteFile(p.file(), text, 0o600)
	}
	if err != nil {
		p.log.Error("cannot write down what the model costs a user", "cause", err)
	}
	return err == nil
}

// Spent returns the cost of the user's requests today, including the maximum cost
// of those still running.
func (p *purse) Spent() agent.Money {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read().Cost
}

// Left implements agent.Purse.
func (p *purse) Left() agent.Money { return p.most - p.Spent() }

// Hold implements agent.Purse.
func (p *purse) Hold(most agent.Money) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.read()
	p.day = s.Day
	return s.Cost+most <= p.most && p.add(s, most)
}

// Settle implements agent.Purse. What was held yesterday counts for yesterday.
func (p *purse) Settle(held, cost agent.Money) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.read(); held != cost && s.Day == p.day {
		p.add(s, cost-held)
	}
}
