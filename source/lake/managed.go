package lake

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// A folder can hold a table whose format lists the files that count. Its other data
// files are older versions, or hold rows that are deleted, so they are never read
// as plain files.

// managers are those formats, each with the folder that holds its list, and the type
// of the source that reads such tables, if there is one.
var managers = []struct {
	name, folder string
	typ          api.SourceType
}{
	{"a Delta table", "_delta_log", api.SourceDelta},
	{"an Iceberg table", "metadata", api.SourceIceberg},
	{"a Hudi table", ".hoodie", ""},
}

// icebergFile is how the names of the files end that make a folder of metadata one
// of Iceberg's; the whole may be compressed.
const icebergFile = ".metadata.json"

func isIcebergFile(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), icebergFile)
}

// managed says which format manages a folder, "" if none does, and which type of
// source reads it.
func managed(root fs.FS, dir string) (why string, typ api.SourceType) {
	for _, m := range managers {
		entries, err := fs.ReadDir(root, path.Join(dir, m.folder))
		if err == nil && (m.folder != "metadata" || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return isIcebergFile(e.Name()) })) {
			return notPlain(m.name, m.folder, m.typ), m.typ
		}
	}
	return "", ""
}

// managedKey is the folder that an object's key shows to be managed, and by what.
func managedKey(key string) (dir, why string) {
	parts := strings.Split(key, "/")
	for i, part := range parts[:len(parts)-1] {
		for _, m := range managers {
			if part == m.folder && (part != "metadata" || i == len(parts)-2 && isIcebergFile(key)) {
				return path.Join(append([]string{"."}, parts[:i]...)...), notPlain(m.name, m.folder, m.typ)
			}
		}
	}
	return "", ""
}

func notPlain(name, folder string, typ api.SourceType) string {
	why := "it is " + name + ", whose folder " + folder + " says which of its files count; "
	if typ == "" {
		return why + "such tables are not read"
	}
	return why + "a source of type " + string(typ) + " reads such tables in a folder, and a lake does not"
}

// plain refuses files of a folder that is managed; managedBy tells what manages one.
func plain(files []file, managedBy func(dir string) string) error {
	seen := map[string]bool{}
	for _, f := range files {
		for dir := path.Dir(f.rel); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			if why := managedBy(dir); why != "" {
				e := badPath(dir, why)
				e.Hint = "Name that folder as a table of such a source in the instance file, or have the program that writes it export its current rows as plain parquet files into another folder."
				return e
			}
		}
	}
	return nil
}

// errManaged ends a listing.
var errManaged = errors.New("managed")
