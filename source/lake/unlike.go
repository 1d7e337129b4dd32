package lake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/agnes-data/da/api"
)

// unlike says why some files of one format make no table together, "" if they
// seem to. Of text it looks at the beginnings only. A file that cannot be read
// says nothing against the others.
func (l *Lake) unlike(ctx context.Context, names []string) (why string, err error) {
	w := &walk{ctx: ctx, root: l.root}
	for _, name := range names {
		info, err := w.stat(name)
		if err != nil || info == nil || info.Size() == 0 {
			continue
		}
		if err := w.add(name, info); err != nil {
			continue
		}
	}
	if len(w.files) < 2 {
		return "", nil
	}
	set, err := newFileSet(w.files)
	if err == nil && set.format == parquet {
		_, err = l.describe(ctx, set)
	} else if err == nil {
		why, err = l.differ(ctx, set)
	}
	var e *api.Error
	if errors.As(err, &e) && e.Code == api.CodeSource {
		return e.Message, nil
	}
	return why, err
}

// differ compares the names that the files of a text format begin with.
func (l *Lake) differ(ctx context.Context, set *fileSet) (string, error) {
	var first []string
	of := ""
	for _, f := range set.files {
		if err := ctx.Err(); err != nil {
			return "", stoppedListing(err)
		}
		names, err := l.firstNames(f, set.format)
		if err != nil || len(names) == 0 {
			continue
		}
		if of == "" {
			first, of = names, f.rel
		}
		if !akin(set.format, first, names) {
			return fmt.Sprintf("%s and %s have different columns", of, f.rel), nil
		}
	}
	return "", nil
}

// akin reports whether files that begin with these names may be of one table. A
// JSON line need not have all keys.
func akin(of format, a, b []string) bool {
	if of != jsonLines {
		return slices.Equal(a, b)
	}
	shared := 0
	for _, name := range b {
		if slices.Contains(a, name) {
			shared++
		}
	}
	return 2*shared >= min(len(a), len(b))
}

// firstNames are the names in a file's header, or the keys of its first line.
func (l *Lake) firstNames(f file, of format) ([]string, error) {
	if of != jsonLines {
		text, err := l.intake(f)
		if err != nil {
			return nil, err
		}
		defer func() { _ = text.Close() }() // only read
		return text.Names()
	}
	r, err := l.text(f)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // only read
	d := json.NewDecoder(io.LimitReader(r, 1<<20))
	var row map[string]json.RawMessage
	if err := d.Decode(&row); err != nil {
		return nil, err
	}
	var names []string
	for name := range row {
		names = append(names, string(bytes.TrimSpace([]byte(name))))
	}
	return names, nil
}
