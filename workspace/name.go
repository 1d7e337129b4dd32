package workspace

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/agnes-data/da/api"
)

// maxName is the most bytes of a name.
const maxName = 255

// CleanName returns a name in the form in which it is stored: NFC. A
// CodeInvalidName error explains what is wrong with the name. A name is a
// relative path of 1 to 255 bytes with '/' between its parts.
func CleanName(name string) (string, error) {
	clean := norm.NFC.String(name)
	if why := nameFault(clean); why != "" {
		return "", &api.Error{
			Code: api.CodeInvalidName, Message: fmt.Sprintf("%q cannot be the name of a file: %s", api.Clip(name, 80), why),
			Hint: "Names are relative paths such as reports/may.xlsx, of at most 255 bytes.",
		}
	}
	return clean, nil
}

// nameFault explains what is wrong with a name; it returns "" if the name is
// valid.
func nameFault(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case !utf8.ValidString(name):
		return "it is not UTF-8"
	case len(name) > maxName:
		return fmt.Sprintf("it has %d bytes", len(name))
	case strings.HasPrefix(name, "/"):
		return "it begins with '/'"
	case strings.Contains(name, `\`):
		return `it contains '\'; parts are separated by '/'`
	case strings.ContainsFunc(name, unicode.IsControl):
		return "it contains a control character"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) }):
		return "it contains a character that changes the order of others, or ends a line"
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return "a part of it is empty"
		case part == "." || part == "..":
			return "it contains '" + part + "'"
		case strings.TrimSpace(part) != part:
			return "a part of it begins or ends with a space"
		}
	}
	return ""
}

// key returns the key by which names are compared. A ref that is not a valid name
// has a key, too.
func key(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}
