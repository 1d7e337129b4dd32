package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

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

// EncodeJSON escapes what a terminal might act on, but not what matters only in
// HTML. The result ends with a line feed.
func EncodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write as JSON: %w", err)
	}
	return arrowjson.Harmless(b.Bytes()), nil
}
