package api

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/mozillazg/go-unidecode"
)

// NamePattern is the pattern of table ids and snapshot names. Names become file
// names and SQL identifiers, so no other name is ever used.
const NamePattern = `^[a-z0-9_]{1,64}$`

// MaxName is the length of the longest name.
const MaxName = 64

var nameRE = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(NamePattern) })

// CheckName returns a CodeInvalidName error unless name matches NamePattern. what
// is the noun for the message, such as "table id" or "snapshot name".
func CheckName(what, name string) error {
	if nameRE().MatchString(name) {
		return nil
	}
	e := &Error{
		Code:    CodeInvalidName,
		Message: fmt.Sprintf("%s %q is not valid", what, Clip(name, 80)),
		Hint:    "Names are 1 to 64 lower-case ASCII letters, digits and underscores.",
		Details: map[string]any{"pattern": NamePattern},
	}
	if near := NameFrom(name); near != "" {
		e.Hint = "Did you mean '" + near + "'? " + e.Hint
		e.Details["suggestions"] = []string{near}
	}
	return e
}

// versionRE matches the version behind the @ of a table id. No engine takes it for the
// name of a file, since a digit follows each dot.
var versionRE = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_:+-]|\.[0-9]){0,99}$`) })

// AsOf divides an id as requests have it into the table and the version behind an @:
// the number of a snapshot, a tag, a branch or a time. The version is empty for the
// table as it is now.
func AsOf(tableID string) (table, version string) {
	table, version, _ = strings.Cut(tableID, "@")
	return table, version
}

// CheckTable returns a CodeInvalidName error unless the id is that of a table, which
// may be meant as of a version.
func CheckTable(tableID string) error {
	table, version, versioned := strings.Cut(tableID, "@")
	if err := CheckName("table id", table); err != nil || !versioned || versionRE().MatchString(version) {
		return err
	}
	return &Error{Code: CodeInvalidName, Message: fmt.Sprintf("%q is not a version of a table", Clip(version, 80)),
		Hint: "A version is the number of a snapshot, a tag, a branch, or a time with its zone, as in 2026-01-31T18:00:00Z. A tag or branch of other characters than letters, digits, _, - and : is offered by the operator as a table of its own."}
}

// NameFrom makes a name from a text: its letters and digits in Latin script, and
// underscores for everything else. It is empty if there are none.
func NameFrom(text string) string {
	name := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, strings.ToLower(unidecode.Unidecode(text)))
	name = strings.Trim(name, "_")
	return name[:min(len(name), MaxName)]
}

// Clip shortens s to at most n runes, marking the cut, for use in messages.
func Clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}
