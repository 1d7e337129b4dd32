package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/iostreams"
	"github.com/agnes-data/da/internal/testing/steptest"
)

// TestEveryActionIsACommand parses the command of each action with the real tree
// of commands.
func TestEveryActionIsACommand(t *testing.T) {
	t.Parallel()
	for _, s := range steptest.All() {
		if s.Action == api.ActionSet || s.Action == api.ActionUnset {
			continue
		}
		command := exit.CommandOf(s)
		words := shellSplit(t, command)
		if len(words) < 2 || words[0] != "da" {
			t.Errorf("%s: no command: %q", s.Action, command)
			continue
		}
		cmd, rest, err := referenceRoot(t).Find(words[1:])
		if err != nil || !cmd.Runnable() {
			t.Errorf("%s: %s: %v", s.Action, command, err)
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s: %s: %v", s.Action, command, err)
		} else if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
			t.Errorf("%s: %s: %v", s.Action, command, err)
		}
		for name, value := range s.Args {
			if text, ok := value.(string); ok && !strings.Contains(command, strings.ReplaceAll(text, "'", `'\''`)) {
				t.Errorf("%s: %s lacks %s", s.Action, command, name)
			}
		}
	}
}

// TestOddNamesInCommands: what a step names arrives in the command that a shell and
// the tree of commands make of it, whatever characters it has.
func TestOddNamesInCommands(t *testing.T) {
	t.Parallel()
	const odd = "-it's $HOME; `x` \"y\" *.csv"
	for _, s := range steptest.All() {
		args := map[string]any{}
		for name, value := range s.Args {
			if _, isText := value.(string); isText && name != "what" {
				value = odd
			}
			args[name] = value
		}
		s.Args = args
		command := exit.CommandOf(s)
		if command == "" {
			continue
		}
		cmd, rest, err := referenceRoot(t).Find(shellSplit(t, command)[1:])
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil {
			t.Errorf("%s: %s: %v", s.Action, command, err)
			continue
		}
		got, want := 0, 0
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if strings.Contains(f.Value.String(), odd) {
				got++
			}
		})
		for _, operand := range cmd.Flags().Args() {
			if operand == odd {
				got++
			}
		}
		for _, value := range args {
			if value == odd {
				want++
			}
		}
		if got != want {
			t.Errorf("%s: %s: %d arguments arrive, of %d", s.Action, command, got, want)
		}
	}
}

// shellSplit has a shell split a command.
func shellSplit(t *testing.T, command string) []string {
	t.Helper()
	out, err := exec.Command("sh", "-c", "printf '%s\\n' "+command).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// TestStepsAreSentences shows an error with steps as people get it, as scripts do,
// and over HTTP.
func TestStepsAreSentences(t *testing.T) {
	t.Parallel()
	e := api.Error{Code: api.CodeBudget, Message: "too much", Hint: "Ask for less.", Next: []api.Step{
		{Action: api.ActionSchema, Args: map[string]any{"table_id": "flights"}, Why: "see the columns"},
		{Action: api.ActionSet, Args: map[string]any{"option": api.OptionMaxScanBytes}, Why: "raise the budget"},
		{Action: "a step of the future"},
	}}
	travelled := e.Body().Error()
	io, _, _, errOut := iostreams.Test()
	exit.Write(io.Err, 0, travelled, "", false)
	want := "Error: too much.\n       Ask for less. Run 'da schema flights' to see the columns. Pass --max-scan-bytes (DA_MAX_SCAN_BYTES) to raise the budget.\n"
	if got := errOut.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	errOut.Reset()
	exit.Write(io.Err, 0, travelled, "", true)
	if got := errOut.String(); !strings.Contains(got, `"next":[{"action":"schema","args":{"table_id":"flights"},"why":"see the columns","command":"da schema flights"}`) {
		t.Error(got)
	}
}
