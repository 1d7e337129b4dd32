package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/iostreams"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/shellwords"
	"github.com/agnes-data/da/toolbox/fit"
)

// forAgent adapts streams to a model as reader: no colours, no redrawing and no
// pager, even on a terminal.
func forAgent(s iostreams.Streams, getenv func(string) string) iostreams.Streams {
	if !AgentReads(getenv) {
		return s
	}
	if force := getenv("CLICOLOR_FORCE"); force == "" || force == "0" {
		s.OutColor, s.ErrColor = false, false
	}
	s.ErrTerminal = false // no progress
	return s
}

// AgentReads reports whether a model reads da's output, according to the
// environment.
func AgentReads(getenv func(string) string) bool {
	agent, ok := config.AgentIn(getenv)
	return ok && agent.Model
}

// ForModel reports whether an answer is formatted for models. Output that a flag
// asks for has the same form for everybody, so that hand-written scripts also
// work inside an agent.
func (a *App) ForModel() bool { return AgentReads(a.Getenv) && !a.JSONAsked() }

// TokenBudget returns the maximum size of a JSON answer in tokens; 0 means no
// limit. The flag overrides the variable, which overrides the default for agents.
func (a *App) TokenBudget() (int, error) {
	if a.tokens.given {
		return a.tokens.tokens, nil
	}
	if text := a.Getenv(config.EnvMaxTokens); text != "" {
		n, err := parseTokens(text)
		if err != nil {
			return 0, usage.Error(fmt.Sprintf("%s is '%s'; %v", config.EnvMaxTokens, text, err))
		}
		return n, nil
	}
	if a.ForModel() {
		return fit.DefaultTokens, nil
	}
	return 0, nil
}

// TokensGiven reports whether somebody chose the budget.
func (a *App) TokensGiven() bool { return a.tokens.given || a.Getenv(config.EnvMaxTokens) != "" }

// TellWeight reports the size of the output on stderr if an agent asked for JSON
// without a budget and received more than its default one.
func (a *App) TellWeight() {
	weight := a.out.bytes.Load()
	if a.TokensGiven() || a.Quiet || !a.JSONAsked() || !AgentReads(a.Getenv) || weight <= fit.DefaultTokens*fit.BytesPerToken {
		return
	}
	a.Say(fmt.Sprintf("this answer has %s, about %s tokens; --max-tokens bounds it", humanize.Bytes(weight),
		humanize.Grouped(weight/fit.BytesPerToken)))
}

// Fitted makes a JSON answer fit the budget, if there is one.
func (a *App) Fitted(v any) (any, error) {
	tokens, err := a.TokenBudget()
	if err != nil || tokens == 0 {
		return v, err
	}
	return fit.Document(v, fit.Options{MaxTokens: tokens, Reserve: a.Fenced()}, a.wholeCommand())
}

// wholeCommand is this command without a size limit.
func (a *App) wholeCommand() string { return a.CommandWith("max-tokens", "0") }

// CommandWith is this command with another value of a flag, as it can be pasted
// into a shell.
func (a *App) CommandWith(flag, value string) string {
	words := []string{"da"}
	args, operands := a.Args, []string(nil)
	if end := slices.Index(args, "--"); end >= 0 {
		args, operands = args[:end], args[end:]
	}
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--"+flag:
			i++ // skip its value
		case strings.HasPrefix(arg, "--"+flag+"="):
		default:
			words = append(words, arg)
		}
	}
	return shellwords.Join(slices.Concat(words, []string{"--" + flag, value}, operands))
}

// Fenced returns how many bytes of a budget the marks around the answer take.
func (a *App) Fenced() int {
	if a.ForModel() && !a.OwnWords {
		return fenceBytes
	}
	return 0
}

// fenceBytes is the size of the marks around an answer, in bytes.
const fenceBytes = 320
