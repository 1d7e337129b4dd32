package bigquery

import (
	"strings"

	"github.com/agnes-data/da/source"
)

// maxLabel is the longest value of a label.
const maxLabel = 63

// labels show in the project's billing on whose behalf a job ran.
func labels(a source.Account) map[string]string {
	out := map[string]string{"program": "da"}
	for key, value := range map[string]string{"user": a.User, "agent": a.Agent, "session": a.Session, "request_id": a.RequestID} {
		if value != "" {
			out[key] = labelValue(value)
		}
	}
	return out
}

// labelValue turns a text into a valid label value: lower-case letters, digits,
// dashes and underscores. Different texts can become the same label; the audit
// keeps the originals.
func labelValue(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		case 'A' <= r && r <= 'Z':
			return r + ('a' - 'A')
		}
		return '_'
	}, s)
	return s[:min(len(s), maxLabel)]
}
