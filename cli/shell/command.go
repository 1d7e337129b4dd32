package shell

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/shellwords"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/internal/words/textwidth"
)

// command is a backslash command.
type command struct {
	name, args string
	about      string
	run        func(ctx context.Context, s *session, args []string) error
	words      func(s *session) []Word // possible arguments; nil: unknown
}

// commands lists the backslash commands in the order in which \? shows them. It
// is a function and not a variable, because \? itself is in the list.
func commands() []command {
	return []command{
		{"?", "", "list these commands", func(_ context.Context, s *session, _ []string) error { return s.help() }, nil},
		{"d", "[NAME]", "list what can be queried here, or the columns of one table", describe, tables},
		{"e", "", "edit the last statement, and run it", edit, nil},
		{"f", "[FORMAT]", "choose the format of results, or say which it is", format, formats},
		{"o", "FILE [--force]", "write the next result to a file, in the format of its name", out, nil},
		{"p", "[KIND] [FLAGS]", "draw the last statement: \\p line --by origin --title Delays", draw, plots},
		{"set", "[NAME VALUE]", "give $NAME in statements a value, or list them; NAME:=JSON for numbers and lists", set, nil},
		{"timing", "[on|off]", "say after each statement how long it took", timing, switches},
		{"unset", "NAME", "take the value of $NAME away", unset, nil},
		{"watch", "[SECONDS]", "run the last statement again and again, until Ctrl-C", watch, nil},
		{"x", "[on|off]", "show each row as a list of its columns", records, switches},
		{"q", "", "leave", func(context.Context, *session, []string) error { return errLeave }, nil},
	}
}

// command runs one backslash command: one of the shell's own, or a da command.
func (s *session) command(ctx context.Context, text string) error {
	words, err := shellwords.Split(strings.TrimSuffix(strings.TrimSpace(text[1:]), ";"))
	if err != nil {
		return usage("cannot read the command: "+err.Error(), `A word with spaces or quotes goes in quotes.`)
	}
	if len(words) == 0 {
		return usage("a backslash alone is not a command", `\? lists the commands.`)
	}
	name, args := words[0], words[1:]
	for _, c := range commands() {
		if c.name == name {
			return c.run(ctx, s, args)
		}
	}
	if slices.Contains(s.Commands, name) {
		return s.interruptible(ctx, func(ctx context.Context) error { return s.Run(ctx, words...) })
	}
	return s.unknown(name)
}

// elsewhere says what here does the work of other shells' commands.
var elsewhere = map[string]string{
	"dt": `\d lists what can be queried here, \catalog all tables.`, "dn": `\catalog lists the tables.`,
	"l":      `\catalog lists the tables, \d what is here.`,
	"tables": `\d lists what can be queried here, \catalog all tables.`, "dv": `\d lists what can be queried here.`,
	"df": `The first letters of a function and Tab show the functions.`, "du": `\admin user list shows the users.`,
	"i": `\query --file FILE runs a file.`, "ir": `\query --file FILE runs a file.`,
	"g":  `A semicolon runs the statement; \o FILE writes the next result to a file.`,
	"gx": `\x on shows rows as lists.`, "h": `A da command with --help explains itself, as in \fetch --help.`, "help": `\? does.`,
	"copy": `\o FILE writes the next result to a file; \snapshot import FILE reads one.`, "echo": `SELECT 'text'; shows a text.`,
	"qecho": `SELECT 'text'; shows a text.`,
	"plot":  `\p draws the last statement.`, "r": `Ctrl-C drops what was typed.`, "s": `Ctrl-R searches the history.`,
	"c":        `\whoami says which server is used; another one is chosen with da shell --server URL.`,
	"conninfo": `\whoami says which server is used.`, "pset": `\x and \f choose how results are shown.`,
	"a": `\f chooses the format of results.`, "!": `Commands of the system are run in another terminal.`,
}

// unknown returns the error for an unknown command, with similar names.
func (s *session) unknown(name string) error {
	names := slices.Clone(s.Commands)
	for _, c := range commands() {
		names = append(names, c.name)
	}
	hint := `\? lists the commands.`
	if other := elsewhere[name]; other != "" {
		hint = other + " " + hint
	} else if near := suggest.Near(name, names); len(near) > 0 {
		hint = `Did you mean \` + near[0] + `? ` + hint
	}
	return usage(`unknown command \`+api.Clip(name, 40), hint)
}

func usage(message, hint string) error {
	return &api.Error{Code: api.CodeUsage, Message: message, Hint: hint}
}

// help lists the commands.
func (s *session) help() error {
	var b strings.Builder
	for _, c := range commands() {
		line := fmt.Sprintf("  %-22s  %s\n", strings.TrimSpace(`\`+c.name+" "+c.args), c.about)
		b.WriteString(textwidth.Fold(line, s.IO.OutWidth, strings.Repeat(" ", 24)))
	}
	fmt.Fprintf(&b, "\nCommands of da work here too, as in \\fetch flights --as late:\n  %s\n", strings.Join(s.Commands, ", "))
	_, err := io.WriteString(s.IO.Out, textwidth.Fold(b.String(), s.IO.OutWidth, ""))
	return err
}

// describe lists local tables, or the columns of one table: from the engine if it
// is local, otherwise from the catalog.
func describe(ctx context.Context, s *session, args []string) error {
	switch {
	case len(args) == 0:
		return s.interruptible(ctx, s.List)
	case len(args) > 1:
		return usage(`\d takes one name`, `Write it as in \d flights.`)
	case slices.ContainsFunc(s.Relations(), func(r Relation) bool { return r.Name == args[0] }):
		return s.interruptible(ctx, func(ctx context.Context) error {
			return s.Query(ctx, `SELECT column_name AS "column", column_type AS type FROM (DESCRIBE `+quote(args[0])+`)`)
		})
	}
	return s.interruptible(ctx, func(ctx context.Context) error { return s.Run(ctx, "schema", args[0]) })
}

// quote quotes a name for SQL.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// timing turns the line with the elapsed time on or off.
func timing(_ context.Context, s *session, args []string) error {
	on, err := onOff(`\timing`, s.Settings.Timing, args)
	if err != nil {
		return err
	}
	s.Settings.Timing = on
	s.Note("timing is " + map[bool]string{true: "on", false: "off"}[on])
	return nil
}

// set sets a parameter to a text, or to JSON after :=.
func set(_ context.Context, s *session, args []string) error {
	if len(args) == 0 {
		_, err := io.WriteString(s.IO.Out, s.Settings.Params())
		return err
	}
	name, given := args[0], strings.Join(args[1:], " ")
	switch {
	case strings.Contains(name, "="):
		given = strings.TrimSuffix(name+" "+given, " ")
	case len(args) == 1:
		return usage(`\set takes a name and a value`, `Write it as in \set from SEA, or \set min:=60 for a number.`)
	default:
		given = name + "=" + given
	}
	return s.Settings.SetParam(given)
}

// unset removes a parameter's value.
func unset(_ context.Context, s *session, args []string) error {
	if len(args) != 1 {
		return usage(`\unset takes one name`, `\set alone lists them.`)
	}
	return s.Settings.UnsetParam(args[0])
}

// onOff reads the argument of a switch; without an argument the switch is
// toggled.
func onOff(name string, now bool, args []string) (bool, error) {
	switch {
	case len(args) == 0:
		return !now, nil
	case len(args) == 1 && (args[0] == "on" || args[0] == "off"):
		return args[0] == "on", nil
	}
	return now, usage(name+" is turned on or off", "Write "+name+", "+name+" on or "+name+" off.")
}

// records turns the display as records on or off.
func records(_ context.Context, s *session, args []string) error {
	on, err := onOff(`\x`, s.Settings.Records, args)
	if err != nil {
		return err
	}
	s.Settings.Records = on
	s.Settings.SetRecords(on)
	s.Note("rows as lists are " + map[bool]string{true: "on", false: "off"}[on])
	return nil
}

func switches(*session) []Word { return []Word{{Text: "on"}, {Text: "off"}} }

func formats(s *session) []Word { return bare(s.Settings.Formats) }

func plots(s *session) []Word { return bare(s.Settings.Plots) }

func bare(names []string) (words []Word) {
	for _, n := range names {
		words = append(words, Word{Text: n})
	}
	return words
}

// tables lists what can be queried locally, and what the catalog has.
func tables(s *session) (words []Word) {
	for _, r := range s.Relations() {
		words = append(words, Word{Text: r.Name, About: r.About})
	}
	return append(words, s.Tables()...)
}

// format sets the format of results.
func format(_ context.Context, s *session, args []string) error {
	switch len(args) {
	case 0:
		s.Note("the format is " + s.Settings.Format())
		return nil
	case 1:
		return s.Settings.SetFormat(args[0])
	}
	return usage(`\f takes one format`, `Write it as in \f csv.`)
}
