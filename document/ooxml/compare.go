package ooxml

import (
	"cmp"
	"crypto/sha256"
	"io"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lcs"
)

// Difference is one place at which two packages differ.
type Difference struct {
	Place, Before, After string
	// Aside says that the texts of the packages do not show it.
	Aside bool
}

// Comparison is what differs between two packages.
type Comparison struct {
	Changes        []Difference
	api.CaveatList // what a person should know before the later one is used
}

// Text records a difference in text, unless both sides are equal.
func (c *Comparison) Text(place, before, after string) { c.add(place, before, after, false) }

// Other notes a difference of something else.
func (c *Comparison) Other(place, before, after string) { c.add(place, before, after, true) }

func (c *Comparison) add(place, before, after string, aside bool) {
	if before != after {
		c.Changes = append(c.Changes, Difference{place, before, after, aside})
	}
}

// Parts compares what packages are made of: parts that have come, gone or
// changed, and what outside of the package they name. known are parts that the
// caller compares. Either package may be nil.
func (c *Comparison) Parts(before, after *Package, known func(part string) bool) error {
	was, err := before.digests(known)
	if err != nil {
		return err
	}
	now, err := after.digests(known)
	if err != nil {
		return err
	}
	if before != nil && after != nil {
		for _, part := range sortedKeys(was, now) {
			switch _, there := now[part]; {
			case !there:
				c.Other("part "+part, before.told(part, "was there"), "")
			case was[part] == "":
				c.Other("part "+part, "", after.told(part, "added"))
			case was[part] != now[part]:
				a, b := before.told(part, "other content"), after.told(part, "changed, but not in its text")
				if a == b {
					b += ", and what is not listed here has changed"
				}
				c.Other("part "+part, a, b)
			}
		}
	}
	old, err := before.outside()
	if err != nil {
		return err
	}
	leads, err := after.outside()
	if err != nil {
		return err
	}
	for _, l := range leads {
		if slices.Contains(old, l) {
			continue
		}
		if l.kind != "hyperlink" {
			c.Tell(Outside("it refers to %s (%s): a program that opens it may send a request there", l.target, l.kind))
		}
		c.Other("link", "", l.target)
	}
	if before != nil && after != nil && before.Signed() {
		c.Tell(Unsigned("it"))
	}
	return nil
}

// told is what a part is, in words; of most parts it is another text.
func (p *Package) told(part, otherwise string) string {
	switch kind := p.Type(part); {
	case kind == ChartType:
		return p.ChartIn(part)
	case strings.HasSuffix(kind, ".pivotTable+xml"):
		if t, err := p.Tree(part); err == nil {
			return "pivot table " + t.Root.Attr("name") + " at " + t.Root.Find("s:location").Attr("ref")
		}
	}
	return otherwise
}

// digests are the hashes of the parts that are not known.
func (p *Package) digests(known func(string) bool) (map[string]string, error) {
	out := map[string]string{}
	if p == nil {
		return out, nil
	}
	for _, part := range p.Parts() {
		if k := key(part); k == key(contentTypesPart) || strings.HasSuffix(k, ".rels") || strings.HasPrefix(k, "docprops/") || known != nil &&
			known(part) {
			continue
		}
		r, err := p.Stream(part)
		if err != nil {
			return nil, err
		}
		sum := sha256.New()
		n, err := io.Copy(sum, io.LimitReader(r, maxRead+1))
		_ = r.Close()
		if err != nil || n > maxRead {
			return nil, Damaged(part, "it cannot be unpacked")
		}
		out[part] = string(sum.Sum(nil))
	}
	return out, nil
}

// Reasons of caveats that a comparison tells of the whole file.
const (
	reasonOutside   = "outside"
	reasonSignature = "signature"
)

// Compared reports whether comparisons tell caveats with that reason themselves.
func Compared(reason string) bool { return reason == reasonOutside || reason == reasonSignature }

// Outside tells of something in a file that reaches out of it.
func Outside(format string, args ...any) api.Caveat {
	c := api.NewCaveat(api.CaveatOther, format, args...)
	c.Reason = reasonOutside
	return c
}

// Unsigned says that a signature no longer holds.
func Unsigned(what string) api.Caveat {
	return api.Caveat{Kind: api.CaveatOther, Reason: reasonSignature, Text: what + " was signed: its signature no longer holds"}
}

type lead struct{ kind, target string }

// outside lists what relationships lead to outside of the package.
func (p *Package) outside() (out []lead, err error) {
	if p == nil {
		return nil, nil
	}
	for _, part := range append(p.Parts(), "") {
		if strings.HasSuffix(part, ".rels") {
			continue
		}
		if part != "" && !p.Has(relationsName(part)) {
			continue
		}
		all, err := p.Relations(part)
		if err != nil {
			return nil, err
		}
		for _, r := range all {
			if r.External {
				out = append(out, lead{r.Kind, r.Target})
			}
		}
	}
	return out, nil
}

func sortedKeys(a, b map[string]string) []string {
	var keys []string
	for k := range a {
		keys = append(keys, k)
	}
	for k := range b {
		if _, both := a[k]; !both {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// Piece is a paragraph or line, and where it is.
type Piece struct{ Place, Text string }

// Pieces compares pieces in their order, and reports whether any differ.
func (c *Comparison) Pieces(before, after []Piece) bool {
	texts := func(all []Piece) (out []string) {
		for _, p := range all {
			out = append(out, p.Text)
		}
		return out
	}
	runs := lcs.Runs(texts(before), texts(after))
	for _, r := range runs {
		for i := range max(r.AEnd-r.A, r.BEnd-r.B) {
			var was, now Piece
			if i < r.AEnd-r.A {
				was = before[r.A+i]
			}
			if i < r.BEnd-r.B {
				now = after[r.B+i]
			}
			c.Text(cmp.Or(now.Place, was.Place), was.Text, now.Text)
		}
	}
	return len(runs) > 0
}
