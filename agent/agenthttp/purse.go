package agenthttp

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/internal/atomicfile"
)

// purses keep what the model has cost each user today (UTC), in a file beside the
// user's conversations, which outlives them and the server.
type purses struct {
	most   agent.Money // of a user in a day; 0: there is no bound
	folder func(user string) string
	now    func() time.Time
	log    *slog.Logger

	mu sync.Mutex
}

// purse is that of one user; see agent.Purse.
type purse struct {
	*purses
	user string
}

// spentToday is what the file of a user says.
type spentToday struct {
	Day  string      `json:"day"`
	Cost agent.Money `json:"cost_nano"`
}

func (p purse) file() string { return filepath.Join(p.folder(p.user), "spent.json") }

// read returns what was spent today. The lock is held.
func (p purse) read() spentToday {
	today := spentToday{Day: p.now().UTC().Format(time.DateOnly)}
	var s spentToday
	text, err := os.ReadFile(p.file())
	if err != nil || json.Unmarshal(text, &s) != nil || s.Day != today.Day {
		return today
	}
	return s
}

// add changes what was spent, and reports whether that is on disk.
func (p purse) add(s spentToday, cost agent.Money) bool {
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

// Spent is what the user's requests of today have cost, and may cost that run now.
func (p purse) Spent() agent.Money {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read().Cost
}

// Left implements agent.Purse.
func (p purse) Left() agent.Money { return p.most - p.Spent() }

// Hold implements agent.Purse.
func (p purse) Hold(most agent.Money) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.read()
	return s.Cost+most <= p.most && p.add(s, most)
}

// Settle implements agent.Purse. What was held yesterday was counted then.
func (p purse) Settle(held, cost agent.Money) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.read(); held != cost {
		p.add(s, cost-held)
	}
}
