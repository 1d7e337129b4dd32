package lake

import (
	"path"
	"strings"
)

// pattern is a parsed relation name. Each part is one level of folders; the last
// part is for files. A part can be a glob as in path.Match, or "**" for any
// number of folders. A glob never matches a hidden name: see hidden.
type pattern []string

const anyDepth = "**"

// parsePattern splits a relation's name. It rejects names that could lead out of
// the root or mean something else on another system.
func parsePattern(name string) (pattern, error) {
	if name == "" || strings.ContainsAny(name, "\x00\\") || path.IsAbs(name) {
		return nil, badPath(name, "a path is relative to the source's root and has forward slashes")
	}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		switch {
		case part == "..":
			return nil, badPath(name, "a path stays below the source's root")
		case part == "" || part == ".":
			return nil, badPath(name, "a path has no empty parts")
		case part == anyDepth && i == len(parts)-1:
			return nil, badPath(name, "a path ends in a file, as in **/*.parquet")
		}
	}
	return parts, nil
}

// check refuses parts that are not globs; a name that is a file's own need not
// be one.
func (p pattern) check() error {
	for _, part := range p {
		if _, err := path.Match(part, ""); err != nil {
			return badPath(strings.Join(p, "/"), "a bracket is not closed")
		}
	}
	return nil
}

// isGlob reports whether a part has special characters.
func isGlob(part string) bool { return strings.ContainsAny(part, "*?[") }

// hidden reports whether a name begins with a dot or an underscore. By the custom of
// Hive and Spark, such files hold no rows of a table, or unfinished ones; but the key
// of a partition may begin with an underscore.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") && !strings.Contains(name, "=")
}

// matchPart reports whether a glob matches a name.
func matchPart(glob, name string) bool {
	if hidden(name) && glob[0] != name[0] {
		return false
	}
	ok, err := path.Match(glob, name)
	return err == nil && ok
}
