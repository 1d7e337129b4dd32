package lake

import (
	"io"
	"io/fs"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
)

// database returns the type of the source that reads a database file, "" if the file is
// none.
func database(folder fs.FS, rel string) api.SourceType {
	if name := format.Of(rel).Name; name != "duckdb" && name != "sqlite" && name != "database" {
		return ""
	}
	f, err := folder.Open(rel)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, format.HeadSize)
	if _, err := io.ReadFull(f, head); err != nil {
		return ""
	}
	switch format.Begins(head) {
	case format.SQLite:
		return api.SourceSQLite
	case format.DuckDB:
		return api.SourceDuckDB
	}
	return ""
}
