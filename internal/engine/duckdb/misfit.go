package duckdb

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// misfit is the subtype of a call whose arguments have types that neither form
// of the function or operator takes.
const misfit = "NO_MATCHING_FUNCTION"

// mostForms is how many forms of a function a message lists: + has 45.
const mostForms = 8

// cut shortens a message to the first signatures that it lists, one per line,
// after the two lines with the error.
func cut(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	if more := len(lines) - 2 - mostForms; more > 0 {
		lines = append(lines[:2+mostForms], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// word is a name that is called with parentheses; the others are operators.
var word = lazyregexp.New(`^[a-z_][a-z0-9_]*$`)

var (
	// widest matches the error of a cast to what carries integers of 128 bits, ofFloat
	// that of a decimal made of digits that nobody has typed.
	widest  = lazyregexp.New(`^Could not cast value -?\d+ to DECIMAL\(38,0\) when casting from source column (.+?)\.?$`)
	ofFloat = lazyregexp.New(`^Could not cast value -?\d{20,}\.000000 to DECIMAL`)
)

var (
	// mixed matches a comparison of a time with a number, textAsNumber that of a number with
	// a text of the statement, and numeral a text that has digits.
	mixed = lazyregexp.New(`^Cannot (?:compare|mix) values of type (?:(?:DATE|TIMESTAMP)[A-Z_ ]*and (?:type )?(?:[A-Z]*INT|DECIMAL|DOUBLE)|` +
		`(?:[A-Z]*INT|DECIMAL|DOUBLE)[A-Z_()0-9,]* and (?:type )?(?:DATE|TIMESTAMP))`)
	textAsNumber = lazyregexp.New(`^Could not convert string '([^']*)' to (?:U?INT\d+|DOUBLE|FLOAT|DECIMAL[(0-9,)]*)\.?$`)
	numeral      = lazyregexp.New(`\d`)
)

// advised are hints for messages of the engine that say what is wrong, and not what to write.
var advised = []struct{ part, hint string }{
	{"WHERE clause cannot contain aggregates", "WHERE filters single rows. Put the condition on an aggregate into HAVING, after GROUP BY."},
	{"WHERE clause cannot contain window functions", "Put a condition on a window function into QUALIFY, after WHERE and GROUP BY."},
	{"must appear in the GROUP BY clause", "GROUP BY ALL groups by every column that is not in an aggregate."},
	{"aggregate function calls cannot be nested", "Compute the inner aggregate in a subquery or in WITH, and the outer one over its rows."},
	{"same number of result columns", "Name as many columns in each SELECT. UNION ALL BY NAME puts those of one name together, and NULL where one is missing."},
	{"More than one row returned by a subquery", "Compare with IN (SELECT …), or let the subquery return one row: an aggregate, or LIMIT 1."},
	{"Ambiguous reference to column name", "Write the table's name before the column, as in t.id."},
	{"Ambiguous reference to table", "Give each table in FROM another name, as in FROM t AS a JOIN t AS b."},
	{"Could not choose a best candidate function", "Say which type a text or NULL has, as in '5'::INTEGER or '2026-01-31'::DATE."},
	{"Could not parse string", "Write the format as the texts have it. try_strptime gives NULL for texts of another form."},
	{"Malformed JSON", "TRY_CAST(x AS JSON) gives NULL for what is not JSON; json_valid(x) finds those rows."},
}

// Casts says how arguments can be converted to what the function or operator
// accepts; "" if the error is a different one. Mostly this is about numbers
// stored as text because they have too many digits for any type, or about numbers
// that have too many for a decimal.
func (e *Error) Casts() string {
	if m := widest().FindStringSubmatch(e.Message); e.Type == "Conversion" && m != nil {
		return fmt.Sprintf("A result has decimals of at most 38 digits: write %s::VARCHAR, or %[1]s::DOUBLE. "+
			"A fetch takes columns as they are: leave this one out, or run that statement at the source.", Quote(m[1]))
	}
	if e.Type == "Conversion" && ofFloat().MatchString(e.Message) {
		return "A number of more than 38 digits is read as a float; in quotes it keeps its digits, as in '0.5'::DECIMAL(38,10)."
	}
	if m := mixed().FindStringSubmatch(e.Message); e.Type == "Binder" && m != nil {
		return "Write a date in quotes: DATE '2026-01-31'."
	}
	if m := textAsNumber().FindStringSubmatch(e.Message); e.Type == "Conversion" && m != nil && !numeral().MatchString(m[1]) {
		return fmt.Sprintf("'%s' is not a number. Compare with a number, or with a column of text.", m[1])
	}
	if e.Type == "Conversion" {
		return e.written()
	}
	if e.Type == "Out of Range" && strings.Contains(e.Message, "verflow") {
		return "The result is larger than its type holds: compute with a wider type, as in x::HUGEINT, or with x::DOUBLE, which rounds."
	}
	for _, a := range advised {
		if strings.Contains(e.Message, a.part) {
			return a.hint
		}
	}
	if e.Subtype != misfit {
		return ""
	}
	given, _ := strings.CutPrefix(e.Call, e.Name)
	given = strings.Trim(given, "()")
	takes := func(kind string) bool {
		return strings.Contains(e.Forms, "("+kind) || strings.Contains(e.Forms, " "+kind+")") || strings.Contains(e.Forms, " "+kind+",")
	}
	written := func(cast string) string {
		if word().MatchString(e.Name) && !strings.Contains(given, ",") {
			return e.Name + "(" + cast + ")"
		}
		return cast
	}
	text := strings.Contains(given, "VARCHAR") || strings.Contains(given, "JSON")
	spans := ""
	if e.Name == "sum" || e.Name == "avg" {
		spans = fmt.Sprintf(" Durations such as 36:00:00 are counted in seconds: %s.", written("epoch(x::INTERVAL)"))
	}
	switch {
	case given == "INTERVAL" && takes("DOUBLE"):
		return fmt.Sprintf("Take seconds of a span of time: %s.", written("epoch(x)"))
	case text && takes("DECIMAL"):
		return fmt.Sprintf("Text is not a number: cast it, as in %s, or to DOUBLE where the last digits do not matter. TRY_CAST(x AS …) gives NULL for other text.%s",
			written("x::DECIMAL(38,10)"), spans)
	case text && takes("DOUBLE"):
		return fmt.Sprintf("Text is not a number: cast it, as in %s. TRY_CAST(x AS …) gives NULL for other text.", written("x::DOUBLE"))
	case text && takes("TIMESTAMP"):
		return "Text is not a time: cast it, as in x::TIMESTAMP or x::DATE, or read it with strptime(x, '%d.%m.%Y')."
	case takes("VARCHAR"):
		return fmt.Sprintf("It takes text: cast, as in %s.", written("x::VARCHAR"))
	}
	return "Cast the arguments to types that it takes, as in CAST(x AS …)."
}

var (
	badValue = lazyregexp.New(`"([^"]*)"`)
	// datesWritten are ways to write dates which a cast does not read, with their formats.
	datesWritten = []struct {
		text   func() *regexp.Regexp
		format string
	}{
		{lazyregexp.New(`^\d{1,2}\.\d{1,2}\.\d{4}\b`), "%d.%m.%Y"},
		{lazyregexp.New(`^\d{1,2}\.\d{1,2}\.\d{2}\b`), "%d.%m.%y"},
		{lazyregexp.New(`^\d{1,2}/\d{1,2}/\d{4}\b`), "%d/%m/%Y"},
		{lazyregexp.New(`^\d{1,2}-\d{1,2}-\d{4}\b`), "%d-%m-%Y"},
		{lazyregexp.New(`^\d{8}$`), "%Y%m%d"},
	}
	percentWritten = lazyregexp.New(`^-?[\d.,]+ ?%$`)
	commaWritten   = lazyregexp.New(`^-?[\d. ]*\d,\d+$`)
)

// written says how to read a value that a cast does not take.
func (e *Error) written() string {
	const null = "TRY_CAST(… AS …) gives NULL where a value does not fit the type."
	m := badValue().FindStringSubmatch(e.Message + strings.ReplaceAll(e.Message, "'", `"`))
	if m == nil {
		return null
	}
	for _, d := range datesWritten {
		if d.text().MatchString(m[1]) {
			return fmt.Sprintf("Say how the dates are written: strptime(x, '%s')::DATE. try_strptime gives NULL for other text, and TRY_CAST for these, too.", d.format)
		}
	}
	switch {
	case percentWritten().MatchString(m[1]):
		return "Take the sign off first: replace(rtrim(x, ' %'), ',', '.')::DOUBLE. " + null
	case commaWritten().MatchString(m[1]):
		return "Write the decimal mark as a dot first: replace(replace(x, '.', ''), ',', '.')::DOUBLE. " + null
	}
	return null
}
