package config

import (
	"cmp"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/agnes-data/da/api"
)

// Model configures the model that answers questions, and its limits. For each
// number, 0 means the default.
type Model struct {
	// Provider is anthropic, openai or compatible; empty if no model is
	// configured.
	Provider string
	Name     string // of the model
	BaseURL  string
	// KeyEnv is the variable with the API key, KeyFile a file with it.
	KeyEnv  string
	KeyFile string
	// Prices per million tokens, and the most that a conversation may cost.
	InputPrice, OutputPrice, CacheReadPrice, CacheWritePrice float64
	Budget                                                   float64
	// Apply is a glob of files whose changes need no person to apply them.
	Apply string
	// Python is on or off; empty: on for a user's own model, off on a server.
	Python string
	// PythonPath is the interpreter; empty: one of PATH.
	PythonPath string
	// PythonDiskMB is the most that a conversation's Python may have on disk, in MB.
	PythonDiskMB int64
	// Values is sent, or hidden: the model is then not sent values of the data.
	Values string
	// Reuse is ReuseApproved if an approved question is answered without the model.
	Reuse string
	// DayBudget is the most that a user of a server may spend on the model per
	// day.
	DayBudget float64
	// Limits of a conversation.
	MaxToolCalls, MaxTurns, ToolSeconds, TurnSeconds, MaxTokens, MaxReplyTokens, CompactTokens int64
}

// modelProviders are the values of provider.
var modelProviders = []string{"anthropic", "openai", "compatible"}

// ValuesHidden is what Values is if the model is not sent values of the data.
const ValuesHidden = "hidden"

// ReuseApproved is what Reuse is if an approved question, asked again, is answered from
// its statement.
const ReuseApproved = "approved"

// onOff are the values of python.
var onOff = []string{"on", "off"}

// model reads the section agent.
func (r *reader) model(a *Model) func(ast.Node) {
	return r.section("agent", []field{
		{"provider", r.text(&a.Provider, oneOf(modelProviders))},
		{"model", r.text(&a.Name, notEmpty)},
		{"base_url", r.text(&a.BaseURL, notEmpty)},
		{"api_key_env", r.text(&a.KeyEnv, notEmpty)},
		{"api_key_file", r.text(&a.KeyFile, notEmpty)},
		{"input_price", r.number(&a.InputPrice)},
		{"output_price", r.number(&a.OutputPrice)},
		{"cache_read_price", r.number(&a.CacheReadPrice)},
		{"cache_write_price", r.number(&a.CacheWritePrice)},
		{"budget", r.number(&a.Budget)},
		{"apply", r.text(&a.Apply, notEmpty)},
		{"python", r.text(&a.Python, oneOf(onOff))},
		{"python_path", r.text(&a.PythonPath, notEmpty)},
		{"python_disk_mb", r.integer(&a.PythonDiskMB, 1, 1_000_000)},
		{"values", r.text(&a.Values, oneOf([]string{"sent", ValuesHidden}))},
		{"reuse", r.text(&a.Reuse, oneOf([]string{"off", ReuseApproved}))},
		{"daily_budget", r.number(&a.DayBudget)},
		{"max_tool_calls", r.integer(&a.MaxToolCalls, 1, 10_000)},
		{"max_turns", r.integer(&a.MaxTurns, 1, 100_000)},
		{"tool_timeout_seconds", r.integer(&a.ToolSeconds, 1, 86_400)},
		{"turn_timeout_seconds", r.integer(&a.TurnSeconds, 1, 86_400)},
		{"max_tokens", r.integer(&a.MaxTokens, 1000, 1_000_000_000)},
		{"max_reply_tokens", r.integer(&a.MaxReplyTokens, 256, 1_000_000)},
		{"compact_tokens", r.integer(&a.CompactTokens, 2000, 10_000_000)},
	})
}

// oneOf is a check for a fixed set of texts.
func oneOf(values []string) func(string) string {
	return func(s string) string {
		for _, v := range values {
			if s == v {
				return ""
			}
		}
		return "must be one of " + strings.Join(values, ", ")
	}
}

// keyVariables are the default variables for API keys.
var keyVariables = map[string]string{"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}

// ModelKey returns the provider's API key and where it came from. Both are empty
// if no key is configured or set: local models need no key.
func (p Places) ModelKey(a Model) (key, from string, err error) {
	if a.KeyFile != "" {
		file := p.absolute(a.KeyFile)
		key, err := secretFile(file, "the key of the model's provider", "agent.api_key_file")
		return key, file, err
	}
	from = cmp.Or(a.KeyEnv, keyVariables[a.Provider])
	if from != "" {
		key = strings.TrimSpace(p.Getenv(from))
	}
	if from == "" || key == "" && a.KeyEnv == "" && a.BaseURL != "" {
		return "", "", nil
	}
	if key == "" {
		return "", "", &api.Error{Code: api.CodeConfig, Kind: api.KindNoModelKey,
			Message: "the variable " + from + " is not set; it holds the key of the model's provider",
			Hint:    "Set it, or name another one in agent.api_key_env of the config."}
	}
	key, err = checkToken(key, from)
	return key, from, err
}
