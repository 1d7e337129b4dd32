package lake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
)

// Found is a table that a folder of data files offers, or a file that it
// cannot offer.
type Found struct {
	ID     string `json:"id,omitempty"`
	Path   string `json:"path"` // a relation's name below the folder
	Files  int    `json:"files,omitempty"`
	Reason string `json:"reason,omitempty"` // why a file is left out

	// File is a database whose table Path is; without it, none of its tables is named.
	File string `json:"file,omitempty"`

	// Type is that of the source that reads the table, if that is not a lake.
	Type api.SourceType `json:"type,omitempty"`

	// Next are other ways to read a file that is left out.
	Next []api.Step `json:"-"`

	members []string // the files
}

// Discover lists the tables below a folder. A file is a table. Files of one
// format in the same folder, or below the same partitioned folder, are one table
// together if they have the same columns. Files at the top are always separate
// tables. A folder whose metadata list its files is a table of another source, and
// a database file holds some.
func Discover(ctx context.Context, folder string) (tables, skipped []Found, err error) {
	failed := func(err error) error {
		return &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("cannot read the folder '%s': %s", folder, withoutPath(err)), Err: err}
	}
	found, skipped, err := discover(os.DirFS(folder))
	if err != nil {
		return nil, nil, failed(err)
	}
	l, err := Open(Options{Root: folder})
	if err != nil {
		return nil, nil, failed(err)
	}
	defer l.Close()
	apart := make([]Found, 0, len(found))
	for _, f := range found {
		if f.Type != "" {
			if f.Path == "." {
				f.ID = filepath.Base(folder)
			}
			apart = append(apart, f)
			continue
		}
		if f.Files == 1 {
			if left, out := l.noTable(ctx, f.members[0]); out {
				skipped = append(skipped, left)
			} else {
				apart = append(apart, f)
			}
			continue
		}
		unlike, err := l.whyNotOneTable(ctx, f.members)
		switch {
		case err != nil:
			return nil, nil, err
		case unlike == "":
			apart = append(apart, f)
			continue
		}
		skipped = append(skipped, Found{Path: f.Path, Reason: "it is not one table, as " + unlike + "; each of its files is a table of its own"})
		for _, rel := range f.members {
			if left, out := l.noTable(ctx, rel); out {
				skipped = append(skipped, left)
				continue
			}
			base := path.Base(rel)
			apart = append(apart, Found{ID: strings.TrimSuffix(base, extensionOf(base)), Path: rel, Files: 1})
		}
	}
	return Named(apart), skipped, nil
}

// Named gives each table a unique id.
func Named(found []Found) []Found {
	tables, taken := make([]Found, 0, len(found)), map[string]bool{}
	for _, f := range found {
		f.ID = FreeID(f.ID, taken)
		tables = append(tables, f)
	}
	slices.SortFunc(tables, func(a, b Found) int { return strings.Compare(a.ID, b.ID) })
	return tables
}

// discover groups the files, and names the groups as their folders.
func discover(folder fs.FS) (found, skipped []Found, err error) {
	found, skipped = []Found{}, []Found{}
	groups := map[string]*Found{}
	var order []string
	err = fs.WalkDir(folder, ".", func(rel string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && rel != ".":
			// List the other files even if this one cannot be read.
			skipped = append(skipped, Found{Path: rel, Reason: "it cannot be read: " + withoutPath(err)})
			return nil
		case err != nil:
			return err
		case rel != "." && hidden(d.Name()):
			if d.Name()[0] == '_' {
				skipped = append(skipped, Found{Path: rel, Reason: "its name begins with an underscore, so it is not data of a table"})
			}
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if ownStore(folder, rel) && rel != "." {
				skipped = append(skipped, Found{Path: rel, Reason: "da keeps its own state or snapshots there"})
				return fs.SkipDir
			}
			why, typ := managed(folder, rel)
			if typ != "" {
				found = append(found, Found{ID: rel, Path: rel, Type: typ})
				return fs.SkipDir
			}
			if why != "" {
				skipped = append(skipped, Found{Path: rel, Reason: why})
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() {
			if typ := database(folder, rel); typ != "" {
				found = append(found, Found{File: rel, Type: typ})
				return nil
			}
		}
		if reason := unsuitable(rel, d); reason != "" {
			skipped = append(skipped, Found{Path: rel, Reason: reason, Next: wayOn(rel)})
			return nil
		}
		pattern, stem := relationOf(rel)
		if groups[pattern] == nil {
			groups[pattern] = &Found{ID: stem, Path: pattern}
			order = append(order, pattern)
		}
		groups[pattern].Files++
		groups[pattern].members = append(groups[pattern].members, rel)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, pattern := range order {
		found = append(found, *groups[pattern])
	}
	return found, skipped, nil
}

// ownStore reports whether a folder is a home of da, one of the stores in it, or the state of
// a server.
func ownStore(root fs.FS, dir string) bool {
	has := func(name string) bool {
		_, err := fs.Stat(root, path.Join(dir, name))
		return err == nil
	}
	return has(".names") || has("snapshots/.names") || has(".lock") && (has("state.db") || has("index.db"))
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
		return "not a parquet, CSV, TSV or JSON file"
	case strings.Contains(rel, `\`):
		return "its name holds a backslash; rename it to have it as a table"
	}
	return ""
}

// wayOn returns how a file that a lake does not read can be read otherwise. Paths
// in it are below the folder.
func wayOn(rel string) []api.Step {
	f := format.Of(rel)
	switch ext := strings.ToLower(path.Ext(rel)); {
	case f.Kind == format.JSON:
		return []api.Step{api.Do(api.ActionMap, "see what is in it", "path", rel)}
	case f.Kind != "" && !f.InLakes, ext == ".txt", ext == ".dat":
		return []api.Step{api.Do(api.ActionMap, "look into it", "path", rel),
			api.Do(api.ActionImport, "make a snapshot of it", "path", rel, "as", "NAME")}
	case slices.Contains([]string{".pdf", ".docx", ".docm", ".pptx", ".pptm"}, ext):
		return []api.Step{api.Do(api.ActionPutFile, "store it in the workspace, which reads its text", "path", rel)}
	case slices.Contains([]string{".doc", ".rtf", ".odt"}, ext):
		return savedFirst(rel, ".docx")
	case slices.Contains([]string{".ppt", ".odp"}, ext):
		return savedFirst(rel, ".pptx")
	}
	return nil
}

// savedFirst is wayOn for a document of a format that is not read.
func savedFirst(rel, ext string) []api.Step {
	return []api.Step{api.Do(api.ActionPutFile, "store it in the workspace, which reads its text, once it is saved as "+ext, "path",
		strings.TrimSuffix(rel, path.Ext(rel))+ext)}
}

// relationOf returns the relation that a file belongs to, and a name for it.
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
		return globbed.Replace(top) + "/**/*" + ext, top
	}
	if dir == "" {
		return rel, strings.TrimSuffix(base, ext)
	}
	return globbed.Replace(dir) + "/*" + ext, dir
}

// globbed escapes the special characters of a pattern.
var globbed = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")

// extensionOf returns the extension that determines the format, as it is written.
func extensionOf(base string) string {
	packing := format.Packing(base)
	return path.Ext(strings.TrimSuffix(base, packing)) + packing
}

// tableID makes an id from the name of a file or folder.
func tableID(name string) string { return cmp.Or(api.NameFrom(name), "table") }

// FreeID makes an id from a name, with a number if it is taken, and marks it as taken.
func FreeID(name string, taken map[string]bool) string {
	id := tableID(name)
	free := id
	for n := 2; taken[free]; n++ {
		suffix := "_" + strconv.Itoa(n)
		free = id[:min(len(id), api.MaxName-len(suffix))] + suffix
	}
	taken[free] = true
	return free
}
