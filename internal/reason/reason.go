// Package reason words the causes of errors for those who operate what failed:
// one printable line of a bounded length, without the passwords that drivers may
// quote. It decides nothing about who may read it.
package reason

import (
	"regexp"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/lazyregexp"
	"github.com/agnes-data/da/internal/printable"
)

// secrets are the places in a text that hold a password, in a URL, in
// keywords and values, and in the form user:password@tcp(host). Drivers leave
// passwords out; this is for what they may quote nevertheless.
var secrets = []func() *regexp.Regexp{
	lazyregexp.New(`(://[^\s:/@]*:)[^\s]+(@)`),
	lazyregexp.New(`(?i)((?:password|passwd|pwd|secret|token|key)\s*=\s*)(?:'[^']*'|"[^"]*"|\S+)()`),
	lazyregexp.New(`([^\s:/@` + "`" + `'"]:)[^\s]+(@(?:tcp|unix)\()`),
}

// Line is what an error said, as one line of at most so many runes.
func Line(said string, most int) string {
	var line strings.Builder
	for part := range strings.Lines(said) {
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
		text = secret().ReplaceAllString(text, "${1}xxxxx${2}")
	}
	return printable.Line(api.Clip(text, most))
}
