package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/descriptors"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/internal/printable"
)

// The exit codes, a contract with scripts and agents.
const (
	exitOK          = 0
	exitUnexpected  = 1
	exitInvalid     = 2
	exitQuota       = 3
	exitDisk        = 4
	exitServer      = 5
	exitExists      = 6
	exitAuth        = 7
	exitForbidden   = 8
	exitUnreachable = 9
	exitInterrupted = 130
)

// exitMeanings is the table that help and docs are generated from.
var exitMeanings = []struct {
	code    int
	meaning string
	next    string
}{
	{exitOK, "success", ""},
	{exitUnexpected, "unexpected error in da itself", "report it with the request id, if there is one"},
	{exitInvalid, "something in the call is wrong: flag, name, predicate, SQL, config, missing snapshot, or an input file is broken", "correct it as the hint says"},
	{exitQuota, "a quota or budget is used up", "ask for less, or wait as long as retry_after_seconds says"},
	{exitDisk, "no space, or the target cannot be written", "free some space: da snapshot list, da snapshot prune"},
	{exitServer, "the server or its source failed, or the stream was cut", "try again, if retryable is true"},
	{exitExists, "the snapshot or export target exists, or is being written right now", "--force, another name, or da snapshot refresh"},
	{exitAuth, "no valid token", "run da login URL, or set DA_TOKEN to a valid token"},
	{exitForbidden, "no access to the table, or a path outside the root", "da catalog lists what you may read"},
	{exitUnreachable, "the server cannot be reached, or went silent", "check the address and the network, then try again"},
	{exitInterrupted, "interrupted by the user", ""},
}

// exitCodes is the one table from error code to exit code.
var exitCodes = map[api.Code]int{
	api.CodeUsage:           exitInvalid,
	api.CodeBadRequest:      exitInvalid,
	api.CodeInvalidName:     exitInvalid,
	api.CodeRejected:        exitInvalid,
	api.CodeStatement:       exitInvalid,
	api.CodeQueryFailed:     exitInvalid,
	api.CodeUnknownTable:    exitInvalid,
	api.CodeUnknownColumn:   exitInvalid,
	api.CodeUnknownSnapshot: exitInvalid,
	api.CodeNotLocal:        exitInvalid,
	api.CodeConfig:          exitInvalid,
	api.CodeSchemaDrift:     exitInvalid,
	api.CodeTruncated:       exitInvalid,
	api.CodeReadFailed:      exitInvalid,
	api.CodeValidation:      exitInvalid,
	api.CodeQuota:           exitQuota,
	api.CodeBudget:          exitQuota,
	api.CodeDiskFull:        exitDisk,
	api.CodeNotWritable:     exitDisk,
	api.CodeWriteFailed:     exitDisk,
	api.CodeInternal:        exitServer,
	api.CodeSource:          exitServer,
	api.CodeTimeout:         exitServer,
	api.CodeUnavailable:     exitServer,
	api.CodeStreamCut:       exitServer,
	api.CodeSnapshotExists:  exitExists,
	api.CodeSnapshotBusy:    exitExists,
	api.CodeTargetExists:    exitExists,
	api.CodeUnauthorized:    exitAuth,
	api.CodeForbidden:       exitForbidden,
	api.CodeSandbox:         exitForbidden,
	api.CodeUnreachable:     exitUnreachable,
	api.CodeStalled:         exitUnreachable,
	api.CodeInterrupted:     exitInterrupted,
	api.CodeUnexpected:      exitUnexpected,
}

// exitKinds are the kinds of api.CodeSource that blame the files of a lake: they
// have to be mended, or named otherwise, before another try helps.
var exitKinds = map[string]int{
	"bad_path": exitInvalid, "unlike_files": exitInvalid, "unreadable": exitInvalid,
}

// failure turns any error into one of the shared vocabulary. interrupted says
// that the user ended the command; it beats what the error says, since an
// interrupted engine or connection reports all sorts of things.
func failure(err error, interrupted bool) *api.Error {
	if interrupted {
		return &api.Error{Code: api.CodeInterrupted, Message: "interrupted", Err: err}
	}
	if e := descriptors.Here(err); e != nil {
		return e
	}
	var known *api.Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, context.Canceled) {
		return &api.Error{Code: api.CodeInterrupted, Message: "interrupted", Err: err}
	}
	if duckdb.IsOutOfMemory(err) {
		return api.OutOfMemory(err)
	}
	return &api.Error{Code: api.CodeUnexpected, Message: err.Error(), Err: err}
}

// exitCode returns the process's exit code for e.
func exitCode(e *api.Error) int {
	if code, ok := exitKinds[e.Kind]; ok && e.Code == api.CodeSource {
		return code
	}
	if code, ok := exitCodes[e.Code]; ok {
		return code
	}
	return exitUnexpected
}

// errorJSON is the one line that a failure writes to stderr with --json.
type errorJSON struct {
	Code      api.Code       `json:"code"`
	Kind      string         `json:"kind"`
	Message   string         `json:"message"`
	Hint      string         `json:"hint"`
	Next      []nextJSON     `json:"next,omitempty"`
	Retryable bool           `json:"retryable"`
	ExitCode  int            `json:"exit_code"`
	RequestID string         `json:"request_id"`
	Details   map[string]any `json:"details"`
}

// nextJSON is a step, and the command that does it.
type nextJSON struct {
	api.Step
	Command string `json:"command,omitempty"` // none for an option of the failed command
}

func nextCommands(next []api.Step) []nextJSON {
	var steps []nextJSON
	for _, s := range next {
		steps = append(steps, nextJSON{s, commandOf(s)})
	}
	return steps
}

// writeError reports e on w, as JSON or as text for people. asked is the text of
// the user's in which the places of errors are, if the command takes one.
func writeError(w io.Writer, e *api.Error, asked string, asJSON bool) {
	e = withNext(e)
	if asJSON {
		details := e.Details
		if details == nil {
			details = map[string]any{}
		}
		text, err := output.EncodeJSON(map[string]errorJSON{"error": {
			Code: e.Code, Kind: e.Kind, Message: e.Message, Hint: e.Hint, Next: nextCommands(e.Next), Retryable: e.Retryable(),
			ExitCode: exitCode(e), RequestID: e.RequestID, Details: details,
		}}, "")
		if err == nil {
			_, _ = w.Write(text) // where nobody reads what is wrong, nothing else can be said
			return
		}
		// Details that are no JSON are a fault of ours; the message still counts.
	}
	shown := printable.Line
	if e.Code == api.CodeConfig { // one line for each fault of a file
		shown = printable.Text
	}
	text := "Error: " + shown(e.Message)
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	indented := func(s string) string { return "\n       " + strings.ReplaceAll(s, "\n", "\n       ") }
	if place := placeText(e, asked); place != "" {
		text += indented(place)
	}
	if e.Hint != "" {
		text += indented(printable.Text(e.Hint))
	}
	if e.RequestID != "" {
		text += "\n       (request " + printable.Text(e.RequestID) + ")"
	}
	fmt.Fprintln(w, text)
}
