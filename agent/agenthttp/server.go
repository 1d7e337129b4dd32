package agenthttp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/approved"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/draft"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/python"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// Config configures a server's agent.
type Config struct {
	// Provider is the model's provider; nil if there is none.
	Provider provider.Provider
	Kind     provider.Kind
	Model    string
	// Hide keeps values of the data from the model, Reuse answers approved questions without it.
	Hide, Reuse bool
	Limits      agent.Limits
	Prices      *agent.Prices
	// Day is the maximum cost of the model per user and day; 0: no limit.
	Day agent.Money
	// Clean removes secrets from what is sent to the model.
	Clean func(string) (string, int)
	// Store is where a user's conversations are; name is api.FileOwner's Folder.
	Store func(name string) conversation.Store
	// Costs are those of a user, or nil: they are in the folder of the conversations.
	Costs func(name string) Costs
	// Files gives access to the users' files; empty: no files are stored.
	Files Files
	// Python runs what the model writes in it; nil if there is none.
	Python *python.Pool
	Now    func() time.Time
	Log    *slog.Logger
	Gist   func(data api.Data) func(ctx context.Context, question string) string // see agent.Config; may be nil
	// Closing ends when the server is about to; nil: never.
	Closing context.Context //nolint:containedctx // the server's own
	// Grace is how long a turn continues when nobody follows it; 0: two minutes.
	Grace time.Duration
}

// Limits of what all users together do at the same time: turns, and tool calls on
// files.
const (
	atOnce   = 100
	maxLooks = 8
)

// Server answers requests of users.
type Server struct {
	Config
	slots  chan struct{}
	looks  chan struct{}
	purses purses
	turns  turns
}

// New returns a server that is configured by cfg.
func New(cfg Config) *Server {
	cfg.Grace = cmp.Or(cfg.Grace, grace)
	cfg.Closing = cmp.Or(cfg.Closing, context.Background())
	return &Server{Config: cfg, slots: make(chan struct{}, atOnce), looks: make(chan struct{}, maxLooks),
		purses: purses{most: cfg.Day, now: cfg.Now, log: cfg.Log}}
}

// Route is one request that the server answers.
type Route struct {
	Method, Path        string
	Takes, Gives, About string
	// Serve answers a caller who is allowed to ask data.
	Serve func(data api.Data, w http.ResponseWriter, r *http.Request)
	// Params are the parameters of its URL.
	Params []string
}

// places names the folders of the server, whose paths a model need not know.
func places(conversations string) map[string]string {
	names := map[string]string{conversations: "conversations", filepath.Dir(conversations): "conversations"}
	if home, err := os.UserHomeDir(); err == nil {
		names[home] = "~"
	}
	return names
}

// Routes lists them all.
func (s *Server) Routes() []Route {
	return append(s.sharing(), []Route{
		{http.MethodGet, "/api/agent/health", "", "AgentHealth", "Whether the server has a model that answers.", s.with(s.health), nil},
		{http.MethodPost, "/api/agent/chat", "ChatRequest", "ChatReply", "Asks the model, and answers when it is done.", s.with(s.chat), nil},
		{http.MethodPost, "/api/agent/chat/stream", "ChatRequest", "events of Event", "Asks the model, and reports each step as it happens ([agent](agent.md#over-http)).", s.with(s.stream), nil},
		{http.MethodGet, "/api/agent/conversations/{id}/events", "", "events of Event", "The events of its turn that runs, after the one of the header `Last-Event-ID`.", s.with(s.follow), nil},
		{http.MethodPost, "/api/agent/stop", "ConversationRequest", "TurnStopped", "Ends the turn of a conversation that runs.", s.with(s.stop), nil},
		{http.MethodPost, "/api/agent/rename", "ConversationTitle", "ConversationTitle", "Names a conversation of the caller.", s.with(s.rename), nil},
		{http.MethodPost, "/api/agent/reset", "ConversationRequest", "ConversationReset", "Deletes a conversation of the caller.", s.with(s.reset), nil},
		{http.MethodGet, "/api/agent/conversations", "`?q=` words that were said in them", "ConversationList", "The conversations of the caller, the latest first.", s.with(s.list), []string{"q"}},
		{http.MethodGet, "/api/agent/conversations/{id}", "", "ConversationRecords", "What was said and done in one of them.", s.with(s.show), nil},
		{http.MethodGet, "/api/agent/receipts/{id}", "", "the receipt", "What the figures of an answer rest on.", s.with(s.receipt), nil},
		{http.MethodGet, "/api/agent/conversations/{id}/shown/{message}", "", "Event", "The table or chart that a tool result with `shown` has shown.", s.with(s.shown), nil},
	}...)
}

// visit is one request of a caller.
type visit struct {
	data  api.Data
	w     http.ResponseWriter
	r     *http.Request
	store conversation.Store
	// requestID is also in the headers of the answer, which is written
	// concurrently.
	requestID string
}

// with finds the caller's folder and answers with the error of a handler.
func (s *Server) with(handle func(visit) error) func(api.Data, http.ResponseWriter, *http.Request) {
	return func(data api.Data, w http.ResponseWriter, r *http.Request) {
		_, err := data.Whoami(r.Context())
		if err == nil {
			err = handle(visit{data, w, r, s.Store(data.Folder()), w.Header().Get(wire.HeaderRequestID)})
		}
		if err != nil {
			s.fail(w, err)
		}
	}
}

// fail answers with an error.
func (s *Server) fail(w http.ResponseWriter, err error) {
	e := s.visible(w.Header().Get(wire.HeaderRequestID), err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.Code.HTTPStatus())
	_ = json.NewEncoder(w).Encode(e.Body()) // a client that has disconnected needs no answer
}

// served maps error codes that a server does not send to those that it sends
// instead: they concern its model or its disk, not the caller.
var served = map[api.Code]api.Code{
	api.CodeUsage: api.CodeBadRequest, api.CodeSnapshotBusy: api.CodeUnavailable, api.CodeUnreachable: api.CodeUnavailable,
	api.CodeStalled:   api.CodeUnavailable,
	api.CodeStreamCut: api.CodeUnavailable, api.CodeDiskFull: api.CodeUnavailable,
}

// visible returns what a caller is allowed to see of an error. The provider's
// complaints about the key or the model are for the operator only.
func (s *Server) visible(id string, err error) *api.Error {
	var e *api.Error
	if errors.As(err, &e) {
		code := cmp.Or(served[e.Code], e.Code)
		if code.HTTPStatus() != http.StatusInternalServerError && e.Code != api.CodeUnauthorized && e.Code != api.CodeConfig {
			out := *e
			out.Code, out.RequestID = code, id
			return &out
		}
	}
	s.Log.Error("a conversation failed", "cause", err, "request", id)
	return &api.Error{Code: api.CodeInternal, Message: "internal error", RequestID: id}
}

// answer sends JSON.
func (v visit) answer(body any) error {
	v.w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(v.w).Encode(body) // a client that has disconnected needs no answer
	return nil
}

func (s *Server) health(v visit) error {
	h := AgentHealth{Status: "off"}
	if s.Provider != nil {
		h = AgentHealth{Status: "ok", Model: s.Model, Open: len(s.slots), Limits: limitsOf(s.Limits.Filled())}
		if s.Prices != nil {
			spent := float64(s.purse(v).Spent()) / 1e9
			h.SpentToday = &spent
		}
		if s.Day > 0 {
			most := float64(s.Day) / 1e9
			h.DailyBudget = &most
		}
	}
	return v.answer(h)
}

func (s *Server) list(v visit) error {
	all, err := v.store.Find(v.r.URL.Query().Get("q"))
	if err != nil {
		return err
	}
	out := ConversationList{Conversations: all}
	if v.data.FileOwner != nil {
		out.Owner = v.data.Folder()
	}
	return v.answer(out)
}

func (s *Server) show(v visit) error {
	records, err := v.store.Read(v.r.PathValue("id"))
	if err != nil {
		return err
	}
	return v.answer(ConversationRecords{conversation.Describe(records), conversation.WithoutReasoning(records)})
}

// receipt answers with the receipt of a turn: the evidence for its answer.
func (s *Server) receipt(v visit) error {
	id, turn, err := receipt.ParseID(v.r.PathValue("id"))
	if err != nil {
		return err
	}
	records, err := v.store.Read(id)
	if err != nil {
		return err
	}
	r, err := receipt.Of(records, turn)
	if err != nil {
		return err
	}
	return v.answer(r)
}

// shown answers with a table or chart as its event was.
func (s *Server) shown(v visit) error { return v.sendShown(v.store, v.r.PathValue("message")) }

func (v visit) sendShown(kept conversation.Store, message string) error {
	data, err := kept.Shown(v.r.PathValue("id"), message)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	_, _ = v.w.Write(data) // a client that has disconnected needs no answer
	return nil
}

// maxTitle bounds the title of a conversation, in bytes.
const maxTitle = 200

func (s *Server) rename(v visit) error {
	var in ConversationTitle
	if err := wire.DecodeBody(v.r.Body, &in); err != nil {
		return err
	}
	in.Title = strings.TrimSpace(in.Title)
	if in.Title == "" || len(in.Title) > maxTitle {
		return &api.Error{Code: api.CodeBadRequest, Kind: api.KindTitle, Message: fmt.Sprintf("a title has 1 to %d bytes", maxTitle)}
	}
	if err := v.store.Rename(in.Conversation, in.Title); err != nil {
		return err
	}
	return v.answer(in)
}

func (s *Server) reset(v visit) error {
	var in ConversationRequest
	if err := wire.DecodeBody(v.r.Body, &in); err != nil {
		return err
	}
	if err := v.store.Delete(in.Conversation); err != nil {
		return err
	}
	if s.Python != nil {
		s.Python.Drop(v.key(in.Conversation))
	}
	if err := s.dropDraft(v, in.Conversation); err != nil {
		return err
	}
	return v.answer(ConversationReset{in.Conversation})
}

// key names a conversation of the caller among those of all users. A caller has
// chosen id: it is not taken as a path, which could lead to another user's.
func (v visit) key(id string) string { return v.store.Dir + "\x00" + id }

// turn asks the model for a caller, and sends each step to t.
func (s *Server) turn(ctx context.Context, v visit, in ChatRequest, t turn) error {
	begun := false
	_, err := s.ask(ctx, v, in, func(id string) func() { return s.turns.put(v.key(id), t, s.Grace) }, func(e agent.Event) {
		begun = true
		t.say(e)
	})
	if err != nil && begun {
		t.say(agent.Event{Type: agent.EventError, Error: s.visible(v.requestID, err).Body()})
	}
	return err
}

// ask asks the model for a caller. open, if not nil, is called with the
// conversation's id before the turn begins, and returns a function that is called
// when the turn is over. say is called with each step.
func (s *Server) ask(ctx context.Context, v visit, in ChatRequest, open func(id string) func(),
	say func(agent.Event)) (agent.Answer, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return agent.Answer{}, &api.Error{Code: api.CodeUnavailable, Kind: api.KindTooManyTurns, Message: "the model is busy with others", Hint: "Try again in a moment."}
	}
	var most agent.Purse
	if s.Prices != nil {
		purse := s.purse(v)
		if most = purse; purse.Left() <= 0 {
			return agent.Answer{}, purse.usedUp()
		}
	}
	attached, err := s.attached(ctx, v, in)
	if err != nil {
		return agent.Answer{}, err
	}
	log, err := s.openLog(v, in)
	if err != nil {
		return agent.Answer{}, err
	}
	defer log.Close()
	if open != nil {
		defer open(log.ID)()
	}
	work, err := s.openDesk(ctx, v, log)
	if err != nil {
		return agent.Answer{}, err
	}
	defer work.close()
	there, err := work.manifest(ctx)
	if err != nil {
		return agent.Answer{}, err
	}
	limits, model := s.Limits, s.Provider
	if in.Budget > 0 && s.Prices != nil && (limits.Budget == 0 || agent.MoneyOf(in.Budget) < limits.Budget) {
		limits.Budget = agent.MoneyOf(in.Budget)
	}
	if s.Reuse {
		model = &approved.Provider{Provider: model, Known: v.data.Knower}
	}
	a, err := agent.New(agent.Config{Purse: most, Provider: model, Saved: approved.SavedOf(ctx, v.data.Knower), Tools: work.tools,
		Frames: work.frames, Limits: limits, Prices: s.Prices, Log: log,
		System: agent.Prompt(work.lessons), There: agent.There(there, log.Marks(), s.Now()), Gist: s.gist(v.data),
		Clean: s.Clean, Places: places(v.store.Dir), Inputs: work.inputs(ctx),
		Settle: work.settle(log.ID, draft.Policy{Apply: in.Apply, Pattern: s.Files.Pattern}), Say: say})
	if err != nil {
		return agent.Answer{}, err
	}
	ask := func() (agent.Answer, error) { return a.Ask(ctx, in.Message, attached...) }
	switch {
	case in.Message != "":
	case a.Open():
		ask = func() (agent.Answer, error) { return a.Resume(ctx) }
	default:
		return agent.Answer{}, errNoTurn()
	}
	answer, err := ask()
	if v.data.FileOwner != nil {
		err = v.data.NoteModel(context.WithoutCancel(ctx), log.ID, answer.Cost, err)
	}
	return answer, err
}

func errNoTurn() error {
	return &api.Error{Code: api.CodeBadRequest, Kind: api.KindNoMessage, Message: "there is no message, and no turn to go on with"}
}

// request reads a caller's question to the model.
func (s *Server) request(v visit) (ChatRequest, error) {
	var in ChatRequest
	if s.Provider == nil {
		return in, &api.Error{Code: api.CodeUnavailable, Kind: api.KindAgentOff, Message: "this server has no model that answers", Hint: "Its operator can set one in the section 'agent' of the instance file."}
	}
	if err := wire.DecodeBody(v.r.Body, &in); err != nil {
		return in, err
	}
	if in.Budget < 0 {
		return in, &api.Error{Code: api.CodeBadRequest, Kind: api.KindBudget, Message: "the budget is below 0", Hint: "Leave it out for that of the server."}
	}
	return in, nil
}
