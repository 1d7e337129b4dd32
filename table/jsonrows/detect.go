package jsonrows

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/agnes-data/da/internal/lazyregexp"
)

// Layout is how the rows of a text are arranged. Its value names the format.
type Layout string

// The layouts.
const (
	Lines    Layout = "jsonl"   // one object behind the other, each in its line as a rule
	Array    Layout = "json"    // the elements of one array
	Features Layout = "geojson" // of a FeatureCollection
)

// HeadSize is how much of a text Detect needs at most.
const HeadSize = 64 << 10

const blank = " \t\r\n"

// Detect tells the layout from the beginning of a text; whole says that this is
// all of it. It returns "" for what is not JSON, as far as can be seen, and for
// a single value that is neither an object nor an array.
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

// Claimed is the layout of a text whose name says that it is JSON though Detect
// sees none: reading it tells what is wrong, and where. It is "" for a text that
// is blank, as far as can be seen.
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

// What begins like this is JSON, even if it is broken further on.
var (
	objects        = lazyregexp.New(`^\{\s*"[^"\n]*"\s*:`)
	arrayOfObjects = lazyregexp.New(`^\[\s*\{\s*["}]`)
)

// followed reports whether rest can follow a value that began with first:
// a line of a log may begin with [1] or {a}, too.
func followed(rest []byte, first byte) bool {
	next := bytes.TrimLeft(rest, blank)
	if len(next) == 0 || next[0] == '{' || next[0] == '[' {
		return true
	}
	return first == '{' && bytes.IndexByte(rest[:len(rest)-len(next)], '\n') >= 0
}

// aFeature is how the list of features of a collection begins.
var aFeature = lazyregexp.New(`^\s*\{\s*"type"\s*:\s*"Feature"`)

// firstValue reads the value that text begins with, and returns where it ends
// and whether it is a collection of features, as far as text shows.
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
