package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// mostCopied bounds what is copied of a stream that is recorded, in bytes.
const mostCopied = 16 << 20

// copied is what went through a stream: a hash of all, and the bytes up to a bound.
type copied struct {
	sum  hash.Hash
	text bytes.Buffer
	cut  bool
}

func (c *copied) add(p []byte) {
	c.sum.Write(p)
	if c.cut = c.cut || c.text.Len()+len(p) > mostCopied; !c.cut {
		c.text.Write(p)
	}
}

// Record makes the run keep what it prints and reads from standard input, from now on.
func (a *App) Record() {
	a.out.copied, a.in.copied = &copied{sum: sha256.New()}, &copied{sum: sha256.New()}
}

// chance matches what differs between two runs that print the same: the marks around
// data for a model, and the numbers of kept results.
var chance = lazyregexp.New(`(data-)[0-9a-f]{12}|(@r)[0-9]+`)

// Printed returns the hash of what was printed, with chance taken out, its size in bytes,
// and its text; nil if that is too long, and then nothing is taken out.
func (a *App) Printed() (sum string, size int64, text []byte) {
	c := a.out.copied
	if c.cut {
		return hexOf(c.sum.Sum(nil)), a.out.bytes.Load(), nil
	}
	same := sha256.Sum256(chance().ReplaceAll(c.text.Bytes(), []byte("$1$2")))
	return hexOf(same[:]), a.out.bytes.Load(), c.text.Bytes()
}

// WasRead returns the hash and the text of what was read from standard input; nothing if
// nothing was, and no text if that is too long.
func (a *App) WasRead() (sum string, text []byte) {
	c := a.in.copied
	if !a.in.begun.Load() {
		return "", nil
	}
	if c.cut {
		return hexOf(c.sum.Sum(nil)), nil
	}
	return hexOf(c.sum.Sum(nil)), c.text.Bytes()
}

func hexOf(sum []byte) string { return "sha256:" + hex.EncodeToString(sum) }
