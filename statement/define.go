package statement

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// Definition is a statement that names a step for later statements: CREATE [OR
// REPLACE] TEMP VIEW|TABLE name AS query.
type Definition struct {
	Name    string // in lower case
	Table   bool   // its rows are computed once; otherwise each time it is read
	Replace bool
	// Query is the query that gets the name, still unchecked. Lead is the text
	// before it.
	Query, Lead string
}

// Defines parses a statement that starts with CREATE [OR REPLACE] TEMP; ok is
// false for all other statements. If the rest is not understood, it returns an
// error with a position.
func Defines(text string) (d Definition, ok bool, err error) {
	r := reader{text: text}
	if r.word() != "CREATE" {
		return d, false, nil
	}
	word := r.word()
	if word == "OR" && r.word() == "REPLACE" {
		d.Replace = true
		word = r.word()
	}
	if word != "TEMP" && word != "TEMPORARY" {
		return d, false, nil
	}
	switch r.word() {
	case "VIEW":
	case "TABLE":
		d.Table = true
	default:
		return d, true, r.refuse("VIEW or TABLE is expected here")
	}
	written := r.next()
	if d.Name = lower(strings.Trim(written, `"`)); api.CheckName("table", d.Name) != nil {
		return d, true, r.refuse(fmt.Sprintf("%q cannot be the name of a step", api.Clip(d.Name, 80)))
	}
	if r.word() != "AS" {
		return d, true, r.refuse("AS is expected here")
	}
	if r.next() == "" {
		return d, true, r.refuse("a SELECT is expected here")
	}
	d.Lead, d.Query = text[:r.at], text[r.at:]
	return d, true, nil
}

// reader reads a text word by word.
type reader struct {
	text string
	at   int // start of the last word
	end  int // end of the last word
}

// next returns the next word, sign or quoted text; "" at the end.
func (r *reader) next() string {
	for r.at = r.end; r.at < len(r.text); {
		n, opaque := skip(r.text[r.at:])
		switch {
		case n < 0:
			n = len(r.text) - r.at
		case n == 0:
			n = len(lexeme().FindString(r.text[r.at:]))
		case !opaque:
			r.at += n
			continue
		}
		r.end = r.at + n
		return r.text[r.at:r.end]
	}
	r.end = r.at
	return ""
}

func (r *reader) word() string { return strings.ToUpper(r.next()) }

func (r *reader) refuse(message string) error {
	return RefuseAt(r.text, r.at, api.KindBadDefinition, message,
		"Write CREATE TEMP VIEW name AS SELECT …, or CREATE TEMP TABLE to compute the rows once; a name is lower-case ASCII letters, digits and underscores.")
}

// Steps are the named queries that the statements of one call can read. The zero
// value has no steps.
type Steps struct {
	steps []step
}

type step struct {
	name   string
	query  *Select
	stored bool // it is a table
}

// Has reports whether a step has the name.
func (s *Steps) Has(name string) bool { return s.find(name) >= 0 }

// IsTable reports whether the name is that of a step with stored rows.
func (s *Steps) IsTable(name string) bool {
	at := s.find(name)
	return at >= 0 && s.steps[at].stored
}

func (s *Steps) find(name string) int {
	return slices.IndexFunc(s.steps, func(st step) bool { return st.name == name })
}

// Add adds the step of a definition. An existing step can be replaced as long as
// no other step reads it. A caller that stores rows must call Allow first.
func (s *Steps) Add(d Definition, query *Select) {
	s.steps = append(slices.DeleteFunc(s.steps, func(st step) bool { return st.name == d.Name }), step{d.Name, query, d.Table})
}

// Allow refuses a definition whose name is in use.
func (s *Steps) Allow(d Definition) error {
	if !s.Has(d.Name) {
		return nil
	}
	if !d.Replace {
		return Refuse(api.KindBadDefinition, fmt.Sprintf("a step named '%s' exists already", d.Name),
			"Choose another name, or write CREATE OR REPLACE TEMP.")
	}
	for _, v := range s.steps {
		if !v.stored && slices.Contains(v.query.Tables, d.Name) {
			return Refuse(api.KindBadDefinition, fmt.Sprintf("step '%s' is read by step '%s' and cannot be replaced", d.Name, v.name),
				"Choose another name.")
		}
	}
	return nil
}
