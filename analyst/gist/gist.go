// Package gist picks what of a catalog a question needs: tables, columns, joins,
// metrics, values and traps, as text within a number of tokens. No model is asked, and
// the same catalog and question have the same answer.
package gist

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/printable"
)

// Gist is what of a catalog a question needs.
type Gist struct {
	Question string     `json:"question"`
	Text     string     `json:"text"`   // for a model; the other members have the same
	Tokens   int        `json:"tokens"` // of Text, about
	Tables   []Table    `json:"tables"` // the likeliest first; never null
	Joins    []api.Join `json:"joins"`
	Metrics  []Metric   `json:"metrics"`
	Traps    []string   `json:"traps"` // what makes figures wrong
	// Notes are what people wrote: of terms that the question names, and of these tables.
	Notes  []api.Note `json:"notes"`
	Values []Value    `json:"values"`
	Saved  []Saved    `json:"saved"` // questions like this one
	// Written is the end of Text, in which values and what people wrote are.
	Written string       `json:"-"`
	LeftOut LeftOut      `json:"left_out"`
	Caveats []api.Caveat `json:"caveats"`
}

// Table is a table with those columns that the question may need.
type Table struct {
	ID          string   `json:"id"`
	Description string   `json:"description,omitempty"`
	Columns     []Column `json:"columns"`
	// ColumnsTotal is how many columns the table has.
	ColumnsTotal int `json:"columns_total"`
}

// Column is a column that a question may need.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type,omitempty"` // of those that the question names
	Description string `json:"description,omitempty"`
}

// Metric is a figure that is defined by name.
type Metric struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// LeftOut says what there was no room for.
type LeftOut struct {
	Columns int      `json:"columns"` // of the tables that are there
	Tables  []string `json:"tables"`  // that the words of the question are in, too
	// MoreTables is the number of those that are not in Tables.
	MoreTables int `json:"more_tables"`
	Joins      int `json:"joins"`
	Metrics    int `json:"metrics"`
	Traps      int `json:"traps"`
	Notes      int `json:"notes"`
	Values     int `json:"values"`
	Saved      int `json:"saved"`
}

// line is what begins the line of a table.
func line(id, description string) string {
	if description == "" {
		return printable.Line(id)
	}
	return printable.Line(id) + " -- " + printable.Line(api.Clip(description, 120)) + " "
}

// String writes a column in the text.
func (c Column) String() string {
	text := printable.Line(c.Name)
	if !plainName().MatchString(text) {
		text = duckdb.Quote(text)
	}
	if c.Type != "" {
		text += " " + printable.Line(c.Type)
	}
	if c.Description != "" {
		text += " '" + printable.Line(c.Description) + "'"
	}
	return text
}

// plainName matches names that no engine wants in quotes for their letters.
var plainName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// String writes a metric as a line of the text.
func (m Metric) String() string {
	return "metric " + strings.TrimSuffix(printable.Line(m.Name)+": "+printable.Line(m.Description), ": ")
}

func joinLine(j api.Join) string {
	var pairs []string
	for _, p := range j.Pairs() {
		pairs = append(pairs, j.Table+"."+printable.Line(p.Column)+" = "+j.To+"."+printable.Line(p.ToColumn))
	}
	text := "join " + strings.Join(pairs, " AND ")
	if j.Multiplicity == "" {
		return text + " (a guess by " + j.KnownFrom + ")"
	}
	return text + " " + j.Multiplicity + " (" + j.KnownFrom + ")"
}

// String writes what was left out as a line of the text; empty: nothing was.
func (o LeftOut) String() string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{o.Columns, "columns of these tables"}, {o.Joins, "joins"}, {o.Metrics, "metrics"}, {o.Traps, "traps"},
		{o.Notes, "notes"}, {o.Values, "values"}, {o.Saved, "saved questions"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	if len(o.Tables) > 0 {
		text := "tables " + strings.Join(o.Tables, ", ")
		if o.MoreTables > 0 {
			text += fmt.Sprintf(" and %d more", o.MoreTables)
		}
		parts = append(parts, text)
	}
	if parts == nil {
		return ""
	}
	return "left out: " + strings.Join(parts, "; ")
}

// Value is a column with those of its values that the question names.
type Value struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	Values string `json:"values"`
}

// Saved is a question like this one that people keep, with its statement.
type Saved struct {
	Name     string `json:"name"`
	Question string `json:"question"`
	SQL      string `json:"sql"`
	Approved bool   `json:"approved"` // and not changed since
}

func (v Value) String() string {
	return "value " + v.Table + "." + printable.Line(v.Column) + ": " + printable.Line(v.Values)
}

func noteLine(n api.Note) string {
	kind := "note "
	if n.Term != "" {
		kind = "term "
	}
	n.Text = api.Clip(n.Text, maxNote)
	return kind + printable.Line(n.String())
}

func (s Saved) String() string {
	standing := "not approved"
	if s.Approved {
		standing = "approved"
	}
	sql := printable.Line(strings.Join(strings.Fields(s.SQL), " "))
	return fmt.Sprintf("saved %s (%s): %s = %s", s.Name, standing, printable.Line(s.Question), sql)
}

// Of what people wrote, how many characters of a note are shown, and at most how many
// questions.
const (
	maxNote  = 300
	maxSaved = 3
)
