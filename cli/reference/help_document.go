package reference

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/predicate"
)

// Document is what da help --json prints: the requested commands, and what is
// common to all commands.
type Document struct {
	Version     string            `json:"version"`
	Commands    []Command         `json:"commands,omitempty"`
	GlobalFlags []helpFlag        `json:"global_flags,omitempty" jsonschema:"flags of every command"`
	Formats     []output.Format   `json:"formats,omitempty" jsonschema:"values of --output"`
	Environment []config.Variable `json:"environment,omitempty"`
	Agents      []config.Agent    `json:"agents,omitempty" jsonschema:"variables by which an agent shows itself: answers are then JSON that fits, unless a flag says otherwise"`
	ExitCodes   []helpExitCode    `json:"exit_codes,omitempty"`
	ErrorCodes  []helpErrorCode   `json:"error_codes,omitempty"`
	// Error is the schema of the last line on stderr if a command with --json
	// fails.
	Error *jsonschema.Schema `json:"error,omitempty" jsonschema:"schema of the last line of stderr when a command with --json fails"`
	// Around is the schema of the fields that any answer can have in addition.
	Around     *jsonschema.Schema `json:"around,omitempty" jsonschema:"members that every answer that is an object may have besides its own"`
	Predicates []helpDialect      `json:"predicates,omitempty" jsonschema:"what --where may call, by the table's sql_flavor"`
	Topics     []string           `json:"topics,omitempty" jsonschema:"further pages: da help TOPIC"`
	Index      []Line             `json:"index,omitempty" jsonschema:"in place of commands, if they do not fit --max-tokens"`
	LeftOut    *helpLeftOut       `json:"left_out,omitempty" jsonschema:"there if not all of it fits --max-tokens"`
	Text       string             `json:"text,omitempty" jsonschema:"the page of a topic"`
}

// Command describes one command.
type Command struct {
	Path     string     `json:"path" jsonschema:"as in da snapshot list"`
	Usage    string     `json:"usage"`
	Short    string     `json:"short"`
	Long     string     `json:"long,omitempty"`
	Aliases  []string   `json:"aliases,omitempty"`
	Flags    []helpFlag `json:"flags,omitempty" jsonschema:"besides global_flags"`
	Examples []string   `json:"examples,omitempty"`
	// Output is the schema of what it prints with --json.
	Output *jsonschema.Schema `json:"output,omitempty" jsonschema:"schema of what it prints with --json; none: it prints no JSON"`
}

// helpFlag describes a flag.
type helpFlag struct {
	Name        string `json:"name"`
	Short       string `json:"short,omitempty"`
	Type        string `json:"type" jsonschema:"bool flags take no value"`
	Value       string `json:"value,omitempty" jsonschema:"what the value is"`
	About       string `json:"about"`
	Default     string `json:"default,omitempty"`
	Environment string `json:"environment,omitempty" jsonschema:"variable that it overrides"`
}

type helpExitCode struct {
	Code    int    `json:"code"`
	Meaning string `json:"meaning"`
	Next    string `json:"next,omitempty" jsonschema:"what to do"`
}

type helpErrorCode struct {
	Code      api.Code `json:"code"`
	ExitCode  int      `json:"exit_code"`
	Retryable bool     `json:"retryable"`
}

type helpDialect struct {
	Dialect   predicate.Dialect    `json:"dialect"`
	Hints     map[string]string    `json:"hints"`
	Functions []predicate.Function `json:"functions"`
}

// describe describes a command with those below it, or a topic.
func (m *Manual) describe(cmd *cobra.Command) Document {
	d := Document{Version: build.Current().Version}
	if cmd.IsAdditionalHelpTopicCommand() {
		d.Text = LongText(cmd)
		switch cmd.Name() {
		case topicExitCodes:
			d.ExitCodes, d.ErrorCodes = helpExitCodes(), helpErrorCodes()
		case topicEnvironment:
			d.Environment, d.Agents = config.Variables, config.Agents
		case topicOutput:
			d.Formats = output.Formats
		case topicPredicates:
			d.Predicates = helpDialects()
		}
		return d
	}
	m.Walk(cmd, func(c *cobra.Command) { d.Commands = append(d.Commands, m.describeCommand(c)) })
	d.GlobalFlags = helpFlags(cmd.Root().PersistentFlags())
	d.Error, d.Around = schemaOfError(), aroundSchema()
	if cmd.HasParent() {
		return d
	}
	d.Formats, d.Environment, d.Agents = output.Formats, config.Variables, config.Agents
	d.ExitCodes, d.ErrorCodes = helpExitCodes(), helpErrorCodes()
	for _, c := range cmd.Commands() {
		if c.IsAdditionalHelpTopicCommand() {
			d.Topics = append(d.Topics, c.Name())
		}
	}
	return d
}

// Walk visits the commands that can be run.
func (m *Manual) Walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	Walk(cmd, func(c *cobra.Command) {
		if c.Runnable() && !(c.HasSubCommands() && m.Printed()[c.CommandPath()] == nil) {
			visit(c)
		}
	})
	if !cmd.HasParent() {
		for _, c := range cmd.Commands() {
			if c.Name() == "help" { // walk skips it
				visit(c)
			}
		}
	}
}

func (m *Manual) describeCommand(c *cobra.Command) Command {
	h := Command{Path: c.CommandPath(), Usage: c.UseLine(), Short: c.Short, Long: strings.TrimSpace(c.Long), Aliases: c.Aliases,
		Flags: helpFlags(c.LocalNonPersistentFlags()), Output: outputSchema(m.Printed()[c.CommandPath()])}
	for p := c; p.HasParent(); p = p.Parent() {
		h.Flags = append(h.Flags, helpFlags(p.PersistentFlags())...)
	}
	if c.Example != "" {
		h.Examples = strings.Split(Dedent(c.Example), "\n")
	}
	return h
}

func helpFlags(flags *pflag.FlagSet) []helpFlag {
	var list []helpFlag
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, about := pflag.UnquoteUsage(f)
		h := helpFlag{Name: f.Name, Short: f.Shorthand, Type: f.Value.Type(), Value: value, About: about}
		switch f.DefValue {
		case "", "[]", "false", "0", "0s": // no default; 0 itself may be invalid
		default:
			h.Default = f.DefValue
		}
		if i := slices.IndexFunc(config.Variables, func(v config.Variable) bool { return v.Flag == f.Name }); i >= 0 {
			h.Environment = config.Variables[i].Name
			if h.Default != "" && h.Environment == config.EnvRoot {
				h.Default = "" // it depends on the environment of this run
			}
		}
		list = append(list, h)
	})
	return list
}

func helpExitCodes() []helpExitCode {
	var list []helpExitCode
	for _, m := range exit.Meanings {
		list = append(list, helpExitCode{m.Code, m.Meaning, m.Next})
	}
	return list
}

func helpErrorCodes() []helpErrorCode {
	var list []helpErrorCode
	for _, code := range slices.SortedFunc(maps.Keys(exit.Codes), func(x, y api.Code) int {
		return cmp.Or(cmp.Compare(exit.Codes[x], exit.Codes[y]), cmp.Compare(x, y))
	}) {
		list = append(list, helpErrorCode{code, exit.Codes[code], (&api.Error{Code: code}).Retryable()})
	}
	return list
}

func helpDialects() []helpDialect {
	var list []helpDialect
	for _, d := range predicate.Dialects() {
		list = append(list, helpDialect{d, predicate.Hints(d), predicate.Functions(d)})
	}
	return list
}

// schemaOfError is the schema of the line that reports a failure.
func schemaOfError() *jsonschema.Schema {
	s, err := jsonschema.For[struct {
		Error exit.JSON `json:"error"`
	}](nil)
	if err != nil {
		panic(err)
	}
	return s
}
