package lake

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/jsonrows"
)

// whyNotOneTable says why some files of one format cannot form a table; "" if they seem
// to. For text it reads only the start of the files. A file that cannot be read
// is ignored.
func (l *Lake) whyNotOneTable(ctx context.Context, names []string) (why string, err error) {
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
	if err == nil && set.format.Kind == format.Parquet {
		_, _, err = l.describe(ctx, set)
	} else if err == nil {
		why, err = l.differ(ctx, set)
	}
	var e *api.Error
	if errors.As(err, &e) && e.Code == api.CodeSource {
		return e.Message, nil
	}
	return why, err
}

// differ compares the column names at the start of files of a text format.
func (l *Lake) differ(ctx context.Context, set *fileSet) (string, error) {
	var first []string
	of := ""
	for _, f := range set.files {
		if err := ctx.Err(); err != nil {
			return "", stoppedListing(err)
		}
		names, err := l.firstNames(ctx, f, set.format)
		var none *jsonrows.Error
		if errors.As(err, &none) {
			return f.rel + " holds no rows", nil
		}
		var e *api.Error
		if errors.As(err, &e) && e.Code == api.CodeReadFailed {
			return strings.Replace(e.Message, path.Base(f.rel), f.rel, 1), nil
		}
		if err != nil || len(names) == 0 {
			continue
		}
		if of == "" {
			first, of = names, f.rel
		}
		if !fitTogether(set.format, first, names) {
			return fmt.Sprintf("%s and %s have different columns", of, f.rel), nil
		}
	}
	return "", nil
}

// noTable says why a single file is left out; false if it can be a table.
func (l *Lake) noTable(ctx context.Context, rel string) (left Found, out bool) {
	w := &walk{root: l.root}
	info, err := w.stat(rel)
	if err != nil || info == nil {
		return Found{}, false
	}
	if info.Size() == 0 {
		return Found{Path: rel, Reason: "it is empty"}, true
	}
	as, _ := formatOf(rel)
	if as.Kind == format.Parquet || w.add(rel, info) != nil {
		return Found{}, false
	}
	reason, next := l.noRows(ctx, w.files[0], as)
	return Found{Path: rel, Reason: reason, Next: next}, reason != ""
}

// noRows says why a file of text is not a table, judging by its start; "" if it
// seems to be one. Data folders often contain settings, too.
func (l *Lake) noRows(ctx context.Context, of file, as format.Format) (reason string, next []api.Step) {
	f, err := l.detect(of)
	if err == nil {
		defer func() { _ = f.Close() }() // only read
		err = f.CheckStart()
	}
	var e *api.Error
	switch {
	case errors.As(err, &e) && e.Code == api.CodeReadFailed:
		if e.Next == nil {
			e.Next = []api.Step{api.Do(api.ActionMap, "see what helps", "path", of.rel)}
		}
		return strings.Replace(e.Message, path.Base(of.rel), "it", 1), e.Next
	case err != nil:
		return "", nil
	}
	if f.Kind != format.JSON || as.Kind != format.JSON {
		return "", nil
	}
	_, err = f.Names(ctx)
	var fault *jsonrows.Error
	if !errors.As(err, &fault) {
		return "", nil
	}
	return fmt.Sprintf("it holds no rows: %v", fault), wayOn(of.rel)
}

// fitTogether reports whether files with these names can belong to one table. A row of
// JSON need not have all keys.
func fitTogether(of format.Format, a, b []string) bool {
	if of.Kind != format.JSON {
		return slices.Equal(a, b)
	}
	has, shared := map[string]bool{}, 0
	for _, name := range a {
		has[name] = true
	}
	for _, name := range b {
		if has[name] {
			shared++
		}
	}
	return 2*shared >= min(len(a), len(b))
}

// firstNames are the names in a file's header, or the keys of its first row.
func (l *Lake) firstNames(ctx context.Context, f file, of format.Format) ([]string, error) {
	text, err := l.detect(f)
	if err != nil {
		return nil, err
	}
	defer func() { _ = text.Close() }() // only read
	if of.Kind == format.JSON && text.Kind != format.JSON {
		return nil, nil
	}
	return text.Names(ctx)
}
