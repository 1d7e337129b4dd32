package figures

import (
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Block is a paragraph, a cell or a page of a file.
type Block struct{ Text, At string }

// token is a number, a word or another sign of a text.
type token struct {
	hash     uint16
	kind     kind
	tight    bool // no space before it
	from, to int  // in the text
}

type kind byte

const (
	number kind = iota
	word
	sign  // that changes what a number beside it says: %, €, /
	point // that does not: a full stop, a bracket
	empty // a block without text
)

// joins reports whether a token without a space before a figure is part of it.
func (t token) joins() bool { return t.kind <= sign }

// joined is the text of blocks, and where each begins.
func joined(blocks []Block) (text string, starts []int) {
	var b strings.Builder
	for _, block := range blocks {
		starts = append(starts, b.Len())
		b.WriteString(block.Text)
		b.WriteByte('\n')
	}
	return b.String(), starts
}

// tokens divides a text. A block without text is one, too.
func tokens(text string, starts []int) (out []token) {
	for i, from := range starts {
		to := len(text) - 1
		if i+1 < len(starts) {
			to = starts[i+1] - 1
		}
		n := len(out)
		for at := from; at < to; {
			t := next(text, from, at, to)
			at = t.to
			if t.to > t.from {
				out = append(out, t)
				continue
			}
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
		if len(out) == n {
			out = append(out, token{kind: empty, from: from, to: to})
		}
	}
	return out
}

// next is the token at a place; an empty one at a space.
func next(text string, from, at, to int) token {
	r, size := utf8.DecodeRuneInString(text[at:to])
	t := token{from: at, to: at, kind: point}
	before, _ := utf8.DecodeLastRuneInString(text[from:at])
	t.tight = at > from && !unicode.IsSpace(before)
	digits := numeral(text[at:to], t.tight && !strings.ContainsRune(`([{"'“„‘‚«:;=`, before))
	switch {
	case unicode.IsSpace(r) || !unicode.IsPrint(r):
		return t
	case digits > 0:
		t.to, t.kind = at+digits, number
	case unicode.IsLetter(r):
		t.to, t.kind = at+wordLength(text[at:to]), word
	default:
		t.to = at + size
		if !strings.ContainsRune(".,;:!?()[]{}\"'“”„‘’‚«»…|–—_*#>-`=", r) {
			t.kind = sign
		}
	}
	t.hash = hashOf(text[t.from:t.to])
	return t
}

func wordLength(s string) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// numeral is the length of the number at the start of a text: a sign if nothing
// stands before it, and digits with marks between them.
func numeral(s string, behind bool) int {
	n := 0
	if r, size := utf8.DecodeRuneInString(s); !behind && strings.ContainsRune("-+−", r) {
		n = size
	}
	digit := func(at int) bool { return at < len(s) && s[at] >= '0' && s[at] <= '9' }
	if !digit(n) {
		return 0
	}
	for {
		for digit(n) {
			n++
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		if !strings.ContainsRune(".,'’\u00a0\u202f", r) || size == 0 || !digit(n+size) {
			return n
		}
		n += size
	}
}

func hashOf(s string) uint16 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // it never fails
	sum := h.Sum32()
	return uint16(sum>>16) ^ uint16(sum&0xffff) //nolint:gosec // folded on purpose
}
