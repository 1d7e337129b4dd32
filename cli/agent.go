package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/fit"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/iostreams"
	"github.com/agnes-data/da/internal/shellwords"
)

// forAgent makes streams that a model reads: nothing is coloured, drawn over or
// paged there, terminal or not.
func forAgent(s iostreams.Streams, getenv func(string) string) iostreams.Streams {
	if !agentReads(getenv) {
		return s
	}
	if force := getenv("CLICOLOR_FORCE"); force == "" || force == "0" {
		s.OutColor, s.ErrColor = false, false
	}
	s.ErrTerminal = false // no progress
	return s
}

// agentReads reports whether a model reads what da prints, by the environment
// alone.
func agentReads(getenv func(string) string) bool {
	agent, ok := config.AgentIn(getenv)
	return ok && agent.Model
}

// forModel reports whether an answer takes the form that models get. What a flag
// asks for has one form for everybody, so that a script that was written by hand
// also works where an agent runs it.
func (a *app) forModel() bool { return agentReads(a.Getenv) && !a.jsonAsked() }

// jsonAsked reports whether a flag asks for JSON.
func (a *app) jsonAsked() bool { return a.asJSON || a.format == "json" }

// tokenFlag is the value of --max-tokens.
type tokenFlag struct {
	given  bool
	tokens int
}

// String implements pflag.Value.
func (t *tokenFlag) String() string {
	if !t.given {
		return ""
	}
	return strconv.Itoa(t.tokens)
}

// Set implements pflag.Value.
func (t *tokenFlag) Set(text string) error {
	n, err := parseTokens(text)
	if err != nil {
		return err
	}
	t.given, t.tokens = true, n
	return nil
}

// Type implements pflag.Value.
func (t *tokenFlag) Type() string { return "int" }

func parseTokens(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 0 && n < fit.MinTokens || n > 1e9 {
		return 0, fmt.Errorf("it is 0, or at least %d", fit.MinTokens)
	}
	return n, nil
}

// tokenBudget is how large a JSON answer may be, in tokens; 0: it is whole. The
// flag overrides the variable, which overrides the default for agents.
func (a *app) tokenBudget() (int, error) {
	if a.tokens.given {
		return a.tokens.tokens, nil
	}
	if text := a.Getenv(config.EnvMaxTokens); text != "" {
		n, err := parseTokens(text)
		if err != nil {
			return 0, usageError(fmt.Sprintf("%s is '%s'; %v", config.EnvMaxTokens, text, err))
		}
		return n, nil
	}
	if a.forModel() {
		return fit.DefaultTokens, nil
	}
	return 0, nil
}

// jsonByDefault reports whether results are JSON where no flag says what they
// are.
func (a *app) jsonByDefault() bool {
	return a.tokens.given && a.tokens.tokens > 0 || agentReads(a.Getenv)
}

// formatGiven looks at the raw arguments: a flag error comes before the flags
// are known.
func formatGiven(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		return strings.HasPrefix(arg, "-o") || strings.HasPrefix(arg, "--output")
	})
}

// fitted makes a JSON answer fit the budget, if there is one.
func (a *app) fitted(v any) (any, error) {
	tokens, err := a.tokenBudget()
	if err != nil || tokens == 0 {
		return v, err
	}
	return fit.Document(v, fit.Options{MaxTokens: tokens, Reserve: a.fenced()}, a.wholeCommand())
}

// wholeCommand is this call with nothing left out.
func (a *app) wholeCommand() string {
	words := []string{"da"}
	for _, arg := range a.args {
		words = append(words, shellwords.Quote(arg))
	}
	return strings.Join(words, " ") + " --max-tokens 0"
}
