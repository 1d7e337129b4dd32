package delta

import (
	"slices"

	"github.com/agnes-data/da/source/listed"
)

// simple are the engine's types.
var simple = map[string]string{
	"boolean": "BOOLEAN", "byte": "TINYINT", "short": "SMALLINT", "integer": "INTEGER", "long": "BIGINT", "float": "FLOAT", "double": "DOUBLE",
	"string": "VARCHAR", "binary": "BLOB", "date": "DATE", "timestamp": "TIMESTAMP WITH TIME ZONE", "timestamp_ntz": "TIMESTAMP",
	"variant": "VARIANT", "void": "VARCHAR", // all of it is NULL
}

// physical is the name of a field in the files of a table that maps columns.
func physical(f *listed.Field) string {
	if f.Metadata.Physical != "" {
		return f.Metadata.Physical
	}
	return f.Name
}

// widened reports whether older files may have other types of a field, or inside of it.
func widened(f *listed.Field) bool {
	return len(f.Metadata.Changes) > 0 || slices.ContainsFunc(f.Type.Inside(), widened)
}
