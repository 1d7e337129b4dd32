package bigquery

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"
)

// jsonText writes a nested value as TO_JSON_STRING does, following the table of
// JSON encodings in BigQuery's documentation. The documentation leaves out
// INTERVAL, RANGE and the digits of seconds. With these, a sample may differ from
// the same row of a scan.
func jsonText(f *bigquery.FieldSchema, v bigquery.Value) string {
	return string(appendJSON(nil, f, v, f.Repeated))
}

func appendJSON(b []byte, f *bigquery.FieldSchema, v bigquery.Value, repeated bool) []byte {
	list, nested := v.([]bigquery.Value)
	switch {
	case v == nil:
		return append(b, "null"...)
	case nested && repeated:
		b = append(b, '[')
		for i, e := range list {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, f, e, false)
		}
		return append(b, ']')
	case nested && len(list) == len(f.Schema):
		b = append(b, '{')
		for i, e := range list {
			if i > 0 {
				b = append(b, ',')
			}
			sub := f.Schema[i]
			b = append(appendText(b, sub.Name), ':')
			b = appendJSON(b, sub, e, sub.Repeated)
		}
		return append(b, '}')
	}
	return appendScalar(b, f, v)
}

// exact is the largest whole number up to which JSON readers keep every number.
const exact = 1 << 53

func appendScalar(b []byte, f *bigquery.FieldSchema, v bigquery.Value) []byte {
	switch v := v.(type) {
	case bool:
		return fmt.Append(b, v)
	case int64:
		if v < -exact || v > exact {
			return appendText(b, fmt.Sprint(v))
		}
		return fmt.Append(b, v)
	case *big.Rat:
		digits, _ := v.FloatPrec()
		text := v.FloatString(digits)
		if !v.IsInt() || v.Cmp(big.NewRat(-exact, 1)) < 0 || v.Cmp(big.NewRat(exact, 1)) > 0 {
			return appendText(b, text)
		}
		return append(b, text...)
	case float64:
		switch {
		case math.IsNaN(v):
			return appendText(b, "NaN")
		case math.IsInf(v, 0):
			return appendText(b, map[bool]string{true: "Infinity", false: "-Infinity"}[v > 0])
		}
		return fmt.Append(b, v)
	case []byte:
		return appendText(b, base64.StdEncoding.EncodeToString(v))
	case time.Time:
		return appendText(b, v.UTC().Format("2006-01-02T15:04:05.999999Z"))
	case civil.DateTime:
		return appendText(b, v.In(time.UTC).Format("2006-01-02T15:04:05.999999"))
	case *bigquery.IntervalValue:
		return appendText(b, v.String())
	case string:
		if f.Type == bigquery.JSONFieldType {
			return append(b, v...)
		}
		return appendText(b, v)
	}
	return appendText(b, fmt.Sprint(v)) // dates and times as they are
}

func appendText(b []byte, s string) []byte {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}
