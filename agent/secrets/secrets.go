// Package secrets removes secrets from texts that are sent to a model: the known
// ones, and anything that looks like a key, a token or a password in a URL. It is
// the last of several safeguards: secrets do not belong in data, and it cannot
// find a secret that looks like ordinary text.
package secrets

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Removed replaces a secret.
const Removed = "[secret removed]"

// patterns matches keys and tokens.
var patterns = lazyregexp.New(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)` +
	`|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b` +
	`|\bAIza[0-9A-Za-z_-]{35}\b` +
	`|\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{22,})` +
	`|\bxox[abprs]-[0-9A-Za-z-]{10,}` +
	`|\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]*` +
	`|\bsk-[0-9A-Za-z_-]{20,}` +
	`|\bda_[0-9A-Za-z]{20,}` +
	`|\b[a-z][a-z0-9+]*://[A-Za-z0-9_.-]+:[^@\s/"'{}$<>]{3,}@`)

// shortest is the minimum length of a known secret: shorter ones also occur in
// ordinary text.
const shortest = 8

// Cleaner removes secrets from texts. It can be used concurrently.
type Cleaner struct{ known []string }

// New returns a cleaner for the given secrets; empty ones are ignored.
func New(known ...string) *Cleaner {
	c := &Cleaner{}
	for _, k := range known {
		if k = strings.TrimSpace(k); len(k) >= shortest {
			c.known = append(c.known, k)
		}
	}
	// Replace longer secrets first: they may contain shorter ones.
	slices.SortFunc(c.known, func(a, b string) int { return len(b) - len(a) })
	return c
}

// Clean returns the text without secrets, and the number of secrets removed.
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
