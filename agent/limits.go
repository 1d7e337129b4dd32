package agent

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/agnes-data/da/agent/provider"
)

// Limits are the limits of a conversation. 0 selects the default of each.
type Limits struct {
	// Calls bounds the tool calls of a turn, Turns the questions of a conversation.
	Calls, Turns int
	// Tool is the maximum time of a call, Turn that of a whole turn.
	Tool, Turn time.Duration
	// Tokens bounds those of a conversation, Reply those of one reply.
	Tokens, Reply int64
	// Budget is the maximum cost of a conversation; it needs Prices.
	Budget Money
	// Context is the size in tokens from which on older turns are summed up.
	Context int64
	// Stale is the number of calls in a row that may bring nothing new.
	Stale int
}

// The default limits.
const (
	DefaultCalls   = 50
	DefaultTurns   = 50
	DefaultTool    = 30 * time.Second
	DefaultTurn    = 20 * time.Minute
	DefaultTokens  = 2_000_000
	DefaultReply   = 8192
	DefaultContext = 100_000
	DefaultStale   = 10
)

// Filled replaces unset limits by their defaults.
func (l Limits) Filled() Limits {
	return Limits{
		Calls: cmp.Or(l.Calls, DefaultCalls), Turns: cmp.Or(l.Turns, DefaultTurns), Tool: cmp.Or(l.Tool, DefaultTool),
		Turn:   cmp.Or(l.Turn, DefaultTurn),
		Tokens: cmp.Or(l.Tokens, DefaultTokens), Reply: cmp.Or(l.Reply, DefaultReply), Budget: l.Budget,
		Context: cmp.Or(l.Context, DefaultContext), Stale: cmp.Or(l.Stale, DefaultStale),
	}
}

// leastReply is how many tokens a reply must be allowed for a request to make
// sense.
const leastReply = 256

// Money is an amount in units of 10^-9 of a currency.
type Money int64

// String writes the amount with as many digits as say something, at least two.
func (m Money) String() string {
	digits := 2
	for d := Money(10_000_000); digits < 9 && m%d != 0; d /= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f", digits, float64(m)/1e9)
}

// MoneyOf is an amount that a person wrote.
func MoneyOf(amount float64) Money { return Money(math.Round(amount * 1e9)) }

// Prices are the prices per token.
type Prices struct{ Input, CacheRead, CacheWrite, Output Money }

// PerMillion returns prices per token from prices per million tokens, as
// providers publish them. If no price for the cache is given, reading from it
// costs as much as input, and writing to it a quarter more.
func PerMillion(input, cacheRead, cacheWrite, output float64) *Prices {
	if cacheRead == 0 {
		cacheRead = input
	}
	if cacheWrite == 0 {
		cacheWrite = input * 1.25
	}
	each := func(price float64) Money { return Money(math.Ceil(price * 1000)) }
	return &Prices{each(input), each(cacheRead), each(cacheWrite), each(output)}
}

// of returns the cost of a reply.
func (p *Prices) of(u provider.Usage) Money {
	if p == nil {
		return 0
	}
	return Money(u.Input)*p.Input + Money(u.CacheRead)*p.CacheRead + Money(u.CacheWrite)*p.CacheWrite + Money(u.Output)*p.Output
}

// dearest is the most that a token of a request can cost.
func (p *Prices) dearest() Money { return max(p.Input, p.CacheRead, p.CacheWrite) }

// Purse limits the total cost of several conversations, for example those of a
// user in one day. It can be used concurrently.
type Purse interface {
	// Left returns the amount that can still be spent.
	Left() Money
	// Hold reserves the maximum cost of a request; it returns false if that much
	// is not left.
	Hold(most Money) bool
	// Settle replaces a reserved amount by the actual cost. A reservation that is
	// never settled counts as spent.
	Settle(held, cost Money)
}

// reserve is reserve of the account, limited to what is left in the purse.
func (a *Agent) reserve(request, least int64) (reply int64, tokens int64, cost Money, reason Reason) {
	of := &a.state.account
	of.limits.Budget = a.limits.Budget
	if a.Purse == nil {
		return of.reserve(request, least)
	}
	if most := of.cost + a.Purse.Left(); of.limits.Budget == 0 || most < of.limits.Budget {
		of.limits.Budget = max(most, 1) // 0 would be no bound
	}
	reply, tokens, cost, reason = of.reserve(request, least)
	if reason == "" && !a.Purse.Hold(cost) { // another conversation was faster
		reason = ReasonBudget
	}
	return reply, tokens, cost, reason
}

// lacks says how much of the budget is left and how much the next request needs, if
// the budget has ended the turn.
func (a *Agent) lacks(reason Reason) string {
	if reason != ReasonBudget || a.Prices == nil {
		return ""
	}
	left := max(a.state.account.limits.Budget-a.state.account.cost, 0)
	if a.Purse != nil {
		left = min(left, max(a.Purse.Left(), 0))
	}
	need := Money(a.size(a.request()))*a.Prices.dearest() + leastReply*a.Prices.Output
	switch {
	case need > left:
	case a.Purse != nil:
		return "other requests of the same user hold what is left; it is free when they have ended"
	default:
		return "" // it was a second try that did not fit
	}
	return fmt.Sprintf("the next request can cost %s, and %s is left", need, left)
}

// settle reports the actual cost of a request to the purse.
func (a *Agent) settle(held int64, cost Money) {
	if a.Purse != nil {
		a.Purse.Settle(Money(held), cost)
	}
}

// account counts what a conversation has used. A reservation counts as used until
// it is settled, so a process that is killed in between cannot spend money
// unrecorded.
type account struct {
	limits         Limits
	prices         *Prices
	tokens         int64
	cost           Money
	reservedTokens int64
	reservedCost   Money
	unsettled      int64 // tokens that count as used, because what their requests took is unknown
}

// reserve returns how many tokens the reply to a request may have (request is the
// request's size in tokens, least the minimum for the reply), and the maximum
// tokens and cost of both together. reason is the limit that leaves no room.
func (a *account) reserve(request, least int64) (reply int64, tokens int64, cost Money, reason Reason) {
	left := a.limits.Tokens - a.tokens - request
	if left < least {
		return 0, 0, 0, ReasonTokens
	}
	reply = min(a.limits.Reply, left)
	if a.prices == nil {
		return reply, request + reply, 0, ""
	}
	cost = Money(request) * a.prices.dearest()
	if a.limits.Budget > 0 {
		room := a.limits.Budget - a.cost - cost
		if room < Money(least)*a.prices.Output || room < 0 {
			return 0, 0, 0, ReasonBudget
		}
		if a.prices.Output > 0 {
			reply = min(reply, int64(room/a.prices.Output))
		}
	}
	return reply, request + reply, cost + Money(reply)*a.prices.Output, ""
}

// hold records a reservation; a previous one that was never settled counts as
// spent.
func (a *account) hold(tokens int64, cost Money) {
	a.spend()
	a.reservedTokens, a.reservedCost = tokens, cost
	a.tokens, a.cost = a.tokens+tokens, a.cost+cost
}

// spend lets the reservation count as used, because the actual use is unknown.
func (a *account) spend() {
	a.unsettled += a.reservedTokens
	a.reservedTokens, a.reservedCost = 0, 0
}

// settle replaces the reservation by the actual use.
func (a *account) settle(tokens int64, cost Money) {
	a.tokens, a.cost = a.tokens-a.reservedTokens+tokens, a.cost-a.reservedCost+cost
	a.reservedTokens, a.reservedCost = 0, 0
}
