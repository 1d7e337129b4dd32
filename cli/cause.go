package cli

import (
	"maps"
	"regexp"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/printable"
)

// maxCause bounds what is told of a cause, in runes.
const maxCause = 500

// secrets are the places of a text at which a password stands, in a URL, in
// keywords and values, and in the form user:password@tcp(host). Drivers leave
// passwords out; this is for what they may quote nevertheless.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`(://[^\s:/@]*:)[^\s]+(@)`),
	regexp.MustCompile(`(?i)((?:password|passwd|pwd|secret|token|key)\s*=\s*)(?:'[^']*'|"[^"]*"|[^\s&,;]+)()`),
	regexp.MustCompile(`([^\s:/@` + "`" + `'"]:)[^\s]+(@(?:tcp|unix)\()`),
}

// causeText is an error as one printable line without passwords.
func causeText(err error) string {
	var line strings.Builder
	for part := range strings.Lines(err.Error()) {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
			continue
		case line.Len() == 0:
		case strings.HasSuffix(line.String(), ":"):
			line.WriteString(" ")
		default:
			line.WriteString("; ")
		}
		line.WriteString(part)
	}
	text := line.String()
	for _, secret := range secrets {
		text = secret.ReplaceAllString(text, "${1}xxxxx${2}")
	}
	return printable.Line(api.Clip(text, maxCause))
}

// explained adds to an error of a source its cause, if the source is one of this
// process: then whoever asks is its operator, and there is no log to look into.
func (a *app) explained(e *api.Error) *api.Error {
	a.connecting.Lock()
	embedded := a.core != nil
	a.connecting.Unlock()
	if !embedded || e.Code != api.CodeSource || e.Err == nil {
		return e
	}
	out := *e
	out.Details = map[string]any{}
	maps.Copy(out.Details, e.Details)
	cause := causeText(e.Err)
	out.Details["cause"] = cause
	said := "The cause: " + strings.TrimRight(cause, ".") + "."
	switch {
	case strings.Contains(e.Hint, api.InServerLog):
		out.Hint = strings.Replace(e.Hint, api.InServerLog, said, 1)
	case e.Kind == "bad_credentials", e.Hint == "" && !strings.Contains(e.Message, ": "):
		out.Hint = strings.TrimSpace(said + " " + e.Hint)
	}
	return &out
}
