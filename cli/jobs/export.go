package jobs

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/journal"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/shellwords"
)

type exportOptions struct {
	as     string
	answer int
}

func newSessionExportCmd(a *app.App) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export <session>",
		Short: "Write the steps that an answer depends on as a script",
		Long: `Export writes the steps of a session that one answer depends on, without those
that failed or led nowhere: as a shell script, as SQL, as a notebook or as
Markdown. The answer is the last step that printed something, or the one of
--answer.

The script makes everything anew in a folder of its own, prints the answer, and
ends with 10 if it is another than it was; then it says which input has moved.
Snapshots that were there before the session it takes from your own DA_HOME.
It needs da, and nothing else but the tools of every system.`,
		Example: "  da session export report-1 > answer.sh\n  da session export report-1 --as md --answer 7",
		Args:    usage.Exactly("session"),
		RunE:    func(_ *cobra.Command, args []string) error { return exportSession(a, args[0], o) },
	}
	cmd.Flags().StringVar(&o.as, "as", "sh", "`form`: sh, sql, ipynb or md")
	cmd.Flags().IntVar(&o.answer, "answer", 0, "the `step` whose answer is wanted (default the last that printed something)")
	return cmd
}

func exportSession(a *app.App, name string, o exportOptions) error {
	write, known := map[string]func(io.Writer, export) error{"sh": writeShell, "sql": writeSQL, "ipynb": writeNotebook,
		"md": writeMarkdown}[o.as]
	if !known {
		return usage.Error(fmt.Sprintf("--as is sh, sql, ipynb or md, not '%s'", api.Clip(o.as, 20)))
	}
	if err := a.NoFormat("the text of a script"); err != nil {
		return err
	}
	entries, _, err := readSession(a, name)
	if err != nil {
		return err
	}
	if o.answer == 0 {
		o.answer = journal.Answer(entries)
	}
	if o.answer < 1 || o.answer > len(entries) {
		e := usage.Error(fmt.Sprintf("the session has no step %d to export", o.answer))
		e.Hint = "'da session show " + shellwords.Quote(name) + "' lists its steps."
		return e
	}
	x := export{session: name, steps: len(entries), answer: o.answer, Pruned: journal.Depends(entries, o.answer)}
	x.renumber()
	for _, e := range x.Entries {
		if e.Cleaned {
			a.Warn([]string{fmt.Sprintf("a secret was taken out of step %d: put it back, from a variable", e.Step)})
		}
		if e.Stdin != nil && e.Stdin.Text == "" {
			a.Warn([]string{fmt.Sprintf("what step %d read from standard input was too long to keep: the script reads its own", e.Step)})
		}
	}
	return a.Page(func(w io.Writer) error { return write(w, x) })
}

// export is the part of a session that is exported.
type export struct {
	session       string
	steps, answer int
	journal.Pruned
}

var keptResult = lazyregexp.New(`@r[0-9]+\b`)

// renumber gives kept results the names that they have if only these steps run.
func (x *export) renumber() {
	names, n := map[string]string{}, 0
	for i := range x.Entries {
		e := &x.Entries[i]
		e.Args = slices.Clone(e.Args)
		for j := range e.Args {
			e.Args[j] = keptResult().ReplaceAllStringFunc(e.Args[j], func(r string) string {
				if now := names[r]; now != "" {
					return now
				}
				return r
			})
		}
		for _, key := range e.Writes.Keys() {
			if r, isResult := strings.CutPrefix(key, "result "); isResult && e.Writes[key] != "" {
				n++
				names[r] = fmt.Sprintf("@r%d", n)
			}
		}
	}
}

// line is the command of a step, for a shell. Paths are as place writes them.
func line(e journal.Entry, place func(string) string) string {
	words := []string{}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		words = append(words, name+"="+place(e.Env[name]))
	}
	words = append(words, "da")
	for _, a := range e.Args {
		words = append(words, place(a))
	}
	text := strings.Join(words, " ")
	if e.Stdin != nil && e.Stdin.Text != "" {
		text = "printf %s " + shellwords.Quote(e.Stdin.Text) + " | " + text
	}
	return text
}

const shellHead = `#!/bin/sh
# Session %s: the %d of %d steps that answer %d depends on, by 'da session export'.
# Call it with another folder to find the files of the session there. It ends with 0
# if the answer is what it was, with 10 if not, and says what has moved.
set -u
root=$(cd "${1:-%s}" && pwd) || exit 2
unset DA_SESSION DA_SESSION_BUDGET
home=${DA_HOME-}
DA_HOME=$(mktemp -d) && export DA_HOME || exit 4
trap 'rm -rf "$DA_HOME"' EXIT
moved=
moved() { moved=yes; echo "moved: $1" >&2; }
another() { [ -n "$moved" ] || %s; echo "the answer is another${moved:+: see what has moved}" >&2; exit 10; }
sum() { { sha256sum 2>/dev/null || shasum -a 256; } | cut -c 1-64; }
file() { [ -f "$2" ] && [ "$(sum < "$2")" = "$1" ] || moved "file $2"; }
snapshot() { case $(da snapshot show "$2" --json 2>/dev/null) in *"$1"*) ;; *) moved "snapshot $2" ;; esac; }
before() { # it was there before the session: copy it from your own DA_HOME
  (copy=$DA_HOME/before.parquet
  if [ -n "$home" ]; then DA_HOME=$home; else unset DA_HOME; fi
  da snapshot export "$2" --out "$copy" --force) > /dev/null 2>&1 &&
    da snapshot import "$DA_HOME/before.parquet" --as "$2" > /dev/null 2>&1
  snapshot "$1" "$2"
}
step() {
  code=$?
  [ "$code" = "$2" ] && return
  cat "$DA_HOME/said" >&2
  [ "$code" = 9 ] && moved "the server: it cannot be reached"
  echo "step $1 ended with exit code $code, not with $2" >&2
  another
}
`

// elsewhere is what the script says if nothing that it can look at has moved.
func (x export) elsewhere() string {
	for _, e := range x.Entries {
		if slices.ContainsFunc(e.Args, func(a string) bool { return a == "--remote" || a == "--fetch" }) ||
			slices.Contains([]string{"catalog", "describe", "metric query", "schema"}, e.Command) {
			return `moved "what the source of step ` + fmt.Sprint(e.Step) + ` holds"`
		}
	}
	return ":"
}

// inQuotes writes a text between double quotes of a shell.
func inQuotes(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text)
}

// placed writes paths in the folder of the session relative to the script's own root.
func (x export) placed(text string) string {
	root := x.Entries[0].Dir
	if rest, below := strings.CutPrefix(text, root); below && (rest == "" || rest[0] == '/') {
		if rest == "" {
			return `"$root"`
		}
		return `"$root"` + shellwords.Quote(rest)
	}
	return shellwords.Quote(text)
}

// writeShell writes a script that checks its inputs and its answer.
func writeShell(w io.Writer, x export) error {
	var b strings.Builder
	fmt.Fprintf(&b, shellHead, x.session, len(x.Entries), x.steps, x.answer, inQuotes(x.Entries[0].Dir), x.elsewhere())
	for _, key := range x.Inputs.Keys() {
		kind, name, _ := strings.Cut(key, " ")
		switch sum, isSum := strings.CutPrefix(x.Inputs[key], "sha256:"); {
		case kind == "file" && isSum:
			fmt.Fprintf(&b, "file %s %s\n", sum, x.placed(name))
		case kind == "file":
			fmt.Fprintf(&b, "# the file %s had %s\n", shellwords.Quote(name), x.Inputs[key])
		case kind == "snapshot":
			fmt.Fprintf(&b, "before %s %s\n", shellwords.Quote(x.Inputs[key]), name)
		case kind != "workspace":
			fmt.Fprintf(&b, "# the %s was there before the session\n", key)
		}
	}
	dir := ""
	for _, e := range x.Entries {
		if e.Dir != dir {
			dir = e.Dir
			fmt.Fprintf(&b, "\ncd %s || exit 2\n", x.placed(dir))
		}
		x.writeStep(&b, e)
	}
	fmt.Fprintf(&b, "\ncat \"$DA_HOME/answer\"\n")
	if x.isFile() {
		b.WriteString("[ -z \"$moved\" ] || another\n")
	} else { // the marks around data for a model and the numbers of kept results are others each time
		fmt.Fprintf(&b, "[ \"$(sed 's/data-[0-9a-f]\\{12\\}/data-/g; s/@r[0-9][0-9]*/@r/g' \"$DA_HOME/answer\" | sum)\" = %s ] || another\n",
			strings.TrimPrefix(x.Entries[len(x.Entries)-1].Output, "sha256:"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeStep writes one step, and looks at what it has made.
func (x export) writeStep(b *strings.Builder, e journal.Entry) {
	fmt.Fprintf(b, "\n# step %d\n", e.Step)
	for _, key := range e.Writes.Keys() { // what the session has made is made anew
		if kind, path, _ := strings.Cut(key, " "); kind == "file" && e.Writes[key] != "" && e.Reads[key] == "" {
			fmt.Fprintf(b, "rm -f %s\n", x.placed(path))
		}
	}
	to := "/dev/null"
	if e.Step == x.answer {
		to = `"$DA_HOME/answer"`
	}
	fmt.Fprintf(b, "%s > %s 2> \"$DA_HOME/said\"\nstep %d %d\n", line(e, x.placed), to, e.Step, e.ExitCode)
	for _, key := range e.Writes.Keys() {
		kind, name, _ := strings.Cut(key, " ")
		switch sum, isSum := strings.CutPrefix(e.Writes[key], "sha256:"); {
		case e.Writes[key] == "":
		case kind == "snapshot":
			fmt.Fprintf(b, "snapshot %s %s\n", shellwords.Quote(e.Writes[key]), name)
		case kind == "file" && isSum:
			fmt.Fprintf(b, "file %s %s\n", sum, x.placed(name))
		}
	}
}

// dated matches the commands that print times or places of the run: their answer is
// what they write.
var dated = lazyregexp.New(`^(fetch|sync|snapshot( .*)?|disk-info|files .*|report|ask|conversations.*|receipt.*|result.*|quota|plan)$`)

// isFile reports whether the answer is what was written, and not what was printed.
func (x export) isFile() bool {
	e := x.Entries[len(x.Entries)-1]
	return dated().MatchString(e.Command) || slices.ContainsFunc(e.Args,
		func(a string) bool { return a == "--out" || strings.HasPrefix(a, "--out=") })
}

// writeSQL writes the statements, and everything else as comments.
func writeSQL(w io.Writer, x export) error {
	var b strings.Builder
	fmt.Fprintf(&b, "-- Session %s: what answer %d depends on.\n", x.session, x.answer)
	for _, e := range x.Entries {
		fmt.Fprintf(&b, "\n-- step %d: da %s\n", e.Step, strings.ReplaceAll(shellwords.Join(e.Args), "\n", "\n--   "))
		if sql := statementOf(e); sql != "" {
			fmt.Fprintf(&b, "%s;\n", strings.TrimRight(strings.TrimSpace(sql), ";"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var statement = lazyregexp.New(`(?is)^\s*(with|select|from|describe|summarize|pivot|unpivot|values|create\s+temp)\b`)

// statementOf returns the statement of a query; empty if the journal has none.
func statementOf(e journal.Entry) string {
	for _, a := range e.Args {
		if statement().MatchString(a) {
			return a
		}
	}
	if e.Stdin != nil && statement().MatchString(e.Stdin.Text) {
		return e.Stdin.Text
	}
	return ""
}

func writeMarkdown(w io.Writer, x export) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Session %s, answer %d\n\n%d of %d steps.\n", x.session, x.answer, len(x.Entries), x.steps)
	for _, e := range x.Entries {
		text := line(e, shellwords.Quote)
		fence := "```"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		fmt.Fprintf(&b, "\n## Step %d\n\n%ssh\ncd %s\n%s\n%s\n", e.Step, fence, shellwords.Quote(e.Dir), text, fence)
		for _, key := range e.Writes.Keys() {
			kind, name, _ := strings.Cut(key, " ")
			if kind == "file" {
				name = filepath.Base(name)
			}
			fmt.Fprintf(&b, "\nIt makes the %s `%s`.\n", kind, name)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeNotebook writes a cell for each step, which a kernel of Python runs by a shell.
func writeNotebook(w io.Writer, x export) error {
	type cell struct {
		Type     string         `json:"cell_type"`
		ID       string         `json:"id"`
		Metadata map[string]any `json:"metadata"`
		Source   string         `json:"source"`
		Outputs  []any          `json:"outputs,omitzero"`
		Count    *int           `json:"execution_count,omitempty"`
	}
	cells := []cell{{Type: "markdown", ID: "about", Metadata: map[string]any{},
		Source: fmt.Sprintf("Session %s: the %d of %d steps that answer %d depends on.", x.session, len(x.Entries), x.steps, x.answer)}}
	for _, e := range x.Entries {
		cells = append(cells, cell{Type: "code", ID: fmt.Sprintf("step-%d", e.Step), Metadata: map[string]any{}, Outputs: []any{},
			Count: new(int), Source: "%%sh\ncd " + shellwords.Quote(e.Dir) + "\n" + line(e, shellwords.Quote)})
	}
	text, err := json.MarshalIndent(map[string]any{
		"cells": cells, "nbformat": 4, "nbformat_minor": 5,
		"metadata": map[string]any{"kernelspec": map[string]string{"name": "python3", "display_name": "Python 3", "language": "python"}},
	}, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
