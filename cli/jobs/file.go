package jobs

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/shellwords"
)

// stepsFile is a list of commands of da.
type stepsFile struct {
	Steps []step `yaml:"steps" json:"steps" jsonschema:"in the order in which they run, as far as 'needs' allows"`
}

// step is one command of da.
type step struct {
	Name   string         `yaml:"name" json:"name" jsonschema:"lower-case letters, digits and underscores"`
	Run    string         `yaml:"run" json:"run,omitempty" jsonschema:"the command without 'da'; quotes work as in a shell, and nothing is expanded"`
	Args   []string       `yaml:"args" json:"args,omitempty" jsonschema:"the words of the command, or further ones behind those of 'run'"`
	With   map[string]any `yaml:"with" json:"with,omitempty" jsonschema:"flags: a text or number; true for a flag alone; a list for a flag that is repeated"`
	Needs  []string       `yaml:"needs" json:"needs,omitempty" jsonschema:"names of steps that must have succeeded"`
	Always bool           `yaml:"always" json:"always,omitempty" jsonschema:"run also if what is needed has failed"`
	Stdout string         `yaml:"stdout" json:"stdout,omitempty" jsonschema:"the file that gets what the command prints, if it succeeds or a check fails"`

	words []string // the whole command line
}

// stepName is what a step can be called: it becomes the name of a file.
var stepName = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// unending are the commands that have no end or wait for a person.
var unending = []string{"chat", "demo", "login", "mcp", "run", "serve", "shell", "ui"}

// readSteps reads a file of steps, and puts them into an order in which each follows
// those that it needs.
func readSteps(root *cobra.Command, name, text string) ([]step, error) {
	var f stepsFile
	if err := checks.Decode(filepath.Base(name), text, api.KindBadSteps, &f); err != nil {
		return nil, err
	}
	bad := func(format string, args ...any) error {
		return &api.Error{Code: api.CodeConfig, Kind: api.KindBadSteps, Message: filepath.Base(name) + ": " + fmt.Sprintf(format, args...),
			Hint: "'da run --schema' prints the JSON Schema of the file."}
	}
	if len(f.Steps) == 0 {
		return nil, bad("it has no steps")
	}
	known := map[string]bool{}
	for i := range f.Steps {
		s := &f.Steps[i]
		if !stepName().MatchString(s.Name) {
			return nil, bad("step %d has the name '%s': a name has lower-case letters, digits, - and _", i+1, api.Clip(s.Name, 60))
		}
		if known[s.Name] {
			return nil, bad("two steps are called '%s'", s.Name)
		}
		known[s.Name] = true
		var err error
		if s.words, err = s.commandLine(); err == nil {
			err = checkCommand(root, s.words)
		}
		if err != nil {
			return nil, bad("step '%s': %v", s.Name, err)
		}
	}
	for _, s := range f.Steps {
		for _, n := range s.Needs {
			if !known[n] {
				return nil, bad("step '%s' needs '%s', and there is no such step", s.Name, api.Clip(n, 60))
			}
		}
	}
	ordered, circle := inOrder(f.Steps)
	if circle != "" {
		return nil, bad("step '%s' needs itself, by way of others", circle)
	}
	return ordered, nil
}

// commandLine returns the words of a step.
func (s *step) commandLine() ([]string, error) {
	words, err := shellwords.Split(s.Run)
	if err != nil {
		return nil, err
	}
	words = slices.Concat(words, s.Args)
	for _, flag := range slices.Sorted(maps.Keys(s.With)) {
		values, isList := s.With[flag].([]any)
		if !isList {
			values = []any{s.With[flag]}
		}
		for _, v := range values {
			switch v := v.(type) {
			case bool:
				if v {
					words = append(words, "--"+flag)
				} else {
					words = append(words, "--"+flag+"=false")
				}
			case string, int, int64, uint64, float64:
				words = append(words, fmt.Sprintf("--%s=%v", flag, v))
			default:
				return nil, fmt.Errorf("the flag '%s' is neither a text, a number, true, nor a list of these", flag)
			}
		}
	}
	if len(words) > 0 && words[0] == "da" {
		words = words[1:]
	}
	return words, nil
}

// checkCommand finds a misspelt command or flag before anything has run.
func checkCommand(root *cobra.Command, words []string) error {
	if len(words) == 0 {
		return usage.Error("it has no command: give 'run' or 'args'")
	}
	cmd, rest, err := root.Find(words)
	if err != nil || cmd == root || cmd.HasSubCommands() && len(rest) > 0 && !strings.Contains(cmd.Use, " ") {
		return usage.Error(fmt.Sprintf("there is no command 'da %s'", api.Clip(strings.Join(words, " "), 60)))
	}
	if slices.Contains(unending, strings.Fields(cmd.CommandPath())[1]) {
		return usage.Error(fmt.Sprintf("'%s' cannot be a step", cmd.CommandPath()))
	}
	for _, w := range rest {
		if w == "--" {
			break
		}
		name, isFlag := strings.CutPrefix(w, "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && cmd.Flag(name) == nil && name != "help" {
			return usage.Error(fmt.Sprintf("'%s' has no flag --%s", cmd.CommandPath(), api.Clip(name, 60)))
		}
	}
	return nil
}

// inOrder returns the steps, each behind those that it needs and otherwise as they were,
// or the name of one that needs itself.
func inOrder(steps []step) (ordered []step, circle string) {
	done := map[string]bool{}
	for len(ordered) < len(steps) {
		next := slices.IndexFunc(steps, func(s step) bool {
			return !done[s.Name] && !slices.ContainsFunc(s.Needs, func(n string) bool { return !done[n] })
		})
		if next < 0 {
			return nil, steps[slices.IndexFunc(steps, func(s step) bool { return !done[s.Name] })].Name
		}
		done[steps[next].Name] = true
		ordered = append(ordered, steps[next])
	}
	return ordered, ""
}
