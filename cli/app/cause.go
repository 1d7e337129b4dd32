package app

import (
	"maps"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/reason"
)

// MaxCause limits how much of a cause is shown, in runes.
const MaxCause = 500

// Explained adds the cause to an error of a source in this process. The caller is
// then the operator, and there is no log to look into. A source that has no space
// is this machine's disk.
func (a *App) Explained(e *api.Error) *api.Error {
	a.connecting.Lock()
	embedded := a.core != nil
	a.connecting.Unlock()
	if !embedded || e.Code != api.CodeSource || e.Err == nil || e.Details["cause"] != nil {
		return e
	}
	if e.Kind == api.KindDiskFull {
		return &api.Error{Code: api.CodeDiskFull, Message: "no space left for temporary files",
			Hint: "Free some space where DA_HOME is.", Next: []api.Step{api.Do(api.ActionDiskUsage, "see what da itself takes")}, Err: e.Err}
	}
	out := *e
	out.Details = map[string]any{}
	maps.Copy(out.Details, e.Details)
	cause := reason.Line(e.Err.Error(), MaxCause)
	out.Details["cause"] = cause
	said := "The cause: " + strings.TrimRight(cause, ".") + "."
	switch {
	case strings.Contains(e.Hint, api.InServerLog):
		out.Hint = strings.Replace(e.Hint, api.InServerLog, said, 1)
	case e.Kind == api.KindBadCredentials, e.Hint == "" && !strings.Contains(e.Message, ": "):
		out.Hint = strings.TrimSpace(said + " " + e.Hint)
	}
	switch own := e.Hint != "" && e.Hint != api.InServerLog; {
	case own:
	case e.Kind == api.KindUnreachable:
		out.Hint += " See whether it runs, and whether its address in the instance file is right."
	case e.Kind == api.KindConnectionLost:
		out.Hint += " Try again, or have --retry 3 do so."
	}
	return &out
}
