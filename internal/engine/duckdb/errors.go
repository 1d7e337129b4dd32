package duckdb

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Error is an error of the engine. Decide by Type, never by Message.
type Error struct {
	// Type is the engine's class: "Parser", "Binder", "Catalog", "IO", "Out of
	// Memory", "INTERRUPT", "Conversion", "Permission", …; empty if the engine
	// gave none.
	Type string
	// Subtype says more within some classes, as "COLUMN_NOT_FOUND".
	Subtype string
	// Message is for people; it can quote the statement and cell values.
	Message string
	// Position is the byte offset in the statement, -1 if unknown.
	Position int
	// Name is what was not found, Candidates are similar names; often empty. The
	// engine joins candidates by commas, so one with a comma is split.
	Name       string
	Candidates []string

	Call, Forms string // what Casts looks at
}

func (e *Error) Error() string {
	if e.Type == "" {
		return e.Message
	}
	return e.Type + ": " + e.Message
}

// IsOfRows reports whether the contents of a file may have caused err.
func IsOfRows(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return errors.Is(err, errNUL)
	}
	switch e.Type {
	case "Invalid Input", "Not implemented", "Conversion", "Binder", "Parser":
		return true
	}
	return false
}

// IsOutOfMemory reports whether err says that the engine had no memory left.
func IsOutOfMemory(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Type == "Out of Memory"
}

// OneLine joins the lines of a message for places that cannot show line breaks:
// with a space after a sentence, otherwise with a semicolon.
func OneLine(message string) string {
	var b strings.Builder
	for line := range strings.Lines(message) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		switch said := b.String(); {
		case said == "":
		case strings.ContainsRune(".:;!?,", rune(said[len(said)-1])):
			b.WriteByte(' ')
		default:
			b.WriteString("; ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// engineError parses an error text of the engine, and removes advice that cannot
// be followed here. The text has three forms: JSON; "Class Error: " and a
// message, when opening an instance or if the message itself looks like JSON; and
// JSON after that prefix, from the parser.
func engineError(text string) *Error {
	e := parseError(text)
	if e.Type == "INTERNAL" && (strings.HasPrefix(e.Message, "Memory allocation failure") ||
		strings.HasPrefix(e.Message, "Requested allocation size")) {
		e.Type = "Out of Memory" // some functions of the engine allocate by themselves
	}
	e.Message = e.unadvised()
	return e
}

// Within moves the place of an error from the statement that ran to the text that
// was given, which is a part of that statement.
func Within(ran, given string, err error) error {
	var said *Error
	at := strings.Index(ran, given)
	if at < 1 || !errors.As(err, &said) {
		return err
	}
	moved := *said
	if moved.Position -= at; moved.Position < 0 || moved.Position > len(given) {
		moved.Position = -1 // in what was added
	}
	return &moved
}

func parseError(text string) *Error {
	class, message := "", text
	if before, after, ok := strings.Cut(text, " Error: "); ok && !strings.ContainsAny(before, "{\n") {
		class, message = before, after
	}
	if class == "" || class == "Parser" {
		if e, ok := jsonError(message); ok {
			return e
		}
	}
	return &Error{Type: class, Message: message, Position: -1}
}

// withoutColumn matches what the engine says of a column named with its table.
var withoutColumn = lazyregexp.New(`does not have a column named "([^"]+)"`)

func jsonError(text string) (*Error, bool) {
	var said struct {
		Type       string `json:"exception_type"`
		Message    string `json:"exception_message"`
		Subtype    string `json:"error_subtype"`
		Position   string `json:"position"`
		Name       string `json:"name"`
		Candidates string `json:"candidates"`
		Call       string `json:"call"`
	}
	err := json.Unmarshal([]byte(text), &said)
	e := &Error{Type: said.Type, Subtype: said.Subtype, Message: said.Message, Name: said.Name, Position: -1}
	if m := withoutColumn().FindStringSubmatch(said.Message); m != nil && e.Name == "" { // the engine names it in words alone
		e.Name, e.Subtype = m[1], "COLUMN_NOT_FOUND"
	}
	if n, err := strconv.Atoi(said.Position); err == nil {
		e.Position = n
	}
	switch {
	case said.Subtype == misfit:
		e.Message, e.Call, e.Forms = cut(said.Message), said.Call, said.Candidates
	case said.Candidates != "":
		e.Candidates = strings.Split(said.Candidates, ",")
	}
	return e, err == nil && e.Type != ""
}
