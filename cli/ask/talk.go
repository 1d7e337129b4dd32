package ask

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/approved"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/draft"
	"github.com/agnes-data/da/agent/hidden"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/secrets"
	"github.com/agnes-data/da/analyst/gist"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
)

// talk is one conversation on the terminal.
type talk struct {
	app   *app.App
	agent *agent.Agent
	log   *conversation.Log
	steps steps
	// attached are files that come with the next question.
	attached []conversation.File
	// policy decides when the model's changes are applied.
	policy draft.Policy
	// closeBox closes what the tools have opened.
	closeBox func()
}

// Conversations returns the store of the user's conversations.
func Conversations(a *app.App) (conversation.Store, error) {
	home, err := a.Places().Data()
	return conversation.Store{Dir: filepath.Join(home, "conversations"), Now: a.Now}, err
}

// modelOf merges flags and config.
func modelOf(a *app.App, o modelOptions) (config.Model, error) {
	cfg, err := a.ClientConfig()
	if err != nil {
		return config.Model{}, err
	}
	m := cfg.Agent
	if o.provider != "" && o.provider != m.Provider {
		m.BaseURL, m.KeyEnv, m.KeyFile, m.Name = "", "", "", "" // they belong to another provider
	}
	m.Provider, m.Name, m.BaseURL = cmp.Or(o.provider, m.Provider), cmp.Or(o.model, m.Name), cmp.Or(o.baseURL, m.BaseURL)
	if o.budget != "" {
		budget, err := strconv.ParseFloat(o.budget, 64)
		if err != nil || !(budget > 0 && budget < 1e6) {
			return m, usage.Error("--budget '" + api.Clip(o.budget, 40) + "' is not an amount of money such as 0.50")
		}
		if m.Budget > 0 && budget > m.Budget {
			return m, usage.Error("--budget " + o.budget + " is more than the " + agent.MoneyOf(m.Budget).String() +
				" of agent.budget in the config")
		}
		m.Budget = budget
	}
	file, err := a.Places().ClientConfig()
	if err != nil {
		return m, err
	}
	return m, CheckModel(m, file)
}

// CheckModel returns an error if the model's settings in file are incomplete.
func CheckModel(m config.Model, file string) error {
	switch {
	case m.Provider == "":
		return noModel("no model is configured, so nobody can answer", file)
	case m.Name == "":
		return noModel("no model is named for the provider '"+api.Clip(m.Provider, 40)+"'", file)
	case m.Budget+m.DayBudget > 0 && m.InputPrice == 0 && m.OutputPrice == 0:
		return noModel("a budget needs the prices of the model: agent.input_price and agent.output_price, for a million tokens each", file)
	}
	return nil
}

func noModel(message, file string) error {
	return &api.Error{Code: api.CodeConfig, Kind: api.KindNoModel, Message: message,
		Hint: "Set provider, model and, for a model of your own, base_url in the section 'agent' of " + file +
			", or give --provider, --model and --base-url; da help config shows them."}
}

// OpenProvider returns the model that m describes, and its API key.
func OpenProvider(a *app.App, m config.Model) (provider.Provider, string, error) {
	key, from, err := a.Places().ModelKey(m)
	if err != nil {
		return nil, "", err
	}
	p, err := provider.New(provider.Options{
		Kind: provider.Kind(m.Provider), Model: m.Name, BaseURL: m.BaseURL, Key: key, KeyFrom: from,
		AllowInsecureHTTP: a.Getenv(config.EnvAllowHTTP) == "1",
	})
	return p, key, err
}

// LimitsOf returns the limits that m sets.
func LimitsOf(m config.Model) (agent.Limits, *agent.Prices) {
	var prices *agent.Prices
	if m.InputPrice > 0 || m.OutputPrice > 0 {
		prices = agent.PerMillion(m.InputPrice, m.CacheReadPrice, m.CacheWritePrice, m.OutputPrice)
	}
	return agent.Limits{
		Calls: int(m.MaxToolCalls), Turns: int(m.MaxTurns), Tool: time.Duration(m.ToolSeconds) * time.Second,
		Turn:   time.Duration(m.TurnSeconds) * time.Second,
		Tokens: m.MaxTokens, Reply: m.MaxReplyTokens, Context: m.CompactTokens, Budget: agent.MoneyOf(m.Budget),
	}, prices
}

// openTalk opens a conversation with a model and tools. The caller closes it.
func openTalk(ctx context.Context, a *app.App, o askOptions) (*talk, error) {
	if o.test.replay != "" { // no model is asked, so none need be configured
		o.provider, o.model = string(provider.Compatible), "recorded"
		o.baseURL = "http://localhost"
	}
	m, err := modelOf(a, o.modelOptions)
	if err != nil {
		return nil, err
	}
	p, key, err := OpenProvider(a, m)
	if err != nil && o.test.replay == "" {
		return nil, err
	}
	if o.through != nil {
		p = o.through(p)
	}
	t := &talk{app: a}
	if t.log, err = openLog(a, o, m); err != nil {
		return nil, noConversation(err)
	}
	if err := t.open(ctx, o, m, p, key); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// openLog starts a conversation, or opens the one to continue.
func openLog(a *app.App, o askOptions, m config.Model) (*conversation.Log, error) {
	store, err := Conversations(a)
	if err != nil {
		return nil, err
	}
	id := o.conversation
	if o.goOn && id == "" {
		if id, err = store.Latest(); err != nil {
			return nil, err
		}
	}
	hide := m.Values == config.ValuesHidden
	if id == "" {
		return store.Create(conversation.Record{Provider: provider.Kind(m.Provider), Model: m.Name, Hidden: hide})
	}
	return store.Continue(id, hide)
}

func (t *talk) open(ctx context.Context, o askOptions, m config.Model, p provider.Provider, key string) error {
	t.policy = draft.Policy{Apply: o.apply, Pattern: m.Apply}
	if err := t.lend(ctx, o.files); err != nil {
		return err
	}
	if app.AgentName(t.app.Getenv) == "" {
		t.app.Setenv(config.EnvAgent, "da-ask") // for the audit
	}
	box, closeBox, err := isolatedBox(t.app, t.log.Files)
	if err != nil {
		return err
	}
	t.closeBox = closeBox
	view, err := draftOf(t.app, t.log.ID)
	if err != nil {
		return err
	}
	manifest, err := t.manifest(ctx, box.Work)
	if err != nil {
		return err
	}
	folder := &draft.Folder{Space: box.Space, Dir: t.log.Files}
	boxed := agent.FromBox(box, agent.Made(t.log.Records)...).In(folder)
	if t.log.Hidden() {
		boxed, m.Python = boxed.Only(hidden.Knows), "off"
	}
	tools, frames, err := t.withPython(ctx, boxed, box.Work, m)
	if err != nil {
		return err
	}
	limits, prices := LimitsOf(m)
	token, _ := t.app.Places().Token() // if it cannot be read, it cannot be in a text
	places, err := placesOf(t.app)
	if err != nil {
		return err
	}
	var saved func(string) *conversation.Saved
	var fitting func(context.Context, string) string
	if remote, err := t.app.Connect(); err == nil && remote.Knower != nil { // who has no place of data asks of files alone
		fitting = gist.For(remote)
		saved = approved.SavedOf(ctx, remote.Knower)
		if m.Reuse == config.ReuseApproved {
			p = &approved.Provider{Provider: p, Known: remote.Knower}
		}
	}
	t.agent, err = agent.New(agent.Config{
		Places:   places,
		Provider: p, Saved: saved, Tools: tools, Limits: limits, Prices: prices, Log: t.log,
		System: agent.Prompt(append(boxed.Lessons(), agent.DraftLesson)), There: agent.There(manifest, t.log.Marks(), t.app.Now()), Gist: fitting,
		Clean:  secrets.New(key, token).Clean,
		Inputs: inputsOf(ctx, view), Frames: frames, Settle: t.settle, Say: func(e agent.Event) { t.steps.take(e) },
	})
	return err
}

// placesOf names the folders of the user, whose paths a model need not know.
func placesOf(a *app.App) (map[string]string, error) {
	data, err := a.Places().Data()
	if err != nil {
		return nil, err
	}
	places := map[string]string{data: "DA_HOME"}
	if home, err := os.UserHomeDir(); err == nil && home != data {
		places[home] = "~"
	}
	return places, nil
}

// agentToolConfig is the Config for a conversation's tools: the user's snapshots,
// the workspace through the conversation's draft, and below root the files that
// tools read by path.
func agentToolConfig(a *app.App, root string) (tool.Config, error) {
	cfg, err := ToolConfig(a, root, root)
	cfg.Tools = agent.ToolSets
	cfg.Space = func() (*workspace.Workspace, error) { return draftOf(a, filepath.Base(filepath.Dir(root))) }
	return cfg, err
}

// isolatedBox returns the tools of a conversation, which run in processes of their
// own. The caller closes it.
func isolatedBox(a *app.App, root string) (*toolbox.Box, func(), error) {
	cfg, err := agentToolConfig(a, root)
	if err != nil {
		return nil, nil, err
	}
	env := append(os.Environ(), config.EnvAgent+"="+a.Getenv(config.EnvAgent), config.EnvSession+"="+a.Getenv(config.EnvSession),
		config.EnvRoot+"="+root)
	calls, err := worker.NewCalls(a.Args, env, a.IO.Err)
	if err != nil {
		cfg.Files.Close()
		return nil, nil, err
	}
	cfg.Isolate = calls.Call
	box, err := toolbox.New(cfg)
	if err != nil {
		calls.Close()
		cfg.Files.Close()
		return nil, nil, err
	}
	return box, func() { calls.Close(); cfg.Files.Close() }, nil
}

// serveAgentCalls answers the calls of a da ask in another process.
// kept refuses those that read at the source.
func serveAgentCalls(ctx context.Context, a *app.App, kept bool) error {
	cfg, err := agentToolConfig(a, a.Getenv(config.EnvRoot))
	if err != nil {
		return err
	}
	cfg.Kept = kept
	defer cfg.Files.Close()
	box, err := toolbox.New(cfg)
	if err != nil {
		return err
	}
	return worker.ServeCalls(a.IO.In, a.IO.Out, func(request json.RawMessage, say func(string)) json.RawMessage {
		return box.Serve(ctx, request, say)
	})
}

func (t *talk) close() {
	if t.closeBox != nil {
		t.closeBox()
	}
	t.log.Close()
}

// recordsOf reads a conversation.
func recordsOf(a *app.App, id string) ([]conversation.Record, error) {
	store, err := Conversations(a)
	if err != nil {
		return nil, err
	}
	records, err := store.Read(id)
	return records, noConversation(err)
}
