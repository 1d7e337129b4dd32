// Package dsn words errors in connection strings for operators of a source: it
// names what to correct and never quotes a value. Drivers parse connection strings;
// this package only parses addresses of HTTP.
package dsn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
)

const correct = "The operator must correct the dsn of the source."

// NoDatabase is the error for a database that the DSN names and that is not
// there.
func NoDatabase(name string, err error) *api.Error {
	return &api.Error{Code: api.CodeSource, Kind: api.KindNoDatabase, Err: err,
		Message: fmt.Sprintf("the database server has no database '%s'", api.Clip(name, 80)),
		Hint:    "The operator must correct the dsn of the source, or create the database."}
}

// BadParameter is the error for a DSN parameter that the engine rejects. name may
// be empty if the engine does not say which. err must not contain a value of a
// parameter; the engine's own message may. known are valid keys for suggestions.
func BadParameter(name string, known []string, err error) *api.Error {
	e := &api.Error{Code: api.CodeSource, Kind: api.KindBadDSN, Err: err, Message: "the database refuses a parameter of the source's dsn",
		Hint: correct}
	if name != "" {
		e.Message = fmt.Sprintf("the database refuses the parameter '%s' of the source's dsn", api.Clip(name, 80))
		about(e, name, known)
	}
	return e
}

// NoSetting returns an error for the first DSN parameter that starts with one of
// the words and so cannot be a session setting. It is checked before connecting,
// so that a typo in a TLS parameter does not send a password to a stranger.
// It returns nil if there is no such parameter.
func NoSetting(parameters map[string]string, words, known []string) error {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		for _, w := range words {
			if strings.HasPrefix(strings.ToLower(name), w) {
				e := &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("the dsn has the unknown parameter '%s'", api.Clip(name, 80)), Hint: correct}
				about(e, name, known)
				return e
			}
		}
	}
	return nil
}

// about adds to an error the parameter that it is about.
func about(e *api.Error, name string, known []string) {
	e.Details = map[string]any{"parameter": api.Clip(name, 80)}
	if near := suggest.Near(name, known); len(near) > 0 && !slices.Contains(near, name) {
		e.Hint += " Was " + strings.Join(near, " or ") + " meant?"
	}
}

// Quoted returns the name that occurs first in an engine's message in the given
// quotes, or "". It is for engines that identify what they reject in no other
// way.
func Quoted(sentence, quote string, names []string) string {
	sentence = strings.ToLower(sentence)
	found, first := "", len(sentence)
	for _, name := range names {
		if at := strings.Index(sentence, quote+strings.ToLower(name)+quote); at >= 0 && at < first {
			found, first = name, at
		}
	}
	return found
}
