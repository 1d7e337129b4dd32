package output

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// WriteJSON writes one value as JSON: on one line, or indented on a terminal.
func WriteJSON(w io.Writer, v any, o Options) error {
	indent := ""
	if o.Terminal {
		indent = "  "
	}
	text, err := EncodeJSON(v, indent)
	if err != nil {
		return err
	}
	_, err = sink{w}.Write(text)
	return err
}

// WriteJSONList writes {name: items, last: v}, as WriteJSON writes such a struct,
// without holding the items.
func WriteJSONList[T any](w io.Writer, name string, items iter.Seq2[T, error], last string, v any, o Options) error {
	line, in, colon := "", "", ":"
	if o.Terminal {
		line, in, colon = "\n", "  ", ": "
	}
	to := bufio.NewWriterSize(sink{w}, flushAt)
	write := func(before string, v any, depth int) error {
		_, _ = to.WriteString(before) // Flush reports its error
		text, err := encodeJSON(v, strings.Repeat(in, depth), in)
		_, _ = to.Write(bytes.TrimSuffix(text, []byte{'\n'}))
		return err
	}
	if err := write("{"+line+in, name, 0); err != nil {
		return err
	}
	open, end := colon+"["+line+in+in, colon+"[]"
	for item, err := range items {
		if err != nil {
			return err
		}
		if err := write(open, item, 2); err != nil {
			return err
		}
		open, end = ","+line+in+in, line+in+"]"
	}
	if err := write(end+","+line+in, last, 0); err != nil {
		return err
	}
	if err := write(colon, v, 1); err != nil {
		return err
	}
	_, _ = to.WriteString(line + "}\n")
	return to.Flush()
}

// EncodeJSON escapes what a terminal might act on, but not what matters only in
// HTML. The result ends with a line feed.
func EncodeJSON(v any, indent string) ([]byte, error) { return encodeJSON(v, "", indent) }

func encodeJSON(v any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, indent)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write as JSON: %w", err)
	}
	return arrowjson.Harmless(b.Bytes()), nil
}
