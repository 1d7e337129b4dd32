package table

import (
	"context"

	"github.com/agnes-data/da/table/intake"
)

// part is the answer that is kept of a file of which a statement has read some
// columns only.
const part = "part"

const (
	// small is how many bytes of a file are read as quickly with all columns.
	small = 1 << 20
	// widest is how many columns a database is made of for the next statements:
	// the engine's time for a table grows with the square of them, and each takes
	// room in memory.
	widest = 2000
)

// inPart reports whether a statement is better served with the columns that it
// names alone. So is the first: the second makes a database of all columns, and
// the next ones cost little.
func (l *looked) inPart() bool {
	if l.reads == nil || l.file.Kind == intake.Parquet || l.entry.Head.Database != "" {
		return false
	}
	p := l.profile()
	if 2*len(p.Only(l.reads).Columns) > len(p.Columns) {
		return false
	}
	_, again := l.entry.Answers[part]
	return len(p.Columns) > widest || !again && l.file.Info.Size() > small
}

// attachPart makes a database of the columns that are read, for this session.
func (t *Tables) attachPart(ctx context.Context, l *looked, attach func(path string) error) error {
	e, err := t.store.Part(ctx, l.src, l.file, t.builder(l), attach)
	if err != nil {
		return t.explain(l.shown, err)
	}
	l.entry = e
	t.store.Remember(ctx, l.src, e.Head.Hash, part, true)
	return nil
}
