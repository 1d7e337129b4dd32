package duckdb

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agnes-data/da/api"
)

// AttachedFile is the name of a database file that somebody else wrote, once it is
// attached.
const AttachedFile = "database_file"

// AttachedTables selects the tables in such a file: their names, with that of the
// schema if it is not main, and what a statement calls them. Views are not among
// them: they run what somebody else wrote.
const AttachedTables = `SELECT CASE schema_name WHEN 'main' THEN table_name ELSE schema_name || '.' || table_name END AS name,
	'` + AttachedFile + `."' || replace(schema_name, '"', '""') || '"."' || replace(table_name, '"', '""') || '"' AS relation
	FROM duckdb_tables() WHERE database_name = '` + AttachedFile + `' AND NOT internal AND NOT temporary ORDER BY 1`

// AttachedViews selects the names of the views; the second column says that they are no tables.
const AttachedViews = `SELECT CASE schema_name WHEN 'main' THEN view_name ELSE schema_name || '.' || view_name END, false
	FROM duckdb_views() WHERE database_name = '` + AttachedFile + `' AND NOT internal AND NOT temporary`

// StorageVersion is the latest form of database files that the engine reads.
const StorageVersion = 68

// CheckStorage refuses a file that is no database, or that a later release has written.
func CheckStorage(file io.ReaderAt) error {
	head := make([]byte, 20)
	if _, err := file.ReadAt(head, 0); err != nil || !bytes.Equal(head[8:12], []byte("DUCK")) {
		return &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable, Message: "the file is not of DuckDB"}
	}
	if v := binary.LittleEndian.Uint64(head[12:]); v > StorageVersion {
		return &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable,
			Message: fmt.Sprintf("a later release of DuckDB wrote the file (storage version %d; up to %d can be read)", v, StorageVersion),
			Hint:    "With that release, copy it for older ones: ATTACH 'older.duckdb' AS older (STORAGE_VERSION 'v1.5.0'); COPY FROM DATABASE name TO older."}
	}
	return nil
}

// ExplainLock names the one reason for which a sound file cannot be attached.
func ExplainLock(err error) error {
	var e *Error
	if errors.As(err, &e) && strings.Contains(e.Message, "Could not set lock") {
		return &api.Error{Code: api.CodeSource, Kind: api.KindChangedMeanwhile, Message: "another program has opened the file for writing",
			Err: err, Hint: "Close it there and ask again, or have that program write a copy: COPY FROM DATABASE."}
	}
	return err
}

// Attached lists AttachedTables: what a statement calls them, by name.
func (c *Conn) Attached(ctx context.Context) (relations map[string]string, err error) {
	text := ""
	if err := c.QueryRow(ctx, "SELECT to_json(map_from_entries(list((name, relation))))::VARCHAR FROM ("+AttachedTables+")", nil,
		&text); err != nil {
		return nil, err
	}
	return relations, json.Unmarshal([]byte(text), &relations)
}
