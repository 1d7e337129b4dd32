package lake

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A folder can hold a table whose format lists the files that count. Its other data
// files are older versions, or hold rows that are deleted, so they are never read
// as plain files.

// managers are those formats, each with the folder that holds its list.
var managers = []struct{ name, folder string }{
	{"a Delta table", "_delta_log"},
	{"an Iceberg table", "metadata"},
	{"a Hudi table", ".hoodie"},
}

// icebergFile is how the names of the files end that make a folder of metadata one
// of Iceberg's.
const icebergFile = ".metadata.json"

// managed says which format manages a folder, "" if none does.
func managed(root fs.FS, dir string) string {
	for _, m := range managers {
		entries, err := fs.ReadDir(root, path.Join(dir, m.folder))
		if err == nil && (m.folder != "metadata" || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), icebergFile) })) {
			return notPlain(m.name, m.folder)
		}
	}
	return ""
}

// managedKey is the folder that an object's key shows to be managed, and by what.
func managedKey(key string) (dir, why string) {
	parts := strings.Split(key, "/")
	for i, part := range parts[:len(parts)-1] {
		for _, m := range managers {
			if part == m.folder && (part != "metadata" || i == len(parts)-2 && strings.HasSuffix(key, icebergFile)) {
				return path.Join(append([]string{"."}, parts[:i]...)...), notPlain(m.name, m.folder)
			}
		}
	}
	return "", ""
}

func notPlain(name, folder string) string {
	return "it is " + name + ", whose folder " + folder + " says which of its files count; such tables are not read"
}

// plain refuses files of a folder that is managed; managedBy tells what manages one.
func plain(files []file, managedBy func(dir string) string) error {
	seen := map[string]bool{}
	for _, f := range files {
		for dir := path.Dir(f.rel); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			if why := managedBy(dir); why != "" {
				e := badPath(dir, why)
				e.Hint = "Have the program that writes it export its current rows as plain parquet files into another folder, and make that a table."
				return e
			}
		}
	}
	return nil
}

// errManaged ends a listing.
var errManaged = errors.New("managed")
