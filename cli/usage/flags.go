package usage

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/spf13/cobra"
)

// FlagError says which flag is wrong, and which one was probably meant.
func FlagError(cmd *cobra.Command, err error) error {
	if before := cmd.Flags().Args(); cmd.HasSubCommands() && len(before) > 0 {
		return Group(cmd, before) // the flag of an unknown command
	}
	e := Error(plainly(strings.TrimSuffix(err.Error(), ".")))
	e.Hint = fmt.Sprintf("See '%s --help' for its flags.", cmd.CommandPath())
	if name, found := strings.CutPrefix(err.Error(), "unknown flag: --"); found {
		e.Hint = strings.TrimSpace(meantFlag(cmd, name) + " " + e.Hint)
	} else if rest, found := strings.CutPrefix(err.Error(), "unknown shorthand flag: '"); found {
		letter, word, _ := strings.Cut(rest, "' in -")
		e.Hint = strings.TrimSpace(meantWord(cmd, letter, word) + " " + e.Hint)
	}
	return e
}

// meantWord suggests what a word behind a single dash was meant for: a flag, or a file.
func meantWord(cmd *cobra.Command, letter, word string) string {
	name, _, _ := strings.Cut(word, "=")
	switch {
	case len(name) > 1 && cmd.Flag(name) != nil:
		return fmt.Sprintf("Did you mean '--%s'?", name)
	case strings.ContainsAny(name, "./"):
		return fmt.Sprintf("A file whose name begins with a dash is written ./-%s.", word)
	}
	return meantFlag(cmd, letter)
}

// plainly rewords the library's error about a flag's value, which names a Go
// function.
func plainly(text string) string {
	before, reason, found := strings.Cut(text, ": strconv.")
	switch {
	case !found:
		return text
	case strings.HasSuffix(reason, "value out of range"):
		return before + ": the number is too large"
	case strings.HasPrefix(reason, "ParseBool"):
		return before + ": it is true or false"
	case strings.HasPrefix(reason, "ParseFloat"):
		return before + ": it is not a number"
	}
	return before + ": it is not a whole number"
}

// neverEmpty lists the flags that must not be empty. An empty value is usually an
// unset variable in a script; treating it as "not given" would do something else
// than intended.
var neverEmpty = []string{"as", "by", "dir", "file", "instance", "out", "plot", "server", "x", "y"}

// AlsoCalled gives a flag a second name, which help does not show.
func AlsoCalled(cmd *cobra.Command, name, other string) {
	same := *cmd.Flags().Lookup(name)
	same.Name, same.Hidden = other, true
	cmd.Flags().AddFlag(&same)
}

// CheckGlobals checks the flags that all commands share.
func CheckGlobals(cmd *cobra.Command, args []string) error {
	for _, name := range neverEmpty {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return Error("--" + name + " is empty")
		}
	}
	return notBoth(cmd, "server", "instance")
}

// Items splits lists at commas outside of quoted identifiers.
func Items(flag string, lists []string) ([]string, error) {
	var items []string
	for _, list := range lists {
		var quote rune
		start := 0
		for i, r := range list + "," {
			switch {
			case quote != 0 && r == quote:
				quote = 0
			case quote == 0 && (r == '"' || r == '`'):
				quote = r
			case quote == 0 && r == ',':
				item := strings.TrimSpace(list[start:i])
				if item == "" {
					return nil, Error("--" + flag + " has an empty item in '" + api.Clip(list, 80) + "'")
				}
				items = append(items, item)
				start = i + 1
			}
		}
		if quote != 0 {
			e := Error("--" + flag + " has an open quote in '" + api.Clip(list, 80) + "'")
			e.Hint = "Put a name with spaces or commas in its dialect's quotes, and those in quotes for the shell: --" + flag +
				" '\"order id\",total'."
			return nil, e
		}
	}
	return items, nil
}
