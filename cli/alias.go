package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/shellwords"
)

// expandAlias replaces an alias by its command line. An alias cannot replace a da
// command. The client config is read only if the first word is not a command.
func expandAlias(a *app.App, root *cobra.Command) error {
	at := firstWord(root, a.Args)
	if at < 0 || isCommand(root, a.Args[at]) {
		return nil
	}
	cfg, err := a.ClientConfig()
	if err != nil || cfg.Alias[a.Args[at]] == "" {
		return nil //nolint:nilerr // it will be reported as an unknown command
	}
	var seen []string
	own := a.Args[at : at+1] // what the alias stands for
	for name := own[0]; !isCommand(root, name) && cfg.Alias[name] != ""; name = own[0] {
		if slices.Contains(seen, name) {
			return aliasError(seen[0], "leads back to itself: "+strings.Join(append(seen, name), " → "))
		}
		seen = append(seen, name)
		words, err := shellwords.Split(cfg.Alias[name])
		if err != nil {
			return aliasError(name, "cannot be read: "+err.Error())
		}
		if len(words) == 0 || strings.HasPrefix(words[0], "-") {
			return aliasError(name, "does not begin with a command")
		}
		own = slices.Concat(words, own[1:])
	}
	before, after := a.Args[:at], a.Args[at+1:]
	args := slices.Concat(own, before, after) // the last of two flags counts, and the call's is to count
	if slices.Contains(own, "--") {
		args = slices.Concat(before, own, after)
	}
	a.Args, a.Defaults = args, slices.Concat(a.Defaults, own)
	a.Detail("alias " + seen[0] + ": da " + shellwords.Join(args))
	return nil
}

func aliasError(name, what string) error {
	return &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("alias '%s' %s", name, what),
		Hint: "Change it with 'da config set alias." + name + " \"COMMAND\"', or take it away with 'da config unset alias." + name + "'."}
}

// firstWord returns the index of the command among the arguments; -1 if there is
// none.
func firstWord(root *cobra.Command, args []string) int {
	for i := 0; i < len(args); i++ {
		word := args[i]
		switch {
		case word == "--" || word == "-":
			return -1
		case !strings.HasPrefix(word, "-"):
			return i
		case strings.Contains(word, "="):
		default:
			f := root.PersistentFlags().Lookup(strings.TrimLeft(word, "-"))
			if f == nil && len(word) == 2 {
				f = root.PersistentFlags().ShorthandLookup(word[1:])
			}
			if f != nil && f.NoOptDefVal == "" {
				i++ // skip its value
			}
		}
	}
	return -1
}

func isCommand(root *cobra.Command, name string) bool {
	return strings.HasPrefix(name, cobra.ShellCompRequestCmd) ||
		slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name || c.HasAlias(name) })
}

// aliasNames lists the aliases that no command hides, sorted.
func aliasNames(a *app.App, root *cobra.Command) (names []string) {
	cfg, err := a.ClientConfig()
	if err != nil {
		return nil // help works without them
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Alias)) {
		if !isCommand(root, name) {
			names = append(names, name)
		}
	}
	return names
}

// aliasLines lists the aliases below the commands, or is empty.
func aliasLines(a *app.App, root *cobra.Command) string {
	names := aliasNames(a, root)
	if len(names) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nAliases of your config:\n")
	cfg, _ := a.ClientConfig() // cannot fail: it was read before
	for _, name := range names {
		fmt.Fprintf(&b, "  %-12s da %s\n", name, cfg.Alias[name])
	}
	return b.String()
}

// checkNewAlias rejects an alias that a command would hide.
func checkNewAlias(root *cobra.Command, key string) error {
	name, ok := strings.CutPrefix(key, "alias.")
	if ok && isCommand(root, name) {
		return usage.Error("da has a command '" + name + "', which no alias can replace")
	}
	return nil
}
