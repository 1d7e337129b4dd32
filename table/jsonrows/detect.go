package jsonrows

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Layout is the arrangement of the rows in a text. Its value is the name of the
// format.
type Layout string

// The layouts.
const (
	Lines    Layout = "jsonl"   // one object behind the other, each in its line as a rule
	Array    Layout = "json"    // the elements of one array
	Features Layout = "geojson" // of a FeatureCollection
)

// HeadSize is the maximum number of bytes that Detect needs.
const HeadSize = 64 << 10

const blank = " \t\r\n"

// Detect determines the layout from the start of a text; whole says that this is
// all of it. It returns "" for what is not JSON, as far as it can see, and for a
// single value that is neither an object nor an array.
func Detect(head []byte, whole bool) Layout {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(bom)), blank)
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return ""
	}
	end, collection, err := firstValue(head)
	cut := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	likely := err == nil && followed(head[end:], head[0]) || cut && !whole
	if !likely && !(err != nil && objects().Match(head)) && !arrayOfObjects().Match(head) {
		return ""
	}
	switch {
	case head[0] == '[':
		return Array
	case collection:
		return Features
	}
	return Lines
}

// Claimed returns a layout for a text whose file name says JSON although Detect
// does not recognise it: reading it will report the error. It returns "" for a
// blank text.
func Claimed(head []byte) Layout {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(bom)), blank)
	switch {
	case len(head) == 0:
		return ""
	case head[0] == '[':
		return Array
	}
	return Lines
}

// A text that starts like this is JSON, even if it is invalid later.
var (
	objects        = lazyregexp.New(`^\{\s*"[^"\n]*"\s*:`)
	arrayOfObjects = lazyregexp.New(`^\[\s*\{\s*["}]`)
)

// followed reports whether rest can follow a value that started with first,
// because a line in a log can also start with [1] or {a}.
func followed(rest []byte, first byte) bool {
	next := bytes.TrimLeft(rest, blank)
	if len(next) == 0 || next[0] == '{' || next[0] == '[' {
		return true
	}
	return first == '{' && bytes.IndexByte(rest[:len(rest)-len(next)], '\n') >= 0
}

// aFeature matches the start of a collection's list of features.
var aFeature = lazyregexp.New(`^\s*\{\s*"type"\s*:\s*"Feature"`)

// firstValue parses the first value in text, and returns its end and whether it
// is a collection of features, as far as the text shows.
func firstValue(text []byte) (end int64, collection bool, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	depth, atKey, key := 0, false, ""
	for {
		t, err := d.Token()
		if err != nil {
			return d.InputOffset(), collection, err
		}
		s, isText := t.(string)
		switch {
		case t == json.Delim('{') || t == json.Delim('['):
			if depth == 1 && key == "features" && t == json.Delim('[') {
				collection = collection || aFeature().Match(text[d.InputOffset():])
			}
			depth++
		case t == json.Delim('}') || t == json.Delim(']'):
			depth--
		case depth == 1 && atKey:
			key, atKey = s, false
			continue
		case depth == 1 && isText && key == "type":
			collection = collection || s == "FeatureCollection"
		}
		if depth == 0 {
			return d.InputOffset(), collection, nil
		}
		atKey = depth == 1 && text[0] == '{'
	}
}
