package reference

import (
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Line is a command in one line.
type Line struct {
	Path  string `json:"path"`
	Short string `json:"short"`
}

// helpLeftOut says what is missing from a description, and how to get it.
type helpLeftOut struct {
	Parts   []string `json:"parts" jsonschema:"members that are left out; commands.output is that of each command"`
	One     string   `json:"one,omitempty" jsonschema:"command that describes a single one"`
	Command string   `json:"command" jsonschema:"command that prints all of it"`
}

// The fields of a description to drop first: those that are the same for all
// commands, and those that a topic explains in words.
var (
	helpShared = []string{"formats", "environment", "agents", "error_codes", "global_flags", "error", "around"}
	helpListed = []string{"formats", "environment", "agents", "error_codes", "exit_codes", "predicates"}
)

// shorterHelp returns a description and ever shorter versions of it: without what
// is common to all commands, then without output schemas, and finally with one
// line per command.
func shorterHelp(whole Document, cmd *cobra.Command) []Document {
	docs := []Document{whole}
	left := helpLeftOut{Command: strings.Join(append(append([]string{"da", "help"}, strings.Fields(cmd.CommandPath())[1:]...), "--json",
		"--max-tokens", "0"), " ")}
	if len(whole.Commands) > 1 {
		left.One = "da help COMMAND --json"
	}
	shorter := func(d Document, parts []string) Document {
		left.Parts = append(slices.Clip(left.Parts), parts...)
		said := left
		d.LeftOut = &said
		docs = append(docs, d)
		return d
	}
	if len(whole.Commands) == 0 {
		shorter(without(whole, helpListed))
		return docs
	}
	d := shorter(without(whole, helpShared))
	d.Commands = slices.Clone(d.Commands)
	for i := range d.Commands {
		d.Commands[i].Output = nil
	}
	d = shorter(d, []string{"commands.output"})
	if len(whole.Commands) == 1 {
		return docs
	}
	for _, c := range d.Commands {
		d.Index = append(d.Index, Line{c.Path, c.Short})
	}
	d.Commands = nil
	left.Parts = slices.DeleteFunc(slices.Clone(left.Parts), func(p string) bool { return p == "commands.output" })
	d = shorter(d, []string{"commands"})
	shorter(without(d, []string{"exit_codes"}))
	return docs
}

// without returns a description without some of its fields, and the names of
// those that were set.
func without(d Document, names []string) (Document, []string) {
	var gone []string
	v := reflect.ValueOf(&d).Elem()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if slices.Contains(names, name) && !v.Field(i).IsZero() {
			v.Field(i).SetZero()
			gone = append(gone, name)
		}
	}
	return d, gone
}
