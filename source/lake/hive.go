package lake

import (
	"net/url"
	"path"
	"strings"
)

// hiveNull is how Hive writes NULL into a folder's name. DuckDB takes the word
// NULL for it as well.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// hiveParts returns the partition keys and values in a file's folders. They
// are recognised as DuckDB does: one equals sign, not first, not in the file's
// own name.
func hiveParts(rel string) (keys, values []string) {
	for _, part := range strings.Split(path.Dir(rel), "/") {
		key, value, ok := strings.Cut(part, "=")
		if ok && key != "" && !strings.ContainsAny(value, "=") && !strings.ContainsAny(part, "?\n") {
			keys = append(keys, key)
			values = append(values, value)
		}
	}
	return keys, values
}

// hiveValue decodes a value; false is NULL.
func hiveValue(value string) (string, bool) {
	if value == hiveNull || strings.EqualFold(value, "NULL") {
		return "", false
	}
	if decoded, err := url.PathUnescape(value); err == nil {
		return decoded, true
	}
	return value, true
}
