// Package dsn words what is wrong with a connection string, for those who operate
// the source: by the name of what is to be corrected, never by a value. It parses
// none; drivers do.
package dsn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/suggest"
)

const correct = "The operator must correct the dsn of the source."

// NoDatabase is the error for a database that the DSN names and that is not
// there.
func NoDatabase(name string, err error) *api.Error {
	return &api.Error{Code: api.CodeSource, Kind: api.SourceNoDatabase, Err: err,
		Message: fmt.Sprintf("the database server has no database '%s'", api.Clip(name, 80)),
		Hint:    "The operator must correct the dsn of the source, or create the database."}
}

// BadParameter is the error for a parameter of the DSN that the engine refuses;
// name may be empty, where the engine does not say which. err must hold no value
// of one, as the engine's own sentence does. known are the keys that the name
// may be a slip of.
func BadParameter(name string, known []string, err error) *api.Error {
	e := &api.Error{Code: api.CodeSource, Kind: api.SourceBadDSN, Err: err, Message: "the database refuses a parameter of the source's dsn", Hint: correct}
	if name != "" {
		e.Message = fmt.Sprintf("the database refuses the parameter '%s' of the source's dsn", api.Clip(name, 80))
		about(e, name, known)
	}
	return e
}

// NoSetting finds the first parameter of a DSN that begins with one of the words,
// and so can't be a setting of a session. Asked before anybody connects, it
// keeps a slip in the name of what says how TLS is used from sending a password
// to whoever answers. It is nil if there is none.
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

// Quoted is the one of the names that comes first in an engine's sentence, in
// quotes of the kind that is given; empty if none does. It is for engines that
// tell in no other way what they refuse.
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
