package lake

import (
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
)

// partitionBounds is the one value that a partition key has in a file.
func partitionBounds(rows int64, value string, kind predicate.Kind) interval.Bounds {
	b := interval.Bounds{Rows: rows}
	text, ok := hiveValue(value)
	if !ok {
		b.Nulls = rows
		return b
	}
	p, ok := interval.ParsePoint(kind, text)
	if !ok {
		b.Nulls = -1 // the engine may read it as NULL
		return b
	}
	b.Low, b.High = &p, &p
	return b
}

// chunkBounds are the bounds of a column in one row group, from the footer.
func chunkBounds(rows int64, nullable bool, c *chunk, kind predicate.Kind) interval.Bounds {
	b := interval.Bounds{Rows: rows, Nulls: c.nulls, OpenTop: kind == predicate.KindFloat}
	if !nullable {
		b.Nulls = 0
	}
	if !c.bounded {
		return b
	}
	low, lowOK := interval.ParsePoint(kind, c.min)
	high, highOK := interval.ParsePoint(kind, c.max)
	if lowOK && highOK {
		b.Within(low, high)
	}
	return b
}
