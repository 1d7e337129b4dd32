package lake

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
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

// keyTypes are the types of partition keys besides text. Each reads a value as
// what tells it from other values.
var keyTypes = []struct {
	name string
	read func(text string) (value int64, ok bool)
}{
	{"BIGINT", func(text string) (int64, bool) {
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil && text[0] != '+' && (n != 0 || text[0] != '-')
	}},
	{"BOOLEAN", func(text string) (int64, bool) {
		switch text {
		case "true", "True", "TRUE":
			return 1, true
		case "false", "False", "FALSE":
			return 0, true
		}
		return 0, false
	}},
	{"DATE", func(text string) (int64, bool) { return moment(text, time.DateOnly) }},
	{"TIMESTAMP", func(text string) (int64, bool) {
		return moment(text, time.DateTime, "2006-01-02T15:04:05", time.DateOnly)
	}},
}

// moment reads a date or time of at most microseconds.
func moment(text string, layouts ...string) (int64, bool) {
	for _, layout := range layouts {
		t, err := time.Parse(layout, text)
		if err == nil && t.Year() > 0 && len(text) <= len("2006-01-02 15:04:05.000000") && !strings.Contains(text, ",") {
			return t.UnixMicro(), true
		}
	}
	return 0, false
}

// keyType is the engine's type for a partition key: the first in which each of its
// values is exact and differs from the others, else text. All values decide, so that
// no order of the files and no single one of them rounds the others.
func keyType(values []string) string {
	texts := map[string]bool{}
	for _, v := range values {
		if text, ok := hiveValue(v); ok {
			texts[text] = true
		}
	}
	for _, t := range keyTypes {
		read := map[int64]bool{}
		for text := range texts {
			if v, ok := t.read(text); ok {
				read[v] = true
			}
		}
		if len(read) > 0 && len(read) == len(texts) {
			return t.name
		}
	}
	return "VARCHAR"
}
