package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/agnes-data/da/internal/untrusted"
)

// fenceBytes is what the marks around an answer take.
const fenceBytes = 320

// ownWords are the commands that print nothing that was read from data.
var ownWords = map[string]bool{
	"da version": true, "da doctor": true, "da help": true, "da disk-info": true, "da skills install": true,
	"da result drop": true, "da snapshot drop": true, "da quota": true, "da login": true, "da logout": true, "da whoami": true,
}

// printForReader prints an answer as JSON; where a model reads it, between marks
// that say that it is data, and with nothing in it that cannot be seen.
func (a *app) printForReader(v any) error {
	if !a.forModel() || ownWords[a.running] {
		return a.printWhole(v)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write as JSON: %w", err)
	}
	doc := untrusted.JSON(bytes.TrimSpace(b.Bytes()))
	if doc[0] == '{' {
		doc = untrusted.NewFence().Object(nil, doc)
	}
	return a.page(func(w io.Writer) error {
		_, err := w.Write(append(doc, '\n'))
		return err
	})
}

// fenced is what of a budget the marks take.
func (a *app) fenced() int {
	if a.forModel() && !ownWords[a.running] {
		return fenceBytes
	}
	return 0
}
