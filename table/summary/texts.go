package summary

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// MostCommon is how many of the commonest texts are named.
const MostCommon = 5

const partBits = 4 // of a hash, which choose the part of a text

// texts collects texts and other bytes.
type texts struct {
	plain  bool // texts, not other bytes: lengths and the commonest are wanted, too
	limits *limits
	values pieces
	n      int64
}

func (t *texts) add(arr arrow.Array) error {
	var value func(i int) []byte
	switch a := arr.(type) {
	case *array.String:
		all, offsets := a.ValueBytes(), a.ValueOffsets()
		first := offsets[0]
		value = func(i int) []byte { return all[offsets[i]-first : offsets[i+1]-first] }
	case *array.Binary:
		value = a.Value
	default:
		return fmt.Errorf("texts cannot be of %s", arr.DataType())
	}
	for i := range arr.Len() {
		if arr.IsNull(i) {
			continue
		}
		t.n++
		if err := t.values.text(value(i)); err != nil {
			return err
		}
	}
	return nil
}

// text adds a text to the pieces.
func (p *pieces) text(v []byte) error {
	p.buf = binary.AppendUvarint(p.buf, uint64(len(v)))
	p.buf = append(p.buf, v...)
	if len(p.buf) < p.size {
		return nil
	}
	return p.flush()
}

// eachText calls f for every text of the pieces.
func (p *pieces) eachText(ctx context.Context, f func(v []byte) error) error {
	return p.eachPiece(ctx, func(values []byte) error {
		for len(values) > 0 {
			n, k := binary.Uvarint(values)
			end := k + int(n)
			if err := f(values[k:end]); err != nil {
				return err
			}
			values = values[end:]
		}
		return nil
	})
}

func (t *texts) finish(ctx context.Context, d *buffers) (Column, error) {
	d.counts.limits = t.limits
	r := &found{plain: t.plain}
	if err := t.count(ctx, &d.counts, &t.values, 0, r); err != nil {
		return Column{}, err
	}
	out := Column{Values: t.n, Distinct: r.distinct}
	if t.plain {
		out.Text = &r.text
	}
	return out, nil
}

// count counts the texts in from. Those that the table has no room for are put
// aside in parts, which are counted one after the other: the table of each then
// has no text of another. Parts at depth n are chosen by the nth bits of hashes.
func (t *texts) count(ctx context.Context, c *counts, from *pieces, depth int, r *found) error {
	var parts []pieces
	err := from.eachText(ctx, func(v []byte) error {
		hash := c.hash(v)
		if c.add(v, hash) {
			return nil
		}
		if parts == nil {
			parts = make([]pieces, 1<<partBits)
			for i := range parts {
				parts[i] = pieces{spool: from.spool, size: partPiece}
			}
		}
		return parts[hash>>(depth*partBits%64)&(1<<partBits-1)].text(v)
	})
	if err != nil {
		return err
	}
	*from = pieces{}
	c.drain(r)
	for i := range parts {
		if err := t.count(ctx, c, &parts[i], depth+1, r); err != nil {
			return err
		}
	}
	return nil
}
