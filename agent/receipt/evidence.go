package receipt

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/numerals"
)

// evidence is what an answer of a tool says of data: the numbers, days and times
// of day in rows, statistics, texts and descriptions. What it says of itself does
// not count: ids, hashes, paths, names, estimates and sizes.
type evidence struct {
	numbers      []number
	dates, times []string
	caveats      []api.Caveat
	rows         []any // of the answer, each a list of values; nil if it has none
	columns      []any // the names of those of the rows
	arguments    string
}

// evidenceIn reads the answer of a tool to a call with arguments.
func evidenceIn(answer, arguments string) *evidence {
	e := &evidence{arguments: strings.ToLower(arguments)}
	if doc, ok := decoded(answer).(map[string]any); ok {
		rows, window := doc["rows"].([]any)
		e.rows = rows
		e.columns, _ = doc["columns"].([]any)
		e.object(doc, window)
	}
	return e
}

// asked is what the arguments of a call, or a question, say.
func asked(text string) *evidence {
	e := &evidence{}
	if doc := decoded(text); doc != nil {
		e.addAll(doc, number{prose: true})
	} else {
		e.text(text, number{prose: true})
	}
	return e
}

func decoded(text string) (doc any) {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	if dec.Decode(&doc) != nil {
		return nil
	}
	return doc
}

// Fields whose whole content is data, and those that count rows and columns of
// tables.
var (
	dataFields  = []string{"constant", "values", "value", "description", "text", "content", "misfits", "most_common", "histogram"}
	countFields = []string{"rows", "row_count", "rows_in_table", "column_count", "columns_total", "rows_equal", "rows_containing"}
	// aside holds no facts, whatever its fields are called.
	aside = []string{"estimate", "remaining", "rest", "next", "report", "file"}
	// nameFields are what is not data in the description of a column.
	nameFields = []string{"name", "column", "type", "inferred_type", "index", "precision", "scale"}
)

// object takes the data of an object of an answer. window says that the answer has
// rows, so that counts in it are of these rows.
func (e *evidence) object(doc map[string]any, window bool) {
	for name, v := range doc {
		list, isList := v.([]any)
		switch v := v.(type) {
		case map[string]any, []any:
			switch {
			case slices.Contains(aside, name):
			case name == "rows" && isList:
				columns, _ := doc["columns"].([]any)
				for row := range list {
					e.row(list, row, columns)
				}
			case slices.Contains(dataFields, name):
				e.addAll(v, number{alone: name == "constant"})
			case name == "columns" && isList:
				e.statistics(list)
			case name == "caveats" && isList:
				e.caveatsIn(list)
			default:
				e.within(v, window)
			}
		default:
			_, isNumber := v.(json.Number)
			if slices.Contains(dataFields, name) && !isNumber || slices.Contains(countFields, name) && isNumber && !window || name == "size_hint" {
				e.addAll(v, number{alone: true})
			}
		}
	}
}

func (e *evidence) within(v any, window bool) {
	switch v := v.(type) {
	case map[string]any:
		_, rows := v["rows"].([]any)
		e.object(v, window || rows)
	case []any:
		for _, item := range v {
			e.within(item, window)
		}
	}
}

// row takes the values of a row of a result.
func (e *evidence) row(rows []any, row int, columns []any) {
	values, ok := rows[row].([]any)
	if !ok {
		e.addAll(rows[row], number{})
	}
	for i, value := range values {
		e.addAll(value, e.place(rows, row, columns, i))
	}
}

// place is what tells of the number in a row and a column of a result.
func (e *evidence) place(rows []any, row int, columns []any, column int) number {
	n := number{alone: len(rows) == 1, rows: rows}
	n.row, _ = rows[row].([]any)
	if column < len(columns) {
		n.of, _ = columns[column].(string)
	}
	n.share = isShare(n.of, e.arguments)
	return n
}

// statistics takes the statistics and descriptions of columns.
func (e *evidence) statistics(list []any) {
	for _, item := range list {
		column, _ := item.(map[string]any)
		own, _ := column["name"].(string)
		for name, v := range column {
			if !slices.Contains(nameFields, name) {
				e.addAll(v, number{of: own + " " + name, share: isShare(own+" "+name, "")})
			}
		}
	}
}

// caveatsIn takes caveats, whose texts are da's own words about the rows.
func (e *evidence) caveatsIn(list []any) {
	for _, item := range list {
		var c api.Caveat
		text, _ := json.Marshal(item) // came as JSON
		if json.Unmarshal(text, &c) == nil {
			e.text(c.Text, number{})
			e.caveats = append(e.caveats, c)
		}
	}
}

// addAll takes every value; n says of what the numbers are.
func (e *evidence) addAll(v any, n number) {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil {
			e.add(f, n)
		}
	case string:
		e.text(v, n)
	case []any:
		for _, item := range v {
			e.addAll(item, n)
		}
	case map[string]any:
		beside := slices.Collect(maps.Values(v))
		for name, item := range v {
			of := strings.TrimSpace(n.of + " " + name)
			e.addAll(item, number{of: of, share: n.share || isShare(name, ""), row: beside, alone: n.alone, prose: n.prose})
		}
	}
}

func (e *evidence) add(value float64, n number) {
	n.value = value
	e.numbers = append(e.numbers, n)
}

// moment matches days, months and times of day in texts of results.
var moment = lazyregexp.New(`\b([0-9]{4})-([0-9]{2})(?:-[0-9]{2})?(?:\b|T)|\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?\b`)

// maxWords bounds the words of one text that are looked at.
const maxWords = 20_000

// text takes the days, times and numbers of a text. Digits in words with letters,
// as in names, ids and hashes, are no numbers. A text that is a number is one; n says
// of what.
func (e *evidence) text(text string, n number) {
	if !strings.ContainsAny(text, "0123456789") {
		return
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		e.add(f, n)
		return
	}
	for _, m := range moment().FindAllStringSubmatch(splitMoments(text), maxWords) {
		if m[1] == "" {
			e.times = append(e.times, m[0])
			continue
		}
		e.dates = append(e.dates, strings.TrimSuffix(m[0], "T"))
		year, _ := strconv.ParseFloat(m[1], 64) // four digits
		e.add(year, number{prose: true})
	}
	for _, s := range figuresIn(text) {
		if day := s.date(); day != "" {
			e.dates = append(e.dates, day)
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\u00a0\u202f;|()[]{}=<>+*$€£%\"", r) })
	for _, word := range words[:min(len(words), maxWords)] {
		if word = strings.Trim(word, ".,:!?'-–"); strings.Trim(word, "0123456789.,'-–/") == "" {
			e.digits(word)
		}
	}
}

// digits takes the numbers of a word without letters.
func (e *evidence) digits(word string) {
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '–' || r == '/' })
	if strings.Count(word, ",") > 1 { // a list, if the commas part no groups
		parts = append(parts, strings.Split(word, ",")...)
	}
	for _, part := range parts {
		for _, r := range numerals.Readings(part) {
			e.add(r.Value, number{prose: true})
		}
	}
}

// joined matches the T between a day and a time of day, and the Z behind one, as ISO 8601
// writes them.
var joined = lazyregexp.New(`[0-9](?:T[0-9]{2}:|Z\b)`)

// splitMoments parts a moment such as 2026-01-02T03:04Z into a day and a time of day.
func splitMoments(text string) string {
	return joined().ReplaceAllStringFunc(text, func(s string) string { return s[:1] + " " + s[2:] })
}
