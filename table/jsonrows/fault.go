package jsonrows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// FindFault reads a text that an engine rejected, row by row and as strictly as
// engines do, and returns the first fault; nil if it finds none. Faults between
// rows count only if every single row is valid.
func FindFault(src io.Reader, layout Layout) *Error {
	r := NewReader(src, layout)
	c := checker{fields: maxFields}
	var between *Error
	for {
		row, err := r.Next()
		var known *Error
		switch {
		case errors.As(err, &known):
			return known
		case err != nil:
			return between
		}
		if reason := c.row(row); reason != "" {
			return &Error{Line: r.line, Reason: reason}
		}
		if c.between != "" && between == nil {
			between = &Error{Line: r.line, Reason: c.between}
		}
	}
}

// maxFields is how many fields of objects are compared between rows.
const maxFields = 100_000

// checker checks rows one after the other.
type checker struct {
	root    field
	fields  int    // how many more can be recorded
	between string // the first fault in keys of different rows
}

// field is a field of an object, as the rows before had it.
type field struct {
	name string
	kids map[string]*field // by lower; of a list, all under ""
}

// row returns what is wrong with a row, or "".
func (c *checker) row(row []byte) string {
	if !utf8.Valid(row) {
		return "there are bytes that are not UTF-8"
	}
	if bytes.Contains(row, []byte(`\u`)) && halfPair().Match(wholePair().ReplaceAll(row, nil)) {
		return `a text has one half of a pair of surrogates, such as \ud83d`
	}
	d := json.NewDecoder(bytes.NewReader(row))
	d.UseNumber()
	err := c.value(d, &c.root)
	var syntax *json.SyntaxError
	var odd keyFault
	switch {
	case errors.As(err, &odd):
		return string(odd)
	case errors.As(err, &syntax):
		if reason := syntax.Error(); !notFinite().MatchString(reason) {
			return reason
		}
		return ""
	case err != nil:
		return "an object or a list is not closed"
	}
	return ""
}

// Surrogates as JSON escapes them.
var (
	wholePair = lazyregexp.New(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\\\`)
	halfPair  = lazyregexp.New(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// notFinite matches errors about NaN and Infinity, which engines accept.
var notFinite = lazyregexp.New(`^invalid character '[NI]'`)

// keyFault is an error in the keys of one object.
type keyFault string

func (f keyFault) Error() string { return string(f) }

// value reads one value, and the keys of its objects.
func (c *checker) value(d *json.Decoder, at *field) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		key := ""
		if delim == '{' {
			t, err := d.Token()
			if err != nil {
				return err
			}
			key = t.(string) //nolint:forcetypeassert // the decoder accepts nothing else as a key
			if err := oddKey(seen, key); err != nil {
				return err
			}
		}
		if err := c.value(d, c.kid(at, key)); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// kid is the field of an object that a key names.
func (c *checker) kid(of *field, key string) *field {
	folded := string(lower([]byte(key)))
	kid := of.kids[folded]
	switch {
	case kid == nil && c.fields == 0:
		return &field{}
	case kid == nil:
		if of.kids == nil {
			of.kids = map[string]*field{}
		}
		c.fields--
		kid = &field{name: key}
		of.kids[folded] = kid
	case kid.name != key && c.between == "":
		c.between = fmt.Sprintf("the keys %q and %q of objects differ only in case, and would be the same field", clip(kid.name), clip(key))
	}
	return kid
}

// oddKey returns what is wrong with an object's key, given those before it.
func oddKey(seen map[string]bool, key string) error {
	taken := seen[key]
	seen[key] = true
	switch {
	case taken:
		return keyFault(fmt.Sprintf("an object has the key %q twice", clip(key)))
	case key == "":
		return keyFault("an object has an empty key")
	case strings.Contains(key, "\x00"):
		return keyFault(fmt.Sprintf("the key %q has a zero byte", clip(key)))
	}
	return nil
}

func clip(key string) string { return key[:min(len(key), maxNumber)] }
