package agent

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/hidden"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/secrets"
	"github.com/agnes-data/da/api"
)

// Config configures an agent.
type Config struct {
	Provider provider.Provider
	Tools    Tools
	Limits   Limits
	// Prices, if not nil, are the prices of the provider.
	Prices *Prices
	// Purse, if not nil, bounds the cost beyond the conversation; it needs Prices.
	Purse Purse
	// Log is the conversation. The caller who opened it closes it.
	Log *conversation.Log
	// System is the system prompt of the model. It is the same in all conversations
	// with the same tools, so that a provider can keep what it has made of it.
	System string
	// There, if not empty, tells the model before a question what there is, unless it
	// was told the same before.
	There string
	// Gist, if not nil, picks the tables, columns and joins that the first question of a
	// conversation seems to need, as text; "": none. It is not called if values are
	// hidden, as the text can hold some.
	Gist func(ctx context.Context, question string) string
	// Clean removes secrets from everything that is sent to the model, and counts
	// them; nil: only the patterns of package secrets are removed.
	Clean func(string) (string, int)
	// Places are names for folders of this machine, whose paths are not sent to the
	// model. The conversation's own folder needs none.
	Places map[string]string
	// Inputs, if not nil, says which files a call that has just been answered has read;
	// the snapshots and parts of tables come with its answer.
	Inputs func(tool, arguments string) []conversation.Input
	// Saved, if not nil, says which saved question's statement a call has run.
	Saved func(arguments string) *conversation.Saved
	// Frames, if not nil, returns the rows that the model shows to the user as
	// tables and charts. Errors are those of tools.
	Frames func(context.Context, FrameRequest) (*DataFrame, error)
	// Settle, if not nil, completes the answer of a finished turn, for example
	// with what happens to the files that the turn has changed.
	Settle func(context.Context, *Answer) error
	// Say, if not nil, is called for each step, by one goroutine at a time.
	Say func(Event)
}

// Agent continues one conversation. Its methods must be called one at a time.
type Agent struct {
	Config
	limits Limits
	places secrets.Places
	tools  []Tool
	state  *state
	// warnings are those of this turn.
	warnings []string
	// blind says that the model has refused a picture.
	blind bool
	// broken is what the user has been shown of a reply that is not whole.
	broken strings.Builder

	saying sync.Mutex
	seq    int
}

// New returns an agent that continues cfg.Log.
func New(cfg Config) (*Agent, error) {
	a := &Agent{Config: cfg, limits: cfg.Limits.Filled(), tools: cfg.Tools.List()}
	if (a.limits.Budget > 0 || cfg.Purse != nil) && cfg.Prices == nil {
		return nil, &api.Error{Code: api.CodeConfig, Kind: api.KindNoPrices, Message: "a budget in money needs the prices of the model"}
	}
	if a.Clean == nil {
		a.Clean = func(text string) (string, int) { return text, 0 }
	}
	places := maps.Clone(cfg.Places)
	if places == nil {
		places = map[string]string{}
	}
	places[cfg.Log.Files] = ""
	a.places = secrets.NewPlaces(places)
	a.There, _ = a.Clean(a.places.Hide(a.There)) // it names files, which somebody has named
	if cfg.Frames != nil {
		a.tools = append(slices.Clone(a.tools), showTools()...)
	}
	if t, ok := opener(a.tools); ok {
		a.tools = append(slices.Clone(a.tools), t)
	}
	a.state = newState(a.limits, cfg.Prices)
	a.state.marks = cfg.Log.Marks()
	if cfg.Log.Hidden() {
		a.tools = slices.DeleteFunc(slices.Clone(a.tools), func(t Tool) bool { return !hidden.Knows(t.Name) })
		a.System += "\n- " + hidden.Rule
		a.state.values = &hidden.Values{}
	}
	for _, r := range cfg.Log.Records {
		a.state.apply(r)
	}
	a.state.counted = false // the prompt and the tools may have changed since the last count
	return a, nil
}

// Open reports whether a turn was started and has not ended, for example because
// its process was killed.
func (a *Agent) Open() bool { return a.state.open }

func (a *Agent) clean(text string) (string, int) { return a.Clean(text) }

func (a *Agent) say(e Event) {
	a.saying.Lock()
	defer a.saying.Unlock()
	a.seq++
	e.Seq = a.seq
	if a.Say != nil {
		a.Say(e)
	}
}

// append writes a record to the log and applies it to the state.
func (a *Agent) append(r conversation.Record) error {
	if err := a.Log.Append(r); err != nil {
		return err
	}
	a.state.apply(r)
	return nil
}

// Tell adds a note that the model reads with the next question.
func (a *Agent) Tell(note string) error {
	return a.append(conversation.Record{Type: conversation.Notice, Text: note})
}

// errTime is why a turn ends that took too long.
var errTime = errors.New("the turn took too long")

// request is the next request to the model.
func (a *Agent) request() provider.Request {
	return provider.Request{System: a.System, Messages: a.sighted(), Tools: a.offer()}
}

// size is the most tokens that a request can have. The prompt and the schemas of the
// tools are our own English: no tokenizer makes more tokens of them than a third of
// their bytes.
func (a *Agent) size(req provider.Request) int64 {
	if a.state.counted {
		return a.state.size
	}
	own := bytesOf(req.Tools) + bytesOf(req.System)
	return bytesOf(req) - own + own/3 + picturesOf(req)*pictureTokens
}
