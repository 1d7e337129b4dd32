// Package exit turns errors into what a user sees of them: text or JSON on
// standard error, and an exit code. It does not end the process.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/disk/descriptors"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/internal/words/textwidth"
)

// The exit codes, a contract with scripts and agents.
const (
	OK          = 0
	Unexpected  = 1
	Differs     = 1 // no error: see app.App.ExitCode
	Invalid     = 2
	Quota       = 3
	Disk        = 4
	Server      = 5
	Exists      = 6
	Auth        = 7
	Forbidden   = 8
	Unreachable = 9
	CheckFailed = 10
	Interrupted = 130
)

// Meanings is the table for generated help and docs.
var Meanings = []struct {
	Code    int
	Meaning string
	Next    string
}{
	{OK, "success", ""},
	{Unexpected, "unexpected error in da itself; or, without an error, what --exit-code compares differs",
		"report an error with its request id, if there is one"},
	{Invalid, "something in the call is wrong: flag, name, predicate, SQL, config, missing snapshot, or an input file is broken",
		"correct it as the hint says"},
	{Quota, "a quota or budget is used up, a file is too large, or a check would have to read a source",
		"ask for less, or wait as long as retry_after_seconds says"},
	{Disk, "no space, or the target cannot be written", "free some space: da snapshot list, da snapshot prune"},
	{Server, "the server or its source failed, the stream was cut, or --deadline has passed", "try again, if retryable is true"},
	{Exists, "the snapshot, file or export target exists, is being written right now, or was changed meanwhile",
		"--wait 5m, --force, another name, da snapshot refresh, or read the file again"},
	{Auth, "no valid token", "run da login URL, or set DA_TOKEN to a valid token"},
	{Forbidden, "no access to the table, or a path outside the root", "da catalog lists what you may read"},
	{Unreachable, "the server cannot be reached, or went silent", "check the address and the network, then try again"},
	{CheckFailed, "a check or an expectation does not hold: all ran, and the data is not as it should be", "see the rows in details.failed"},
	{Interrupted, "interrupted by the user, or asked to end (SIGTERM)", ""},
}

// Codes is the only mapping from error code to exit code.
var Codes = map[api.Code]int{
	api.CodeUsage:           Invalid,
	api.CodeBadRequest:      Invalid,
	api.CodeInvalidName:     Invalid,
	api.CodeRejected:        Invalid,
	api.CodeStatement:       Invalid,
	api.CodeQueryFailed:     Invalid,
	api.CodeUnknownTable:    Invalid,
	api.CodeUnknownColumn:   Invalid,
	api.CodeUnknownSnapshot: Invalid,
	api.CodeUnknownFile:     Invalid,
	api.CodeNotLocal:        Invalid,
	api.CodeConfig:          Invalid,
	api.CodeSchemaDrift:     Invalid,
	api.CodeTruncated:       Invalid,
	api.CodeRefusedCaveat:   Invalid,
	api.CodeReadFailed:      Invalid,
	api.CodeValidation:      Invalid,
	api.CodeQuota:           Quota,
	api.CodeBudget:          Quota,
	api.CodeTooLarge:        Quota,
	api.CodeDiskFull:        Disk,
	api.CodeNotWritable:     Disk,
	api.CodeWriteFailed:     Disk,
	api.CodeInternal:        Server,
	api.CodeSource:          Server,
	api.CodeTimeout:         Server,
	api.CodeUnavailable:     Server,
	api.CodeStreamCut:       Server,
	api.CodeSnapshotExists:  Exists,
	api.CodeSnapshotBusy:    Exists,
	api.CodeTargetExists:    Exists,
	api.CodeConflict:        Exists,
	api.CodeUnauthorized:    Auth,
	api.CodeForbidden:       Forbidden,
	api.CodeSandbox:         Forbidden,
	api.CodeUnreachable:     Unreachable,
	api.CodeStalled:         Unreachable,
	api.CodeCheckFailed:     CheckFailed,
	api.CodeInterrupted:     Interrupted,
	api.CodeUnexpected:      Unexpected,
}

// Kinds are the kinds of api.CodeSource that are caused by a lake's files: a
// retry helps only after the files have been repaired or the instance names
// others.
var Kinds = map[string]int{
	api.KindBadPath: Invalid, api.KindUnlikeFiles: Invalid, api.KindUnreadable: Invalid,
}

// Failure turns any error into one of the shared vocabulary. interrupted says
// that the user ended the command; it takes precedence, because an interrupted
// engine or connection can return any error.
func Failure(err error, interrupted bool) *api.Error {
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

// Code returns the process's exit code for e.
func Code(e *api.Error) int {
	if code, ok := Kinds[e.Kind]; ok && e.Code == api.CodeSource {
		return code
	}
	if code, ok := Codes[e.Code]; ok {
		return code
	}
	return Unexpected
}

// CodeOf returns an error code for the exit code of another process of da.
func CodeOf(exitCode int) api.Code {
	code, known := map[int]api.Code{
		Invalid: api.CodeUsage, Quota: api.CodeBudget, Disk: api.CodeWriteFailed, Server: api.CodeUnavailable, Exists: api.CodeSnapshotBusy,
		Auth:      api.CodeUnauthorized,
		Forbidden: api.CodeForbidden, Unreachable: api.CodeUnreachable, CheckFailed: api.CodeCheckFailed, Interrupted: api.CodeInterrupted,
	}[exitCode]
	if !known {
		return api.CodeUnexpected
	}
	return code
}

// JSON is the one line that a failure writes to stderr with --json.
type JSON struct {
	Code      api.Code       `json:"code"`
	Kind      string         `json:"kind"`
	Message   string         `json:"message"`
	Hint      string         `json:"hint"`
	Next      []NextJSON     `json:"next,omitempty"`
	Retryable bool           `json:"retryable"`
	ExitCode  int            `json:"exit_code"`
	RequestID string         `json:"request_id"`
	Details   map[string]any `json:"details"`
}

// NextJSON is a step with the command for it.
type NextJSON struct {
	api.Step
	Command string `json:"command,omitempty"` // empty for an option of the failed command
}

func nextCommands(next []api.Step) []NextJSON {
	var steps []NextJSON
	for _, s := range next {
		steps = append(steps, NextJSON{s, CommandOf(s)})
	}
	return steps
}

// AsJSON returns e in its JSON form. Its steps must have been worded.
func AsJSON(e *api.Error) JSON {
	details := e.Details
	if details == nil {
		details = map[string]any{}
	}
	return JSON{
		Code: e.Code, Kind: e.Kind, Message: e.Message, Hint: e.Hint, Next: nextCommands(e.Next), Retryable: e.Retryable(),
		ExitCode: Code(e), RequestID: e.RequestID, Details: details,
	}
}

// indent is what stands before further lines of an error.
const indent = "       "

// Write reports e on w, as JSON or as text for people. asked is the user's text
// that positions in the error refer to, if there is one. Text is folded to width;
// 0 means no limit.
func Write(w io.Writer, width int, e *api.Error, asked string, asJSON bool) {
	e = WithNext(e)
	if asJSON {
		text, err := output.EncodeJSON(map[string]JSON{"error": AsJSON(e)}, "")
		if err == nil {
			_, _ = w.Write(text) // if stderr fails, there is nowhere left to report to
			return
		}
		// Details that cannot be encoded are a bug of ours; still print the
		// message.
	}
	shown := printable.Line
	if e.Code == api.CodeConfig { // one line for each mistake in the file
		shown = printable.Text
	}
	text := "Error: " + shown(e.Message)
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	indented := func(s string) string { return "\n" + indent + strings.ReplaceAll(s, "\n", "\n"+indent) }
	text = textwidth.Fold(text, width, indent)
	if place := placeText(e, asked); place != "" {
		text += indented(place)
	}
	if e.Hint != "" {
		for line := range strings.SplitSeq(printable.Text(e.Hint), "\n") {
			if !strings.HasPrefix(line, " ") { // a command stays on one line, to be copied
				line = textwidth.Fold(line, max(width-len(indent), 0), "")
			}
			text += indented(line)
		}
	}
	if e.RequestID != "" {
		text += "\n       (request " + printable.Text(e.RequestID) + ")"
	}
	fmt.Fprintln(w, text)
}
