package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/agnes-data/da/internal/guard/untrusted"
)

// PrintForReader prints an answer as JSON. For a model, it puts marks around the
// answer that say that it is data, and escapes invisible characters.
func (a *App) PrintForReader(v any) error {
	if !a.ForModel() || a.OwnWords {
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

// marked puts the marks around an object. It adds an explanation of the marks
// only if that is at most a quarter of the whole, since 'da help output' has it,
// too.
func marked(doc []byte) []byte {
	fence := untrusted.NewFence()
	if whole := fence.Object(nil, doc); 4*(len(whole)-len(doc)) <= len(whole) {
		return whole
	}
	return fence.Marked(nil, doc)
}

// PrintJSON prints one value as JSON, shortened to the token budget.
func (a *App) PrintJSON(v any) error {
	v, err := a.Fitted(v)
	if err != nil {
		return err
	}
	return a.PrintForReader(v)
}
