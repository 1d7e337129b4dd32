package jsonrows

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Numbers are the numbers in a text that a 64-bit float changes.
type Numbers struct {
	Rounded int64  // fractions with more digits than a float keeps
	First   Number // the first of these
	// Beyond has, by key, the first number that is out of the range of floats, or
	// an integer inside an object or list that a float rounds.
	Beyond map[string]Number
}

// Number is a number as it is written.
type Number struct {
	Row      int64 // from 1
	Key      string
	Text     string // its beginning
	Infinite bool   // one number of this key is beyond the range of floats
}

// maxNumber is how many characters of a number are shown.
const maxNumber = 50

// take notes a number of a row if a float changes it. key is as it is written,
// without its quotes.
func (n *Numbers) take(row int64, key, text []byte, nested bool) {
	f, err := strconv.ParseFloat(string(text), 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		n.beyond(number(row, key, text), true)
	case err != nil: // the engine says that it is not a number
	case !bytes.ContainsAny(text, ".eE"):
		if nested && strconv.FormatFloat(f, 'f', 0, 64) != string(text) {
			n.beyond(number(row, key, text), false)
		}
	case rounded(string(text), f):
		if n.Rounded++; n.Rounded == 1 {
			n.First = number(row, key, text)
		}
	}
}

func (n *Numbers) beyond(v Number, infinite bool) {
	if n.Beyond == nil {
		n.Beyond = map[string]Number{}
	}
	if first, ok := n.Beyond[v.Key]; ok && (first.Infinite || !infinite) {
		return
	}
	v.Infinite = infinite
	n.Beyond[v.Key] = v
}

func number(row int64, key, text []byte) Number {
	v := Number{Row: row, Text: string(text)}
	if len(text) > maxNumber {
		v.Text = string(text[:maxNumber]) + "…"
	}
	if json.Unmarshal([]byte(`"`+string(key)+`"`), &v.Key) != nil {
		v.Key = string(key)
	}
	return v
}

// rounded reports whether a fraction has digits that its float f does not have. A
// float has at most 17 significant digits.
func rounded(text string, f float64) bool {
	digits := significant(text)
	return len(digits) > 17 || len(digits) > 0 && significant(strconv.FormatFloat(f, 'e', len(digits)-1, 64)) != digits
}

// significant are the digits of a number without zeros around them.
func significant(text string) string {
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		text = text[:e]
	}
	return strings.Trim(strings.Replace(strings.TrimPrefix(text, "-"), ".", "", 1), "0")
}

// numberEnd returns the end of the number that starts at i, and whether a float
// may change it.
func numberEnd(row []byte, i int) (end int, doubtful bool) {
	from := i
	for ; i < len(row); i++ {
		switch c := row[i]; {
		case c >= '0' && c <= '9', c == '.', c == '-', c == '+':
		case c == 'e', c == 'E':
			doubtful = true
		default:
			return i, doubtful || i-from > 15
		}
	}
	return i, doubtful || i-from > 15
}
