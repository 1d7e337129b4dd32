package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/shellwords"
)

// ErrorsAsJSON also looks at the raw arguments, because a flag error occurs
// before the flags are parsed.
func (a *App) ErrorsAsJSON() bool {
	if a.AsJSON || a.Format == "json" || a.Format == "" && a.jsonByDefault() && !formatGiven(a.Args) {
		return true
	}
	for i, arg := range a.Args {
		if arg == "--" {
			break
		}
		if arg == "--json" || arg == "-ojson" || arg == "-o=json" || arg == "--output=json" ||
			(arg == "-o" || arg == "--output") && i+1 < len(a.Args) && a.Args[i+1] == "json" {
			return true
		}
	}
	return false
}

// CheckFormat refuses formats of results that there are not. It is called before each
// command.
func (a *App) CheckFormat() error {
	switch {
	case a.AsJSON && a.Format != "" && a.Format != "json":
		return usage.Error("--json and --output " + a.Format + " contradict each other")
	case a.AsJSON || a.Format == "" || a.Format == "json":
		return nil
	case a.tokens.given && a.tokens.tokens > 0:
		return usage.Error("--max-tokens is for JSON, not for --output " + api.Clip(a.Format, 40))
	case slices.Contains(output.Formats, output.Format(a.Format)):
		return nil
	}
	e := usage.Error("unknown output format '" + api.Clip(a.Format, 40) + "'; choose one of " + formatNames())
	if _, named := output.FormatOf(a.Format); named || strings.ContainsAny(a.Format, `./\`) {
		e.Hint = "-o is the format; the file goes after --out, as in da query SQL --out " + shellwords.Quote(api.Clip(a.Format, 40)) + "."
	}
	return e
}

// OutputFormat returns the format of results.
func (a *App) OutputFormat() output.Format {
	switch {
	case a.AsJSON || a.Format == "" && a.jsonByDefault():
		return output.JSON
	case a.Format == "":
		return output.Table
	}
	return output.Format(a.Format)
}

// ResultFormat is OutputFormat for rows that may go to a file, whose name can
// imply the format: JSON is then for what is printed about the file.
func (a *App) ResultFormat(file string) (output.Format, error) {
	named, ok := output.FormatOf(file)
	switch {
	case ok && a.Format != "" && a.Format != "json" && a.Format != string(named) && slices.Contains(output.Formats, output.Format(a.Format)):
		e := usage.Error("'" + file + "' is named as " + string(named) + ", and --output says " + a.Format)
		e.Hint = "Leave out one of them, or name the file otherwise."
		return "", e
	case ok:
		return named, nil
	case a.Format == "" && !a.AsJSON && file != "":
		e := usage.Error("the format of '" + file + "' is not clear from its name")
		e.Hint = "Name it as in result.csv, or give the format: -o csv."
		if info, err := os.Stat(a.Absolute(file)); err == nil && info.IsDir() {
			e.Message, e.Hint = "'"+file+"' is a folder", "Name a file in it, as in "+filepath.Join(file, "result.csv")+"."
		}
		return "", e
	}
	return a.OutputFormat(), nil
}

// NoFormat rejects --output and --json for a command that has only one format.
func (a *App) NoFormat(prints string) error {
	if a.Format == "" && !a.AsJSON {
		return nil
	}
	e := usage.Error("this command prints " + prints + ", and knows no other format")
	e.Hint = "Leave out --output and --json."
	return e
}

func formatNames() string { return strings.Join(FormatNames(), ", ") }

// FormatNames returns the names of the result formats.
func FormatNames() (names []string) {
	for _, f := range output.Formats {
		names = append(names, string(f))
	}
	return names
}

// JSONAsked reports whether a flag asks for JSON.
func (a *App) JSONAsked() bool { return a.AsJSON || a.Format == "json" }

// jsonByDefault reports whether results are JSON if no flag sets the format.
func (a *App) jsonByDefault() bool {
	return a.tokens.given && a.tokens.tokens > 0 || AgentReads(a.Getenv)
}

// formatGiven looks at the raw arguments, because a flag error occurs before the
// flags are parsed.
func formatGiven(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		return strings.HasPrefix(arg, "-o") || strings.HasPrefix(arg, "--output")
	})
}
