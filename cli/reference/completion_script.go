package reference

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
)

// shells lists the shells with completion, with the file name that each expects.
var shells = []struct{ name, file, load string }{
	{"bash", "da", "source <(da completion bash)"},
	{"zsh", "_da", "source <(da completion zsh)"},
	{"fish", "da.fish", "da completion fish | source"},
	{"powershell", "da.ps1", "da completion powershell | Out-String | Invoke-Expression"},
}

// CompletionCmd returns 'da completion', which prints a script for a shell.
func CompletionCmd(a *app.App) *cobra.Command {
	var names []string
	example := ""
	for _, s := range shells {
		names = append(names, s.name)
		example += "  " + s.load + "\n"
	}
	return &cobra.Command{
		Use:   "completion <shell>",
		Short: "Write the completion script of a shell",
		Long: `Completion writes a script that makes a shell complete da's commands and flags,
and also tables, columns after --select, and snapshots. Load it in the shell's
start file as the examples show; the packages install it already.

The shell is one of ` + strings.Join(names, ", ") + `. In bash,
words with = or : are completed only with the package bash-completion; in zsh,
run 'autoload -U compinit; compinit' first.`,
		Example:   strings.TrimSuffix(example, "\n"),
		Args:      usage.Exactly("shell"),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.NoFormat("a script for a shell"); err != nil {
				return err
			}
			script, err := completionScript(cmd.Root(), args[0])
			if err != nil {
				return err
			}
			_, err = a.IO.Out.Write([]byte(script))
			return err
		},
	}
}

func completionScript(root *cobra.Command, shell string) (string, error) {
	var b bytes.Buffer
	var err error
	switch shell {
	case "bash":
		err = root.GenBashCompletionV2(&b, true)
		return aloneInBash(commasInBash(b.String())), err
	case "zsh":
		err = root.GenZshCompletion(&b)
	case "fish":
		err = root.GenFishCompletion(&b, true)
	case "powershell":
		err = root.GenPowerShellCompletionWithDesc(&b)
	default:
		return "", usage.Error("there is no completion for '" + shell + "'")
	}
	return b.String(), err
}

// aloneInBash makes the script work without the package bash-completion, whose
// functions it calls.
func aloneInBash(script string) string {
	return strings.NewReplacer(
		`    _get_comp_words_by_ref "$@" cur prev words cword`, `    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
    cur=${words[cword]} prev=${words[cword-1]}`,
		"__da_init_completion()\n", `__da_filedir()
{
    if declare -F _filedir >/dev/null 2>&1; then
        _filedir "$@"
    fi # without it COMPREPLY stays empty, and bash offers files itself
}

__da_init_completion()
`,
		"_filedir -d", "__da_filedir -d", "_filedir $fullFilter", "__da_filedir $fullFilter", "    _filedir\n", "    __da_filedir\n",
	).Replace(script)
}

// commasInBash makes completion work for words with commas. The script compares
// its suggestions in quoted form with the typed word. Quoting puts a backslash
// before a comma, so a list of columns would never match.
func commasInBash(script string) string {
	return strings.NewReplacer(
		`[[ $comp == "$cur"* ]] || continue`,
		`comp=${comp//\\,/,}`+"\n        "+`[[ $comp == "${cur//\\,/,}"* ]] || continue`,
		`COMPREPLY[0]=$(printf "%q" "${COMPREPLY[0]%%$tab*}")`,
		`COMPREPLY[0]=$(printf "%q" "${COMPREPLY[0]%%$tab*}")`+"\n        "+`COMPREPLY[0]=${COMPREPLY[0]//\\,/,}`,
	).Replace(script)
}

// CompletionScripts returns the scripts under the file names that the shells
// expect.
func CompletionScripts(root *cobra.Command) (map[string]string, error) {
	files := map[string]string{}
	for _, s := range shells {
		script, err := completionScript(root, s.name)
		if err != nil {
			return nil, err
		}
		files[s.file] = script
	}
	return files, nil
}
