package checks

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"github.com/agnes-data/da/internal/rows/parquetfile"
)

// HoldsBy reports whether a check holds by what the footer of a file and its dictionaries
// tell. If not, it may hold or not. The types of the columns are those of the engine.
func (c Check) HoldsBy(f *parquetfile.Footer, types map[string]string) bool {
	switch {
	case c.Rows != nil:
		return c.Rows.MaxChange == nil && (c.Rows.Min == nil || f.Rows >= *c.Rows.Min) && (c.Rows.Max == nil || f.Rows <= *c.Rows.Max)
	case c.NotNull != nil:
		for _, name := range c.NotNull {
			if is, known := f.Facts[name]; !known || is.Nulls != 0 {
				return false
			}
		}
		return true
	case c.NullShare != nil:
		is, known := f.Facts[c.NullShare.Column]
		return known && is.Nulls >= 0 && float64(is.Nulls) <= c.NullShare.Max*float64(f.Rows)
	case c.AcceptedValues != nil && types[c.AcceptedValues.Column] == "VARCHAR":
		texts, known := f.Texts(c.AcceptedValues.Column)
		for _, v := range c.AcceptedValues.Values {
			if text, is := v.(string); is {
				delete(texts, text)
			}
		}
		return known && len(texts) == 0
	case c.Range != nil:
		is, typ := f.Facts[c.Range.Column], types[c.Range.Column]
		return beyond(is.Least, c.Range.Min, typ, 1) && beyond(is.Most, c.Range.Max, typ, -1)
	}
	return false
}

// beyond reports whether a value of a file is surely not below a bound, or by sign -1 not
// above it. There may be no bound.
func beyond(value, bound any, typ string, sign int) bool {
	if bound == nil {
		return true
	}
	v, b := new(big.Rat), new(big.Rat)
	var precision, scale int64
	switch x := value.(type) {
	case int64:
		v.SetInt64(x)
		if n, _ := fmt.Sscanf(typ, "DECIMAL(%d,%d)", &precision, &scale); n == 2 {
			v.Quo(v, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(scale), nil)))
		} else if typ != "BIGINT" && typ != "INTEGER" && typ != "SMALLINT" && typ != "TINYINT" {
			return false
		}
	case float64:
		if v.SetFloat64(x) == nil || typ != "DOUBLE" {
			return false
		}
	default:
		return false
	}
	switch bound.(type) {
	case int64, uint64, int, float64, json.Number:
	default:
		return false
	}
	text := fmt.Sprint(bound)
	if _, ok := b.SetString(text); !ok {
		return false
	}
	if f, err := strconv.ParseFloat(text, 64); typ == "DOUBLE" && (err != nil || b.SetFloat64(f) == nil) {
		return false
	}
	return v.Cmp(b)*sign >= 0
}
