package lake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
)

// Found is a table that a folder of data files offers, or a file that it
// cannot offer.
type Found struct {
	ID     string `json:"id,omitempty"`
	Path   string `json:"path"` // a relation's name below the folder
	Files  int    `json:"files,omitempty"`
	Reason string `json:"reason,omitempty"` // why a file is left out
}

// Discover lists what lies below a folder. A file is a table; files of one
// format that share a folder, or the partitions below one, are one table
// together, except at the top, where each stands for itself.
func Discover(folder string) (tables, skipped []Found, err error) {
	tables, skipped, err = discover(os.DirFS(folder))
	if err != nil {
		return nil, nil, &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("cannot read the folder '%s': %s", folder, withoutPath(err)), Err: err}
	}
	return tables, skipped, nil
}

func discover(folder fs.FS) (tables, skipped []Found, err error) {
	tables, skipped = []Found{}, []Found{}
	groups := map[string]*Found{}
	var order []string
	err = fs.WalkDir(folder, ".", func(rel string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && rel != ".":
			// Of what cannot be read, the rest is still worth offering.
			skipped = append(skipped, Found{Path: rel, Reason: "it cannot be read: " + withoutPath(err)})
			return nil
		case err != nil:
			return err
		case rel != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		if reason := unsuitable(rel, d); reason != "" {
			skipped = append(skipped, Found{Path: rel, Reason: reason})
			return nil
		}
		pattern, stem := relationOf(rel)
		if groups[pattern] == nil {
			groups[pattern] = &Found{ID: stem, Path: pattern}
			order = append(order, pattern)
		}
		groups[pattern].Files++
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	taken := map[string]bool{}
	for _, pattern := range order {
		f := *groups[pattern]
		f.ID = freeID(tableID(f.ID), taken)
		tables = append(tables, f)
	}
	slices.SortFunc(tables, func(a, b Found) int { return strings.Compare(a.ID, b.ID) })
	return tables, skipped, nil
}

// withoutPath is an error without the path that it was met at.
func withoutPath(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}

// unsuitable says why a file cannot be a table, "" if it can.
func unsuitable(rel string, d fs.DirEntry) string {
	switch _, known := formatOf(rel); {
	case !d.Type().IsRegular():
		return "not a regular file"
	case !known:
		return "not a parquet, CSV, TSV or JSON lines file"
	case strings.ContainsAny(rel, "*?[\\"):
		return "its name has characters that a pattern gives a meaning"
	}
	return ""
}

// relationOf returns the relation that a file belongs to, and what to call it.
func relationOf(rel string) (pattern, stem string) {
	dir, base := path.Split(rel)
	dir = strings.TrimSuffix(dir, "/")
	ext := extensionOf(base)
	if keys, _ := hiveParts(rel); len(keys) > 0 {
		top := dir
		for strings.Contains(path.Base(top), "=") {
			top = path.Dir(top)
		}
		if top == "." {
			return "**/*" + ext, "data"
		}
		return top + "/**/*" + ext, top
	}
	if dir == "" {
		return rel, strings.TrimSuffix(base, ext)
	}
	return dir + "/*" + ext, dir
}

// extensionOf returns the part of a name that tells the format, as written.
func extensionOf(base string) string {
	for _, e := range extensions {
		if strings.HasSuffix(strings.ToLower(base), e.suffix) {
			return base[len(base)-len(e.suffix):]
		}
	}
	return path.Ext(base)
}

// maxID is the length of the longest table id.
const maxID = 64

// tableID makes an id of a file's or folder's name.
func tableID(name string) string {
	id := strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, strings.ToLower(name))
	id = strings.Trim(id, "_")
	if id == "" {
		id = "table"
	}
	return id[:min(len(id), maxID)]
}

// freeID returns id, or id with a number if it is taken, and takes it.
func freeID(id string, taken map[string]bool) string {
	free := id
	for n := 2; taken[free]; n++ {
		suffix := "_" + strconv.Itoa(n)
		free = id[:min(len(id), maxID-len(suffix))] + suffix
	}
	taken[free] = true
	return free
}
