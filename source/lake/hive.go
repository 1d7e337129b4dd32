package lake

import (
	"fmt"
	"net/url"
	"path"
	"strings"
)

// hiveNull is how Hive writes NULL into a folder's name. DuckDB takes the word
// NULL for it as well.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// hiveParts returns the partition keys and values in a file's folders. Like
// DuckDB it recognises a folder name with one equals sign, not at the start; the
// file's own name does not count.
func hiveParts(rel string) (keys, values []string) {
	for _, part := range strings.Split(path.Dir(rel), "/") {
		key, value, ok := strings.Cut(part, "=")
		if ok && key != "" && !strings.ContainsAny(value, "=") && !strings.ContainsAny(key, "?\n") {
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

// hiveEncoded encodes a value so that it is the name of a single folder, from
// which the engine reads the same value.
func hiveEncoded(value string) string {
	text, ok := hiveValue(value)
	if !ok {
		return hiveNull
	}
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c < ' ' || strings.IndexByte(`*?[]{}\/%="'`, c) >= 0 || i == 0 && strings.EqualFold(text, "NULL") {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
