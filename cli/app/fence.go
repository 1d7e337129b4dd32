package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/agnes-data/da/internal/untrusted"
)

// PrintForReader prints an answer as JSON; where a model reads it, between marks
// that say that it is data, and with nothing in it that cannot be seen.
func (a *App) PrintForReader(v any) error {
	if !a.forModel() || a.OwnWords {
		return a.PrintWhole(v)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write as JSON: %w", err)
	}
	doc := untrusted.JSON(bytes.TrimSpace(b.Bytes()))
	if doc[0] == '{' {
		doc = marked(doc)
	}
	return a.Page(func(w io.Writer) error {
		_, err := w.Write(append(doc, '\n'))
		return err
	})
}

// marked puts the marks around an object, and what they mean where that is at most
// a quarter of the whole: 'da help output' says it, too.
func marked(doc []byte) []byte {
	fence := untrusted.NewFence()
	if whole := fence.Object(nil, doc); 4*(len(whole)-len(doc)) <= len(whole) {
		return whole
	}
	return fence.Marked(nil, doc)
}

// PrintJSON prints one value as JSON, as much of it as is wanted.
func (a *App) PrintJSON(v any) error {
	v, err := a.Fitted(v)
	if err != nil {
		return err
	}
	return a.PrintForReader(v)
}
