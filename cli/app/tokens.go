package app

import (
	"fmt"
	"strconv"

	"github.com/agnes-data/da/toolbox/fit"
)

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
