package lake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/source/lake/mirror"
)

// maxObject is more than any store takes for the size of an object; so many
// bytes of each of embedded.MaxFiles still are a number.
const maxObject = 1 << 46

// resolveObjects lists the objects of a relation.
func (l *Lake) resolveObjects(ctx context.Context, name string, parts pattern) (*fileSet, error) {
	var files []file
	managers := map[string]string{} // by folder
	err := l.mirror.List(ctx, parts.prefix(), func(o bucket.Object) error {
		if dir, why := managedKey(o.Key); why != "" {
			managers[dir] = why
		}
		if o.Key != name && !parts.match(strings.Split(o.Key, "/")) {
			return nil
		}
		if why := unplaceable(o.Key); why != "" {
			return badPath(o.Key, why)
		}
		if o.Size < 0 || o.Size > maxObject {
			return sourceError(api.KindStrangeAnswer, fmt.Sprintf("the object store says of %s that it has %d bytes", api.Clip(o.Key, 200), o.Size),
				nil)
		}
		if len(files) == embedded.MaxFiles {
			return badPath(name, "it matches too many files")
		}
		files = append(files, file{rel: o.Key, place: mirror.Place(o), size: o.Size, mtime: o.Modified.UnixNano(), etag: o.ETag})
		return nil
	})
	if err != nil {
		return nil, err
	}
	// If the name equals that of an object, it means this object, even if it has
	// special characters.
	if i := slices.IndexFunc(files, func(f file) bool { return f.rel == name }); i >= 0 {
		files = files[i : i+1]
	} else if err := parts.check(); err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, noFiles(name)
	}
	if err := l.plainObjects(ctx, name, parts, files, managers); err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.rel, b.rel) })
	for i, f := range files[1:] {
		if f.rel == files[i].rel {
			return nil, sourceError(api.KindChangedMeanwhile, fmt.Sprintf("the object store lists %s twice", f.rel), nil)
		}
	}
	return newFileSet(files)
}

// plainObjects refuses objects below a prefix that is managed. managers are those
// below the prefix that was listed; an Iceberg table has its list beside its data.
func (l *Lake) plainObjects(ctx context.Context, name string, parts pattern, files []file, managers map[string]string) error {
	if files[0].rel == name {
		return nil // the one object that is meant
	}
	prefix := "/" + parts.prefix()
	if i := strings.LastIndex(prefix, "/data/"); i >= 0 {
		err := l.mirror.List(ctx, (prefix[:i] + "/metadata/")[1:], func(o bucket.Object) error {
			dir, why := managedKey(o.Key)
			if why == "" {
				return nil
			}
			managers[dir] = why
			return errManaged
		})
		if err != nil && !errors.Is(err, errManaged) {
			return err
		}
	}
	return plain(files, func(dir string) string { return managers[dir] })
}

// unplaceable says why an object cannot be stored on disk under its name; "" if
// it can. Object stores accept any text as a key.
func unplaceable(key string) string {
	if strings.ContainsAny(key, "\x00\\") {
		return "a name holds a backslash or a NUL"
	}
	for _, part := range strings.Split(key, "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return "a name has no empty parts, and none that are . or .."
		case len(part) > 255:
			return "a part of a name is longer than 255 bytes"
		}
	}
	return ""
}

// prefix is the common prefix of all names that can match.
func (p pattern) prefix() string {
	var fixed []string
	for _, part := range p {
		if isGlob(part) {
			return strings.Join(append(fixed, ""), "/")
		}
		fixed = append(fixed, part)
	}
	return strings.Join(fixed, "/")
}

// match reports whether the pattern matches a name, given in its parts.
func (p pattern) match(name []string) bool {
	switch {
	case len(p) == 0 || len(name) == 0:
		return len(p) == len(name)
	case p[0] == anyDepth:
		return p[1:].match(name) || len(name) > 1 && matchPart("*", name[0]) && p.match(name[1:])
	case isGlob(p[0]):
		return matchPart(p[0], name[0]) && p[1:].match(name[1:])
	}
	return p[0] == name[0] && p[1:].match(name[1:])
}
