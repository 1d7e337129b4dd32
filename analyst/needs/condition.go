package needs

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// withoutHints removes hints that only help the engine skip rows and do not
// change the result.
func withoutHints(text string) string {
	if at := strings.Index(text, "optional: "); at >= 0 {
		// If "optional: " was inside a string constant, what is left does not
		// parse, and the condition is dropped.
		text = strings.TrimSuffix(strings.TrimSpace(text[:at]), "AND")
	}
	return strings.TrimSpace(text)
}

// simpleName matches names that mean the same with and without quotes. The
// engine's plan never quotes names.
var simpleName = lazyregexp.New(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// word matches a word of a name. A hyphen within it is no minus: the engine's plan writes
// spaces around that.
const word = `[\pL_][\pL\pM\pN_]*(?:-[\pL\pM\pN_]+)*`

var (
	// ofWords matches names of one or more words in any script.
	ofWords = lazyregexp.New(`^` + word + `(?: ` + word + `)*$`)
	// constantOrWords matches a constant in quotes, or words with a space between them.
	constantOrWords = lazyregexp.New(`'(?:[^']|'')*'|` + word + `(?: ` + word + `)*`)
	// operator matches the words that the plan writes beside names.
	operator = lazyregexp.New(`\b(?:AND|OR|NOT|IS|NULL|IN|LIKE|BETWEEN|DISTINCT|FROM|AS|CASE|WHEN|THEN|ELSE|END)\b`)
)

// quoted puts quotes around the names that need them; unclear is a name for which that
// would be a guess. Words of the plan that stand beside each other are a name or an
// operator, so all words between two operators are one name.
func (c *collector) quoted(text string) (out, unclear string) {
	lower, odd := strings.ToLower(text), map[string]bool{}
	for _, col := range c.Columns {
		if simpleName().MatchString(col.Name) || !strings.Contains(lower, strings.ToLower(col.Name)) && !shown(lower, strings.ToLower(col.Name)) {
			continue
		}
		if !ofWords().MatchString(col.Name) || operator().MatchString(col.Name) {
			return "", col.Name
		}
		odd[col.Name] = true
	}
	if len(odd) == 0 {
		return text, ""
	}
	out = constantOrWords().ReplaceAllStringFunc(text, func(run string) string {
		if run[0] == '\'' {
			return run
		}
		var written, name []string
		end := func() {
			switch whole := strings.Join(name, " "); {
			case odd[whole]:
				written = append(written, duckdb.Quote(whole))
			case len(name) == 1 && !strings.Contains(whole, "-"): // a simple name, a function or a type
				written = append(written, whole)
			case len(name) > 0:
				unclear = whole
			}
			name = nil
		}
		for _, w := range strings.Split(run, " ") {
			if !operator().MatchString(w) {
				name = append(name, w)
				continue
			}
			end()
			written = append(written, w)
		}
		end()
		return strings.Join(written, " ")
	})
	return out, unclear
}

// shown reports whether a text of the plan may have a name in it. The plan cuts the spaces
// around names and breaks their lines, so one word of such a name is enough.
func shown(text, name string) bool {
	words := strings.Fields(name)
	if strings.Join(words, " ") == name {
		return mentions(text, name)
	}
	return len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// mentions reports whether a name occurs in a text other than within a longer
// word.
func mentions(text, name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, size := utf8.DecodeRuneInString(text[at+len(name):])
		if !(ofWord(before) && ofWord(first)) && !(ofWord(last) && ofWord(after)) {
			return true
		}
		from = at + max(size, 1)
	}
}

func ofWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// read parses a condition of the engine's plan; why says why the source cannot
// check it.
func (c *collector) read(text string) (e predicate.Expr, why string) {
	text, unclear := c.quoted(text)
	if unclear != "" {
		return nil, fmt.Sprintf("the name %q needs quotes", unclear)
	}
	e, err := predicate.Parse(predicate.DuckDB, asWritten(text), c.typed)
	if err != nil {
		return nil, "it is not a predicate on a row of the table"
	}
	if why := c.unfit(e); why != "" {
		return nil, why
	}
	return e, ""
}

// unfit says why the source cannot check a condition; empty if it can.
func (c *collector) unfit(e predicate.Expr) string {
	if predicate.UsesClock(e) {
		return "it asks the clock"
	}
	for _, name := range predicate.Columns(e) {
		if !c.travels(name) {
			return fmt.Sprintf("column %s may compare in another way at the source", name)
		}
	}
	for _, d := range []predicate.Dialect{c.Dialect, c.Engine} {
		if d == "" {
			continue
		}
		printed, err := print.SQL(d, e, predicate.Env{})
		if err == nil && d == c.Dialect {
			err = c.accepted(printed)
		}
		if err != nil {
			return "it cannot be written for the source"
		}
	}
	return ""
}

// accepted reports whether the source's gate accepts a predicate.
func (c *collector) accepted(text string) error {
	there, err := predicate.NewSchema(c.Dialect, c.Columns)
	if err == nil {
		_, err = predicate.Parse(c.Dialect, text, there)
	}
	return err
}

// travels reports whether a column compares here as it does at the source.
func (c *collector) travels(name string) bool {
	there, err := predicate.NewSchema(c.Dialect, c.Columns)
	if err != nil {
		return false
	}
	for _, f := range there.Columns() {
		if f.Name != name {
			continue
		}
		switch t := f.Type; t.Kind {
		case predicate.KindInt:
			return t.Bits < 128 // others come as decimals
		case predicate.KindBool, predicate.KindDate, predicate.KindDateTime, predicate.KindTimestamp:
			return true
		case predicate.KindString:
			return !t.Padded && !c.collated(name)
		case predicate.KindFloat:
			// The plan prints a 32-bit constant as a 64-bit one.
			return t.Bits != 32 && c.Engine == ""
		case predicate.KindDecimal:
			return t.Precision > 0
		}
	}
	return false
}

func (c *collector) collated(name string) bool {
	for _, col := range c.Columns {
		if col.Name == name {
			return col.Collation != ""
		}
	}
	return false
}

// asWritten replaces function names that only plans use by their SQL names.
func asWritten(text string) string {
	parts := strings.Split(text, "'") // every other part is a string constant
	for i := 0; i < len(parts); i += 2 {
		for plan, name := range map[string]string{"prefix(": "starts_with(", "suffix(": "ends_with("} {
			parts[i] = strings.ReplaceAll(parts[i], plan, name)
		}
	}
	return strings.Join(parts, "'")
}

// LocalType is the engine's type for the values of a column once they have been
// fetched.
func LocalType(t predicate.Type) string {
	switch t.Kind {
	case predicate.KindBool:
		return "BOOLEAN"
	case predicate.KindInt:
		return intType(t)
	case predicate.KindFloat:
		if t.Bits == 32 {
			return "FLOAT"
		}
		return "DOUBLE"
	case predicate.KindDecimal:
		if t.Precision > 0 && t.Precision <= 38 {
			return fmt.Sprintf("DECIMAL(%d, %d)", t.Precision, t.Scale)
		}
	case predicate.KindBytes:
		return "BLOB"
	case predicate.KindDate:
		return "DATE"
	case predicate.KindTime:
		return "TIME"
	case predicate.KindDateTime:
		if t.Nanoseconds() {
			return "TIMESTAMP_NS"
		}
		return "TIMESTAMP"
	case predicate.KindTimestamp:
		return "TIMESTAMPTZ"
	case predicate.KindUUID:
		return "UUID"
	case predicate.KindList:
		if t.Elem != nil {
			return LocalType(*t.Elem) + "[]"
		}
	case predicate.KindMap:
		return "MAP(" + LocalType(*t.Key) + ", " + LocalType(*t.Elem) + ")"
	case predicate.KindJSON:
		return "JSON"
	case predicate.KindStruct:
		var fields []string
		for _, f := range t.Fields {
			fields = append(fields, duckdb.Quote(f.Name)+" "+LocalType(f.Type))
		}
		if len(fields) > 0 {
			return "STRUCT(" + strings.Join(fields, ", ") + ")"
		}
	}
	return "VARCHAR"
}

func intType(t predicate.Type) string {
	name := map[int]string{8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}[t.Bits]
	switch {
	case t.Bits == 128:
		return "DECIMAL(38,0)"
	case name == "":
		return "BIGINT"
	case t.Unsigned:
		return "U" + name
	}
	return name
}
