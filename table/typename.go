package table

import "strings"

// typeName puts the engine's type in the words of the contract.
func typeName(sql string) string {
	base, _, _ := strings.Cut(strings.ToUpper(sql), "(")
	switch base = strings.TrimSpace(base); {
	case strings.HasSuffix(sql, "]"):
		return "list"
	case base == "STRUCT" || base == "MAP" || base == "UNION":
		return "struct"
	case strings.HasSuffix(base, "INT") || base == "INTEGER" || base == "UINTEGER" || base == "BIGNUM":
		return "integer"
	case base == "DECIMAL":
		return "decimal"
	case base == "DOUBLE" || base == "FLOAT":
		return "float"
	case base == "BOOLEAN":
		return "boolean"
	case base == "DATE":
		return "date"
	case base == "TIMESTAMP WITH TIME ZONE":
		return "timestamptz"
	case strings.HasPrefix(base, "TIMESTAMP"):
		return "timestamp"
	case strings.HasPrefix(base, "TIME"):
		return "time"
	case base == "JSON":
		return "json"
	case base == "BLOB":
		return "blob"
	}
	return "string"
}
