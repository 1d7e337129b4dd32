package params

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

// Filled is a text with its parameters filled in.
type Filled struct {
	Text string
	// Used are the parameters that occur in the text.
	Used map[string]bool

	written string
	spans   []span
}

// span is a parameter as written, and the value in its place: in bytes.
type span struct{ from, to, at, end int }

// Mentions reports whether a text may have parameters, so that its dialect
// matters.
func Mentions(text string) bool { return strings.Contains(text, "$") }

// Fill fills in the parameters of a text. flavor is its dialect, one of the
// values of sql_flavor. A parameter without a value is an error with a position.
// $1 and ? remain, and the gate rejects them.
func Fill(text, flavor string, values Values) (*Filled, error) {
	f := &Filled{Text: text, written: text, Used: map[string]bool{}}
	if !Mentions(text) {
		return f, nil
	}
	d, ok := dialectOf(flavor)
	if !ok {
		return nil, bad("parameters cannot be written for '"+api.Clip(flavor, 40)+"'", "Write the values in their places.")
	}
	var b strings.Builder
	done := 0
	for at := 0; at < len(text); {
		n := d.opaque(text[at:])
		if n < 0 {
			break // the gate reports what is unterminated
		}
		name := ""
		if n == 0 && text[at] == '$' {
			name = text[at+1 : at+1+wordLen(text[at+1:])]
		}
		switch {
		case name != "" && (name[0] < '0' || name[0] > '9'):
			value, has := values[name]
			if !has {
				return nil, missing(text, at, name, values)
			}
			b.WriteString(text[done:at])
			s := span{from: at, to: at + 1 + len(name), at: b.Len()}
			b.WriteString(d.literal(value))
			s.end = b.Len()
			f.spans, f.Used[name] = append(f.spans, s), true
			done = s.to
			n = 1 + len(name)
		case n == 0:
			n = max(1, d.nameLen(text[at:]))
		}
		at += n
	}
	b.WriteString(text[done:])
	f.Text = b.String()
	return f, nil
}

func missing(text string, at int, name string, values Values) error {
	e := &api.Error{Code: api.CodeUsage, Kind: api.KindParameter, Message: fmt.Sprintf("parameter $%s has no value", api.Clip(name, 60)),
		Details: map[string]any{"name": "$" + name}, Next: []api.Step{api.SetTo(api.OptionParam, name+"=TEXT", ""),
			api.SetTo(api.OptionParam, name+":=JSON", "")}}
	if names := slices.Sorted(maps.Keys(values)); len(names) > 0 {
		e.Hint = "Values are given for " + strings.Join(names, ", ") + "."
	}
	setPosition(e.Details, text, at)
	return e
}

// Unused returns an error if a value was not used by any text.
func Unused(values Values, used map[string]bool) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !used[name] {
			return bad(fmt.Sprintf("no $%s is in the text, and parameter '%s' has a value", name, name),
				"Write $"+name+" where the value belongs, outside of quotes.")
		}
	}
	return nil
}

// Explain changes the position in an error from the filled text to the original
// text. It returns other errors, and nil, unchanged.
func (f *Filled) Explain(err error) error {
	var e *api.Error
	if len(f.spans) == 0 || !errors.As(err, &e) {
		return err
	}
	position := e.Number("position")
	if position < 1 {
		return err
	}
	moved := *e
	moved.Details = maps.Clone(e.Details)
	setPosition(moved.Details, f.written, f.original(runeOffset(f.Text, position-1)))
	return &moved
}

// original returns the position in the original text of a byte of the filled
// text.
func (f *Filled) original(at int) int {
	shift := 0
	for _, s := range f.spans {
		if at < s.at {
			break
		}
		if at < s.end {
			return s.from
		}
		shift = s.to - s.end
	}
	return at + shift
}

func setPosition(details map[string]any, text string, at int) {
	before := text[:min(max(at, 0), len(text))]
	details["position"] = utf8.RuneCountInString(before) + 1
	details["line"] = strings.Count(before, "\n") + 1
	details["column"] = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

func runeOffset(text string, runes int) int {
	n := 0
	for offset := range text {
		if n == runes {
			return offset
		}
		n++
	}
	return len(text)
}
