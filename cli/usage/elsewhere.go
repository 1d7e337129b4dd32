package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/words/shellwords"
	"github.com/agnes-data/da/internal/words/suggest"
)

// commandsElsewhere maps command names of other tools to the da command for the
// same work.
var commandsElsewhere = map[string]string{
	"copy": "da snapshot copy NAME NEW", "count": "da query 'SELECT count(*) FROM NAME'", "delete": "da snapshot drop NAME",
	"download": "da fetch TABLE",
	"drop":     "da snapshot drop NAME", "estimate": "da fetch TABLE --estimate", "export": "da query 'SELECT * FROM NAME' --out FILE",
	"get": "da fetch TABLE", "head": "da describe TABLE", "import": "da snapshot import FILE", "info": "da schema TABLE",
	"list": "da catalog, or da snapshot list", "load": "da snapshot import FILE", "ls": "da catalog, or da snapshot list",
	"plot": "da query SQL --plot line", "preview": "da describe TABLE", "prune": "da snapshot prune", "pull": "da fetch TABLE",
	"refresh": "da snapshot refresh NAME", "rename": "da snapshot rename NAME NEW", "repl": "da shell", "rm": "da snapshot drop NAME",
	"run":    "da query SQL",
	"sample": "da describe TABLE", "search": "da catalog --search WORDS", "select": "da query 'SELECT …'",
	"show": "da snapshot show NAME", "snapshots": "da snapshot list", "sql": "da query SQL, or da shell", "stats": "da table stats FILE",
	"tables": "da catalog", "user": "da admin user", "users": "da admin user list",
}

// below maps words below a group of commands to what does that work.
var below = map[string]map[string]string{
	"da": {"undo": "da snapshot restore NAME, or da files restore FILE", "diff": "da snapshot diff ONE OTHER, or da files diff FILE",
		"describe": "da schema TABLE", "grant": "da admin grant", "revoke": "da admin grant revoke", "status": "da doctor"},
	"da table": {"head": "da table rows FILE", "show": "da table rows FILE", "cat": "da table rows FILE", "tail": "da table rows FILE",
		"schema": "da table map FILE",
		"info":   "da table map FILE", "convert": "da table export FILE --out OTHER", "count": "da table stats FILE",
		"sql": "da table query FILE SQL"},
	"da files": {"log": "da files versions FILE", "history": "da files versions FILE", "show": "da files read FILE, or da files info FILE",
		"cat":  "da files read FILE",
		"undo": "da files restore FILE", "rm": "da files delete FILE", "mv": "da files rename FILE NAME", "cp": "da files copy FILE NAME",
		"upload": "da files put PATH", "stat": "da files info FILE"},
	"da admin": {"revoke": "da admin grant revoke, or da admin token revoke ID", "users": "da admin user list",
		"tokens": "da admin token list", "grants": "da admin grant list",
		"groups": "da admin group list", "log": "da admin audit", "restore": "da help operating"},
	"da admin user":  {"add": "da admin user create NAME", "remove": "da admin user delete NAME"},
	"da admin token": {"add": "da admin token create --user NAME", "delete": "da admin token revoke ID", "remove": "da admin token revoke ID"},
	"da admin table": {"add": "da admin table register ID", "remove": "da admin table unregister ID"},
	"da snapshot": {"undo": "da snapshot restore NAME", "delete": "da snapshot drop NAME", "rm": "da snapshot drop NAME",
		"update": "da snapshot refresh NAME", "info": "da snapshot show NAME", "check": "da check"},
}

// flagsElsewhere maps flags of other tools to their replacements: a flag, if the
// command has it, or a sentence.
var flagsElsewhere = map[string][]string{
	"F": {"--output"}, "format": {"--output"}, "c": {"Give the statement as an argument: da query 'SELECT …'."},
	"color": {"Set NO_COLOR=1 for no colour, CLICOLOR_FORCE=1 for colour."}, "columns": {"--columns", "--select"},
	"debug":     {"--verbose"},
	"delimiter": {"--delimiter", "Use -o csv or -o tsv."}, "dry-run": {"--dry-run", "--estimate"},
	"f": {"--file", "--force"}, "filter": {"--where"}, "from": {"--table"},
	"header": {"--header", "CSV always begins with the names of the columns."},
	"input":  {"--file"}, "n": {"--limit", "--count"}, "name": {"--as"}, "no-color": {"Set NO_COLOR=1."}, "no-colour": {"Set NO_COLOR=1."},
	"no-pager": {"Set DA_PAGER=cat."}, "order": {"--order-by"}, "out": {"--out", "--file", "Write to a file with 'da query SQL --out FILE'."},
	"overwrite": {"--force"}, "password": {"Set DA_TOKEN, or use 'da login URL --with-token'."},
	"query": {"--query", "Give the statement as an argument."},
	"save":  {"--as", "--out"}, "target": {"--out"}, "to": {"--out"},
	"select": {"--columns", "Name the columns in a statement: SELECT a, b FROM …."},
	"sort":   {"--order-by", "Write ORDER BY in the statement."}, "sql": {"Give the statement as an argument."},
	"title": {"--title"}, "token": {"Set DA_TOKEN, or use 'da login URL --with-token'."}, "url": {"--server"},
	"v": {"--verbose"}, "where": {"Write WHERE in a statement: SELECT * FROM … WHERE a = 1."},
	"y": {"--force", "Nothing asks a question here; leave it out."}, "yes": {"--force", "Nothing asks a question here; leave it out."},
}

// meantFlag suggests a replacement for a flag that cmd does not have.
func meantFlag(cmd *cobra.Command, name string) string {
	if slices.Contains(output.Formats, output.Format(name)) {
		return fmt.Sprintf("Did you mean '-o %s'?", name)
	}
	for _, other := range flagsElsewhere[name] {
		flag, isFlag := strings.CutPrefix(other, "--")
		switch {
		case !isFlag && strings.Contains(other, "statement") && !takesStatement(cmd):
		case !isFlag:
			return other
		case cmd.Flag(flag) != nil:
			return fmt.Sprintf("Did you mean '--%s'?", flag)
		}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			names = append(names, f.Name)
		}
	})
	if near := suggest.Near(name, names); len(near) > 0 {
		return fmt.Sprintf("Did you mean '--%s'?", near[0])
	}
	if sub, _, err := cmd.Find([]string{name}); err == nil && sub != cmd {
		return fmt.Sprintf("Did you mean '%s'?", sub.CommandPath())
	}
	for _, sub := range cmd.Commands() {
		if cmd.HasParent() && !sub.Hidden && sub.LocalFlags().Lookup(name) != nil {
			return fmt.Sprintf("--%s belongs to '%s'%s.", name, sub.CommandPath(), shownWith(sub, name))
		}
	}
	return ""
}

// shownWith is the example of a command that has a flag; empty without one.
func shownWith(cmd *cobra.Command, flag string) string {
	for line := range strings.Lines(cmd.Example) {
		if strings.Contains(line, "--"+flag) {
			return ", as in: " + strings.TrimSpace(line)
		}
	}
	return ""
}

// takesStatement reports whether cmd, or one beside it for the same files, runs
// a statement.
func takesStatement(cmd *cobra.Command) bool {
	return strings.Contains(cmd.Use, "SQL") || cmd.HasParent() && cmd.Parent().Name() == "table"
}

// MeantCommand suggests a replacement for an unknown word below cmd. how is the
// command line before that word.
func MeantCommand(cmd *cobra.Command, how, name string) string {
	here := commandsElsewhere[strings.ToLower(name)]
	if other := below[cmd.CommandPath()][strings.ToLower(name)]; other != "" {
		return "Try " + other + "."
	}
	if here != "" && (!cmd.HasParent() || cmd.Name() == "snapshot") {
		return "Try " + here + "."
	}
	if cmd.Name() == "table" && strings.ContainsAny(name, "./") {
		return "Try da table map " + shellwords.Quote(name) + "."
	}
	if near := suggest.Near(name, CommandNames(cmd)); len(near) > 0 {
		return fmt.Sprintf("Did you mean '%s %s'?", how, near[0])
	}
	return ""
}

// CommentLast allows a statement to begin with a comment. A word such as "--
// note" looks like a flag, so it is moved behind the "--" that ends the flags.
func CommentLast(args []string) []string {
	if len(args) == 0 || args[0] != "query" && args[0] != "table" {
		return args
	}
	i := slices.IndexFunc(args, func(arg string) bool {
		rest, dashes := strings.CutPrefix(arg, "--")
		return arg == "--" || dashes && strings.ContainsAny(rest[:min(len(rest), 1)], " \t\r\n") || dashes && strings.ContainsAny(rest, "\n") &&
			!strings.Contains(rest, "=")
	})
	if i < 0 || args[i] == "--" {
		return args
	}
	return append(slices.Concat(args[:i], args[i+1:]), "--", args[i])
}

// CommandNames returns the visible commands below cmd.
func CommandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// Starting returns the completions that begin with word.
func Starting(word string, words []cobra.Completion) []cobra.Completion {
	return slices.DeleteFunc(words, func(w cobra.Completion) bool { return !strings.HasPrefix(w, word) })
}
