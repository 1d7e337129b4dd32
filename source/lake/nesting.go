package lake

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// maxNesting is how deeply the values of a JSON line may be nested. The engine
// goes down level by level, and some ten thousand of them overflow its stack,
// which ends the process.
const maxNesting = 500

// maxTypeDepth is how many levels of values are told apart by their types; what
// lies deeper is JSON. The engine takes no expression of a few hundred levels.
const maxTypeDepth = 100

// nesting follows how deeply text that claims to be JSON is nested.
type nesting struct {
	depth, line     int
	quoted, escaped bool
}

// over reads on and reports whether the limit is passed; line is then where.
// A line begins anew whatever the one before left open, as it does for the
// engine: JSON has no line end within a string.
func (n *nesting) over(text []byte) bool {
	for _, c := range text {
		switch {
		case c == '\n':
			*n = nesting{line: n.line + 1}
		case n.escaped:
			n.escaped = false
		case n.quoted:
			n.escaped, n.quoted = c == '\\', c != '"'
		case c == '"':
			n.quoted = true
		case c == '[', c == '{':
			if n.depth++; n.depth > maxNesting {
				return true
			}
		case c == ']', c == '}':
			n.depth--
		}
	}
	return false
}

// checkNesting reads the files through and refuses what is nested too deeply,
// before the engine sees any of it.
func (l *Lake) checkNesting(ctx context.Context, set *fileSet) error {
	block := make([]byte, 256<<10)
	for _, f := range set.files {
		if err := l.checkFileNesting(ctx, f, block); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lake) checkFileNesting(ctx context.Context, f file, block []byte) error {
	r, err := l.text(f)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // only read
	n := nesting{line: 1}
	for {
		size, err := r.Read(block)
		if n.over(block[:size]) {
			return sourceError(kindRead, fmt.Sprintf("%s line %d is nested too deeply", f.rel, n.line), nil)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return unreadable(f.rel, err)
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}
