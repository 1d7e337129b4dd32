package receipt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// saying are the fields of an answer that describe the result, not where or how
// fast it was found.
var saying = []string{"columns", "column_types", "constant", "rows_total", "row_count", "truncated", "elided", "stats", "total_rows"}

// Digest returns a hash of the content of a tool's answer, and the number of rows
// of the whole result. The hash ignores the order of rows and compares floats to
// 12 digits, because engines add up in several threads.
func Digest(answer []byte) (sum string, rows int64) {
	dec := json.NewDecoder(bytes.NewReader(answer))
	dec.UseNumber()
	var doc map[string]any
	if dec.Decode(&doc) != nil {
		hash := sha256.Sum256(answer)
		return hex.EncodeToString(hash[:]), 0
	}
	kept, rows := said(doc)
	text, _ := json.Marshal(kept) // keys in order
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:]), rows
}

// said returns the content of an answer, for one statement or for each of
// several.
func said(doc map[string]any) (kept map[string]any, rows int64) {
	kept = map[string]any{}
	if results, ok := doc["results"].([]any); ok {
		for _, r := range results {
			item, _ := r.(map[string]any)
			one, n := said(item)
			kept[fmt.Sprint(item["statement"])], rows = one, rows+n
		}
		return kept, rows
	}
	for _, name := range saying {
		if v, ok := doc[name]; ok {
			kept[name] = rounded(v)
		}
	}
	var lines []string
	if list, ok := doc["rows"].([]any); ok {
		for _, row := range list {
			line, _ := json.Marshal(rounded(row)) // it came as JSON
			lines = append(lines, string(line))
		}
		rows = int64(len(list))
	}
	slices.Sort(lines)
	kept["rows"] = lines
	if n, ok := doc["rows_total"].(json.Number); ok {
		rows, _ = n.Int64()
	}
	return kept, rows
}

// rounded is a value with its floats to 12 digits.
func rounded(v any) any {
	switch v := v.(type) {
	case json.Number:
		if !strings.ContainsAny(string(v), ".eE") {
			return v
		}
		f, err := v.Float64()
		if err != nil {
			return v
		}
		return json.Number(strconv.FormatFloat(f, 'g', 12, 64))
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = rounded(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k := range v {
			out[k] = rounded(v[k])
		}
		return out
	}
	return v
}
