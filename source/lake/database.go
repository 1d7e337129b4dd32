package lake

import (
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/sqliterows"
)

// database returns the type of the source that reads a database file, "" if the file is
// none.
func database(folder fs.FS, rel string) api.SourceType {
	switch strings.ToLower(path.Ext(rel)) {
	case ".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db", ".db3":
	default:
		return ""
	}
	f, err := folder.Open(rel)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 16)
	switch _, err := io.ReadFull(f, head); {
	case err != nil:
		return ""
	case string(head) == sqliterows.Magic:
		return api.SourceSQLite
	case string(head[8:12]) == "DUCK":
		return api.SourceDuckDB
	}
	return ""
}
