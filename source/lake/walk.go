package lake

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/agnes-data/da/internal/disk/filechange"
	"github.com/agnes-data/da/source/embedded"
)

// resolve lists the files of a relation.
func (l *Lake) resolve(ctx context.Context, name string) (*fileSet, error) {
	parts, err := parsePattern(name)
	if err != nil {
		return nil, err
	}
	if l.mirror != nil {
		return l.resolveObjects(ctx, name, parts)
	}
	w := &walk{ctx: ctx, root: l.root, name: name}
	// If the name equals that of a file, it means this file, even if it has
	// special characters.
	if info, err := w.stat(name); err != nil {
		return nil, err
	} else if info != nil {
		err = w.add(name, info)
		if err != nil {
			return nil, err
		}
	} else if err := parts.check(); err != nil {
		return nil, err
	} else if err := w.expand("", parts); err != nil {
		return nil, err
	} else if err := plain(w.files, func(dir string) string { why, _ := managed(l.root.FS(), dir); return why }); err != nil {
		return nil, err
	}
	if len(w.files) == 0 {
		return nil, noFiles(name)
	}
	slices.SortFunc(w.files, func(a, b file) int { return cmp.Compare(a.rel, b.rel) })
	return newFileSet(w.files)
}

// walk collects the files that match a pattern.
type walk struct {
	ctx   context.Context //nolint:containedctx // lives as long as one call
	root  *os.Root
	name  string
	files []file
}

// expand matches the parts below a folder; "" is the root.
func (w *walk) expand(dir string, parts pattern) error {
	if err := w.ctx.Err(); err != nil {
		return stoppedListing(err)
	}
	part, rest := parts[0], parts[1:]
	if !isGlob(part) {
		return w.descend(path.Join(dir, part), rest, true)
	}
	entries, err := w.list(dir)
	if err != nil {
		return err
	}
	if part == anyDepth {
		if err := w.expand(dir, rest); err != nil {
			return err
		}
		for _, e := range entries {
			// Do not follow a link to a folder here: it may lead back up.
			if e.IsDir() && matchPart("*", e.Name()) {
				if err := w.expand(path.Join(dir, e.Name()), parts); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, e := range entries {
		if matchPart(part, e.Name()) {
			if err := w.descend(path.Join(dir, e.Name()), rest, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// descend continues below one entry, or adds it if nothing is left to match. An
// entry that the pattern names must fit. Among entries that a glob matches, files
// are skipped where folders are needed, and vice versa.
func (w *walk) descend(rel string, rest pattern, named bool) error {
	info, err := w.stat(rel)
	if err != nil || info == nil {
		return err
	}
	switch {
	case len(rest) > 0 && info.IsDir():
		return w.expand(rel, rest)
	case len(rest) > 0, !named && info.IsDir():
		return nil
	}
	return w.add(rel, info)
}

// add takes a file into the relation.
func (w *walk) add(rel string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return badPath(rel, "it is a folder; name its files, as in "+rel+"/*.parquet")
	case !info.Mode().IsRegular():
		return badPath(rel, "it is not a regular file")
	case len(w.files) == embedded.MaxFiles:
		return badPath(w.name, "it matches too many files")
	}
	f := file{rel: rel, place: rel, size: info.Size(), mtime: info.ModTime().UnixNano()}
	f.changed, f.inode = filechange.Of(info)
	w.files = append(w.files, f)
	return nil
}

// list reads a folder; a missing folder counts as empty.
func (w *walk) list(dir string) ([]fs.DirEntry, error) {
	if dir == "" {
		dir = "."
	}
	f, err := w.root.Open(filepath.FromSlash(dir))
	if errors.Is(err, fs.ErrNotExist) && dir != "." {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(dir, err)
	}
	defer func() { _ = f.Close() }() // only read
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// stat follows links inside the root and rejects links that lead out of it. It
// returns nil for what does not exist.
func (w *walk) stat(rel string) (fs.FileInfo, error) {
	info, err := w.root.Stat(filepath.FromSlash(rel))
	if err == nil {
		return info, nil
	}
	// One of the folders on the way may be the cause; report the first that
	// fails.
	for end := 0; end < len(rel); {
		if next := strings.IndexByte(rel[end+1:], '/'); next >= 0 {
			end += 1 + next
		} else {
			end = len(rel)
		}
		part := filepath.FromSlash(rel[:end])
		link, err := w.root.Lstat(part)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			return nil, nil
		case err != nil:
			return nil, unreadable(rel[:end], err)
		case link.Mode()&fs.ModeSymlink == 0:
			continue
		}
		switch _, err := w.root.Stat(part); {
		case err == nil:
		case errors.Is(err, fs.ErrNotExist):
			return nil, badPath(rel[:end], "it is a link to nothing")
		case errors.Is(err, fs.ErrPermission):
			return nil, unreadable(rel[:end], err)
		default:
			return nil, outside(rel[:end])
		}
	}
	return nil, unreadable(rel, err)
}
