// Package jobs has the commands that run other commands of da: a file of steps, its
// schedule, and the journals of sessions. Each step is a process of its own, with the
// exit code that it has in a shell, and no shell between.
package jobs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/journal"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/shellwords"
)

// mostSteps bounds a file of steps, in bytes.
const mostSteps = 1 << 20

type runOptions struct{ resume, dryRun bool }

// NewRunCmd returns 'da run'.
func NewRunCmd(a *app.App) *cobra.Command {
	var o runOptions
	var schema bool
	cmd := &cobra.Command{
		Use:   "run <file>",
		Short: "Run a list of steps: fetch, refresh, check, query, report",
		Long: `Run runs the steps of a YAML file. A step is a command of da, which runs as a
process of its own in the folder of the file; no shell takes part. A step whose
'needs' have failed is skipped, and others go on. docs/scripting.md describes
the file, --schema prints its JSON Schema for editors.

A line for each step says how it ended, with --json one of JSON. What a step
prints is kept below DA_HOME/runs. The exit code is that of the worst step; of
several it is the first of 130, 2, 4, 7, 8, 3, 5, 9, 6, 1, 10.

--resume leaves out the steps that have succeeded in the last run of the file,
if no file or snapshot that they name has changed since, and no step that they
need runs again. What has changed at a source it does not see.`,
		Example: "  da run job.yaml\n  da run job.yaml --resume\n  da run job.yaml --dry-run --json\n  da run --schema > steps.schema.json",
		Args:    usage.AtMostOne("file", "Name one file: da run job.yaml."),
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				return printStepsSchema(a)
			}
			if len(args) == 0 {
				return usage.Exactly("file")(cmd, args)
			}
			return runSteps(cmd, a, args[0], o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.resume, "resume", false, "leave out what has succeeded in the last run, and did not change since")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would run, and run nothing")
	f.BoolVar(&schema, "schema", false, "print the JSON Schema of the file, and run nothing")
	return cmd
}

func printStepsSchema(a *app.App) error {
	schema, err := jsonschema.For[stepsFile](nil)
	if err != nil {
		return err
	}
	schema.Schema, schema.Title = "https://json-schema.org/draft/2020-12/schema", "Steps of da"
	return a.PrintWhole(schema)
}

// runner is one run of a file.
type runner struct {
	a        *app.App
	name     string // of the file, as given
	format   output.Format
	program  string
	dir      string // of the record
	run      Run
	steps    []step
	places   journal.Places
	env      []string
	outcomes map[string]*outcome
	// kept are the steps of the last run that need not run again.
	kept map[string]*outcome
}

func runSteps(cmd *cobra.Command, a *app.App, name string, o runOptions) error {
	file := a.Absolute(name)
	r, err := prepare(cmd, a, file)
	if err != nil {
		return err
	}
	r.name = name
	if o.dryRun {
		if o.resume {
			r.resume()
		}
		return r.each(func(s step) (*outcome, error) {
			if out := r.before(s); out != nil {
				return out, nil
			}
			return r.outcome(s, planned), nil
		})
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return atomicfile.Explain("make the folder of the run", err)
	}
	lock, err := store.TryLock(filepath.Join(r.dir, ".lock"))
	if errors.Is(err, store.ErrBusy) {
		return &api.Error{Code: api.CodeSnapshotBusy, Message: "the steps of " + filepath.Base(file) + " are running in another process",
			Hint: "Wait for it with --wait 5m."}
	}
	if err != nil {
		return atomicfile.Explain("lock the run", err)
	}
	defer lock.Unlock()
	if o.resume {
		r.resume()
	}
	if err := r.run.save(r.dir); err != nil { // what is killed in its first step has run, too
		return err
	}
	ctx := cmd.Context()
	err = r.each(func(s step) (*outcome, error) {
		if out := r.before(s); out != nil {
			return out, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return r.do(ctx, s)
	})
	ended := a.Now().UTC()
	r.run.Ended = &ended
	if err != nil && r.run.ExitCode == 0 {
		cut := err
		if late := a.Late(); late != nil {
			cut = late
		}
		r.run.ExitCode = exit.Code(exit.Failure(cut, false))
	}
	return errors.Join(err, r.run.save(r.dir))
}

// prepare reads the file and finds what a run of it needs.
func prepare(cmd *cobra.Command, a *app.App, file string) (*runner, error) {
	format := a.OutputFormat()
	info, err := os.Stat(file)
	if err == nil && info.Size() > mostSteps {
		return nil, usage.Error(fmt.Sprintf("'%s' is too large for a file of steps", file))
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil, usage.Error(fmt.Sprintf("'%s' is not a file", file))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &api.Error{Code: api.CodeUnknownFile, Message: "cannot read the steps: " + err.Error(), Hint: "Check the path.", Err: err}
	}
	steps, err := readSteps(cmd.Root(), file, string(text))
	if err != nil {
		return nil, err
	}
	work, err := a.Analyst()
	if err != nil {
		return nil, err
	}
	program, err := a.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program itself: %w", err)
	}
	env, err := a.ChildEnv()
	if err != nil {
		return nil, err
	}
	return &runner{
		a: a, format: format, program: program, dir: folderOf(work.Home, file), steps: steps, env: env, outcomes: map[string]*outcome{},
		run:    Run{File: file, Started: a.Now().UTC(), Steps: map[string]*outcome{}},
		places: journal.Places{Dir: filepath.Dir(file), Store: work.Store, Synced: synced.At(work.Home), Results: work.Results()},
	}, nil
}

// each goes through the steps, says of each how it ended, and returns the error of all.
func (r *runner) each(do func(step) (*outcome, error)) error {
	code := 0
	var bad []*outcome
	for _, s := range r.steps {
		out, err := do(s)
		if err != nil {
			return err
		}
		r.outcomes[s.Name] = out
		if err := r.tell(out); err != nil {
			return err
		}
		if out.Status == failed {
			code = worst(code, out.ExitCode)
		}
		if out.Status == failed || out.Status == skipped {
			bad = append(bad, out)
		}
	}
	r.run.ExitCode = code
	if code == 0 {
		return nil
	}
	return stepsFailed(r.name, code, bad, len(r.steps))
}

// before returns the outcome of a step that does not run; nil for one that does.
func (r *runner) before(s step) *outcome {
	for _, n := range s.Needs {
		if st := r.outcomes[n].Status; !s.Always && (st == failed || st == skipped) {
			out := r.outcome(s, skipped)
			out.Message = "it needs '" + n + "'"
			return out
		}
	}
	last := r.kept[s.Name]
	if last == nil || slices.ContainsFunc(s.Needs, func(n string) bool { return r.outcomes[n].Status != unchanged }) {
		return nil
	}
	out := r.outcome(s, unchanged)
	out.Names = last.Names
	return out
}

func (r *runner) outcome(s step, st status) *outcome {
	return &outcome{Step: s.Name, Status: st, Command: s.words, Needs: s.Needs}
}

// names returns what the command line of a step names.
func (r *runner) names(s step) journal.Named {
	words := s.words
	if words[0] == "check" && len(words) == 1 {
		words = append(words[:1:1], "checks.yaml")
	}
	if s.Stdout != "" {
		words = append(words[:len(words):len(words)], s.Stdout)
	}
	return r.places.NamesIn(words)
}

// tell prints how a step ended.
func (r *runner) tell(o *outcome) error {
	if r.format == output.JSON || r.format == output.NDJSON {
		line, err := output.EncodeJSON(o, "")
		if err != nil {
			return err
		}
		_, err = r.a.IO.Out.Write(line)
		return err
	}
	text := fmt.Sprintf("%-9s %s", o.Status, o.Step)
	switch o.Status {
	case planned, unchanged:
		text += ": da " + shellwords.Join(o.Command)
	case ok:
		text += " (" + humanize.Elapsed(time.Duration(o.Seconds*float64(time.Second))) + ")"
	case failed:
		text += fmt.Sprintf(" with exit code %d", o.ExitCode)
	}
	if o.Message != "" {
		text += ": " + o.Message
	}
	return r.a.PrintLine(text)
}

// stepsFailed is the error of a run, with the exit code of its worst step.
func stepsFailed(name string, code int, bad []*outcome, of int) error {
	var names []string
	n := 0
	for _, o := range bad {
		if o.Status == failed {
			n++
			names = append(names, fmt.Sprintf("%s (%d)", o.Step, o.ExitCode))
		}
	}
	message := fmt.Sprintf("%d of %s failed: %s", n, humanize.Plural(int64(of), "step", "steps"), strings.Join(names, ", "))
	if left := len(bad) - n; left > 0 {
		message += fmt.Sprintf("; %d skipped", left)
	}
	return &api.Error{Code: exit.CodeOf(code), Kind: api.KindStepFailed, Message: message, Details: map[string]any{"failed": bad},
		Hint: "Correct what is wrong, and go on with 'da run " + shellwords.Join([]string{name}) + " --resume'."}
}
