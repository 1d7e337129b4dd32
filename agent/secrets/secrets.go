// Package secrets takes secrets out of texts that go to a model: those that it is
// told, and what looks like a key, a token or a password in a URL. It is the last
// of several defences: secrets do not belong into data, and it cannot find one
// that looks like any other text.
package secrets

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/lazyregexp"
)

// Removed stands for what was taken out.
const Removed = "[secret removed]"

// patterns are what keys and tokens look like.
var patterns = lazyregexp.New(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)` +
	`|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b` +
	`|\bAIza[0-9A-Za-z_-]{35}\b` +
	`|\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{22,})` +
	`|\bxox[abprs]-[0-9A-Za-z-]{10,}` +
	`|\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]*` +
	`|\bsk-[0-9A-Za-z_-]{20,}` +
	`|\bda_[0-9A-Za-z]{20,}` +
	`|\b[a-z][a-z0-9+]*://[A-Za-z0-9_.-]+:[^@\s/"'{}$<>]{3,}@`)

// shortest is the length of the shortest known secret that is looked for: shorter
// ones occur in other texts.
const shortest = 8

// Cleaner takes secrets out of texts. It may be used concurrently.
type Cleaner struct{ known []string }

// New returns a cleaner that knows these secrets, empty ones aside.
func New(known ...string) *Cleaner {
	c := &Cleaner{}
	for _, k := range known {
		if k = strings.TrimSpace(k); len(k) >= shortest {
			c.known = append(c.known, k)
		}
	}
	// A secret that holds another one goes first.
	slices.SortFunc(c.known, func(a, b string) int { return len(b) - len(a) })
	return c
}

// Clean returns text without secrets, and how many there were.
func (c *Cleaner) Clean(text string) (string, int) {
	count := 0
	for _, k := range c.known {
		if n := strings.Count(text, k); n > 0 {
			count += n
			text = strings.ReplaceAll(text, k, Removed)
		}
	}
	text = patterns().ReplaceAllStringFunc(text, func(string) string { count++; return Removed })
	return text, count
}
