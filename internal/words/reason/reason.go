// Package reason formats the causes of errors for operators: one printable line
// of limited length, without passwords that drivers may quote. It does not decide
// who is allowed to read it.
package reason

import (
	"regexp"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/printable"
)

// secrets match passwords in a URL, in keywords and values, and in the form
// user:password@tcp(host). Drivers omit passwords; this is a safeguard in case
// one does not.
var secrets = []func() *regexp.Regexp{
	lazyregexp.New(`(://[^\s:/@]*:)[^\s]+(@)`),
	lazyregexp.New(`(?i)((?:password|passwd|pwd|secret|token|key)\s*=\s*)(?:'[^']*'|"[^"]*"|\S+)()`),
	lazyregexp.New(`([^\s:/@` + "`" + `'"]:)[^\s]+(@(?:tcp|unix)\()`),
}

// Line returns an error text as one line of at most most runes, without lines that repeat
// an earlier one.
func Line(said string, most int) string {
	var line strings.Builder
	seen := map[string]bool{"": true}
	for part := range strings.Lines(said) {
		part = strings.TrimSpace(part)
		if seen[part] {
			continue
		}
		seen[part] = true
		switch {
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
		text = secret().ReplaceAllString(text, "${1}xxxxx${2}")
	}
	return printable.Line(api.Clip(text, most))
}
