package bqtest

import (
	"fmt"
	"strings"
)

// toJSON is TO_JSON_STRING.
func toJSON(args []val) (val, error) {
	if len(args) != 1 {
		return val{}, cannot("TO_JSON_STRING of this")
	}
	text, err := jsonText(args[0].sql, args[0].typ, 0)
	return of("STRING", "%s", text), err
}

// wholeNumbers are those that JSON's readers keep exactly; others are written
// as texts.
const wholeNumbers = "BETWEEN -9007199254740992 AND 9007199254740992"

// jsonScalars write a value that is not NULL as JSON, by the table of JSON
// encodings in GoogleSQL's documentation. What is missing there (INTERVAL), or
// has a number of digits that it does not fix (times, FLOAT64), is refused.
var jsonScalars = map[string]string{
	"BOOL":   "CAST(%s AS VARCHAR)",
	"INT64":  `CASE WHEN %[1]s ` + wholeNumbers + ` THEN CAST(%[1]s AS VARCHAR) ELSE '"' || %[1]s || '"' END`,
	"STRING": "CAST(to_json(%s) AS VARCHAR)",
	"BYTES":  `'"' || base64(%s) || '"'`,
	"DATE":   `strftime(%s, '"%%Y-%%m-%%d"')`,
	"JSON":   "CAST(%s AS VARCHAR)",
	"NUMERIC": `CASE WHEN %[1]s ` + wholeNumbers + ` AND %[1]s = round(%[1]s) THEN CAST(CAST(%[1]s AS BIGINT) AS VARCHAR)
		ELSE '"' || rtrim(rtrim(CAST(%[1]s AS VARCHAR), '0'), '.') || '"' END`,
	"BIGNUMERIC": `CASE WHEN TRY_CAST(%[1]s AS BIGINT) ` + wholeNumbers + ` AND strpos(%[1]s, '.') = 0 THEN %[1]s ELSE '"' || %[1]s || '"' END`,
}

func jsonText(sql string, t typ, depth int) (string, error) {
	var text string
	switch t.kind {
	case "ARRAY":
		item := fmt.Sprintf("item%d", depth)
		elem, err := jsonText(item, *t.elem, depth+1)
		if err != nil {
			return "", err
		}
		text = fmt.Sprintf("'[' || array_to_string(list_transform(%s, lambda %s: %s), ',') || ']'", sql, item, elem)
	case "STRUCT":
		members := make([]string, len(t.fields))
		for i, f := range t.fields {
			value, err := jsonText("struct_extract("+sql+", "+literal(f.name)+")", f.typ, depth)
			if err != nil {
				return "", err
			}
			members[i] = "CAST(to_json(" + literal(f.name) + ") AS VARCHAR) || ':' || " + value
		}
		text = "'{' || " + strings.Join(members, " || ',' || ") + " || '}'"
	default:
		form, ok := jsonScalars[t.kind]
		if !ok {
			return "", cannot("TO_JSON_STRING of %s", t.kind)
		}
		text = fmt.Sprintf(form, sql)
	}
	return "(CASE WHEN " + sql + " IS NULL THEN 'null' ELSE " + text + " END)", nil
}
