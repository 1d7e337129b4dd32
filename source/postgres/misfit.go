package postgres

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// rawTexts makes the engine send texts unchanged if the database's encoding is
// SQL_ASCII: otherwise it would refuse texts that are not UTF-8 without naming
// the column.
const rawTexts = "SET LOCAL client_encoding = SQL_ASCII"

var errNotUTF8 = errors.New("a text is not UTF-8")

// misfit is a value that does not fit the Arrow type of its column.
type misfit struct {
	column column
	err    error
}

func (m *misfit) Error() string { return fmt.Sprintf("column %s: %v", m.column.Name, m.err) }

var plainName = lazyregexp.New(`^[a-z_][a-z0-9_]*$`)

// refusal is its error for callers.
func (m *misfit) refusal() error {
	out := &api.Error{Code: api.CodeQueryFailed, Kind: api.KindValue, Message: m.Error(), Err: m.err,
		Hint: "Leave the column out of what is selected, or such rows with a condition.", Details: map[string]any{"column": m.column.Name}}
	if !errors.Is(m.err, errNotUTF8) {
		return out
	}
	name := api.Clip(m.column.Name, 80)
	if !plainName().MatchString(name) {
		name = quote(name)
	}
	out.Hint = "Leave the column out of what is selected, or such rows with a condition. " +
		"The database (SQL_ASCII) does not know how its texts are encoded; the operator, who does, can offer a view instead that converts them."
	if c := m.column.codec; c.arrow.ID() == arrow.STRING && c.cast == "" && c.note == "" && c.meta.Len() == 0 {
		out.Hint = fmt.Sprintf("Leave the column out of what is selected, or such rows with a condition, as %[1]s !~ '[^ -~]' does. "+
			"The database (SQL_ASCII) does not know how its texts are encoded; the operator, who does, can offer a view instead, with convert_from(convert(%[1]s::bytea, 'LATIN1', 'UTF8'), 'SQL_ASCII').", name)
	}
	return out
}

// checked returns raw, a text inside another value, if it is valid UTF-8.
func checked(raw []byte) ([]byte, error) {
	if !utf8.Valid(raw) {
		return nil, errNotUTF8
	}
	return raw, nil
}
