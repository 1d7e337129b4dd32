package jobs

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agnes-data/da/agent/secrets"
	"github.com/agnes-data/da/analyst/results"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/journal"
	"github.com/agnes-data/da/internal/config"
)

const (
	// lockPatience is how long a command waits to add its line to a journal.
	lockPatience = 10 * time.Second
	// mostInput bounds the text of standard input that a journal keeps, in bytes.
	mostInput = 64 << 10
)

// unrecorded are the commands that are not in journals: they answer nothing, have no
// end, change who may do what, or run others that record themselves.
var unrecorded = []string{
	"admin", "chat", "completion", "config", "demo", "doctor", "help", "init", "login", "logout", "mcp", "run", "schedule", "serve",
	"session", "shell", "skills", "ui", "version", "whoami",
}

// reading are the commands of the workspace that change nothing in it.
var reading = []string{
	"files list", "files info", "files get", "files read", "files search", "files versions", "files diff", "files open", "files import",
	"files render",
	"files draft list", "files draft diff", "files sheet list-sheets", "files sheet get-sheet-summary", "files sheet read-range",
	"files sheet read-cell",
	"files image info", "files image to-base64", "files pdf info", "files pdf extract-text", "files pdf get-form-fields", "report",
}

// Record begins to record a run that belongs to a session, and returns what adds it to
// the journal, with its exit code. A journal that cannot be written fails no command.
func Record(a *app.App) (add func(code int)) {
	nothing := func(int) {}
	session := a.Session()
	if session == "" || len(a.Args) == 0 || strings.HasPrefix(a.Args[0], "__") || slices.Contains(unrecorded, a.Args[0]) {
		return nothing
	}
	home, err := a.Places().Data()
	if err != nil {
		return nothing
	}
	store, err := a.OpenStore()
	if err != nil {
		return nothing // the command fails for the same reason
	}
	places := journal.Places{Dir: a.Absolute("."), Store: store, Synced: synced.At(home), Results: results.At(home, a.Now)}
	a.Record()
	began, kept, before := time.Now(), places.Kept(), places.NamesIn(a.Args)
	return func(code int) {
		command := a.Command
		if command == "" {
			command = a.Args[0]
		}
		if first, _, _ := strings.Cut(command, " "); slices.Contains(unrecorded, first) {
			return
		}
		e := journal.Entry{At: began.UTC(), Seconds: time.Since(began).Round(time.Millisecond).Seconds(), Dir: places.Dir, Command: command,
			Args: slices.Clone(a.Args), ExitCode: code, Env: answerEnv(a)}
		printed(a, &e)
		e.Reads, e.Writes = maps.Clone(before), journal.Named{}
		switch { // arguments that name things
		case command == "report":
			maps.Copy(e.Reads, kept) // in a template
		case e.Stdin != nil:
			maps.Copy(e.Reads, kept.In(e.Stdin.Text))
		}
		touched(&e, kept, places.Kept())
		touched(&e, before, places.NamesIn(a.Args))
		workspaceOf(&e)
		e.Scanned = scannedBy(places, e)
		clean(a, &e)
		ctx, stop := context.WithTimeout(context.Background(), lockPatience) // also of a run that was interrupted
		defer stop()
		if err := journal.JournalsAt(home).Append(ctx, session, e); err != nil {
			a.Warn([]string{"the command is not in the journal of the session: " + err.Error()})
		}
	}
}

// touched adds what has changed.
func touched(e *journal.Entry, before, after journal.Named) {
	for key, hash := range after {
		if before[key] != hash {
			e.Writes[key] = hash
		}
	}
	for key := range before {
		if _, there := after[key]; !there {
			e.Writes[key] = ""
		}
	}
}

// workspaceOf notes what the commands for files of the workspace do: it counts as one
// thing.
func workspaceOf(e *journal.Entry) {
	if first, _, _ := strings.Cut(e.Command, " "); first != "files" && first != "report" {
		return
	}
	e.Reads["workspace"] = "unknown"
	if !slices.Contains(reading, e.Command) && e.ExitCode == 0 {
		e.Writes["workspace"] = "changed"
	}
}

// answerEnv are the variables that decide what is read and how it is shown. Those by
// which an agent says that it is there have the value 1: theirs may be of the person.
func answerEnv(a *app.App) map[string]string {
	env := places(a)
	delete(env, config.EnvHome)
	if url, err := a.ServerToUse(); err == nil && url != "" {
		env[config.EnvServer] = url // also that of a login, which may be another tomorrow
		delete(env, config.EnvInstance)
	} else if file, err := a.Places().Instance(a.InstancePath); err == nil {
		env[config.EnvInstance] = file
	}
	for _, name := range []string{config.EnvMaxTokens, config.EnvRoot} {
		if v := a.Getenv(name); v != "" {
			env[name] = v
		}
	}
	for _, agent := range config.Agents {
		if agent.Model && a.Getenv(agent.Variable) != "" {
			env[agent.Variable] = "1"
			break
		}
	}
	return env
}

// printed adds what the command printed and read from standard input.
func printed(a *app.App, e *journal.Entry) {
	var text []byte
	e.Output, e.Bytes, text = a.Printed()
	var said struct{ Caveats []api.Caveat }
	if json.Unmarshal(text, &said) == nil {
		for _, c := range said.Caveats {
			e.Caveats = append(e.Caveats, string(c.Kind))
		}
	}
	if sum, text := a.WasRead(); sum != "" {
		e.Stdin = &journal.Input{Hash: sum}
		if len(text) <= mostInput && utf8.Valid(text) {
			e.Stdin.Text = string(text)
		}
	}
}

// scannedBy is what the snapshots that a command has made were estimated to read at
// their source, in bytes.
func scannedBy(p journal.Places, e journal.Entry) (bytes int64) {
	for key, hash := range e.Writes {
		name, isSnapshot := strings.CutPrefix(key, "snapshot ")
		if m, err := p.Store.Get(name); isSnapshot && hash != "" && err == nil && m.EstimatedScanBytes != nil {
			bytes += *m.EstimatedScanBytes
		}
	}
	return bytes
}

// clean takes secrets out of what the user has typed.
func clean(a *app.App, e *journal.Entry) {
	cleaner := secrets.New(a.Getenv(config.EnvToken))
	hide := func(text string) string {
		out, n := cleaner.Clean(text)
		e.Cleaned = e.Cleaned || n > 0
		return out
	}
	for i := range e.Args {
		e.Args[i] = hide(e.Args[i])
	}
	for name := range e.Env {
		e.Env[name] = hide(e.Env[name])
	}
	if e.Stdin != nil {
		e.Stdin.Text = hide(e.Stdin.Text)
	}
}
