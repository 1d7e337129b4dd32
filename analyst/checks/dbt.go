package checks

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// dbtFile is a file of properties of dbt, as far as tests are in it. What else it says
// is of no matter here.
type dbtFile struct {
	Models    []dbtModel `yaml:"models"`
	Seeds     []dbtModel `yaml:"seeds"`
	Snapshots []dbtModel `yaml:"snapshots"`
	Sources   []struct {
		Tables []dbtModel `yaml:"tables"`
	} `yaml:"sources"`
}

// dbtModel is a model, or a column of one.
type dbtModel struct {
	Name      string     `yaml:"name"`
	Tests     []any      `yaml:"tests"`
	DataTests []any      `yaml:"data_tests"`
	Columns   []dbtModel `yaml:"columns"`
}

// dbtTest is a test with its arguments.
type dbtTest struct {
	model    string
	kind     string
	column   string // empty: of the whole model
	name     string
	where    string
	severity Severity
	off      bool
	of       map[string]any
}

// readDBT reads the tests of a file of dbt; ok is false for another file.
func readDBT(text string) (f *File, ok bool, err error) {
	var doc dbtFile
	if yaml.Unmarshal([]byte(text), &doc) != nil {
		return nil, false, nil //nolint:nilerr // read as a file of checks, it is told what is wrong
	}
	models := append(append(doc.Models, doc.Seeds...), doc.Snapshots...)
	for _, s := range doc.Sources {
		models = append(models, s.Tables...)
	}
	if len(models) == 0 {
		return nil, false, nil
	}
	f = &File{Tables: map[string]Table{}}
	for _, m := range models {
		t := Table{}
		add := func(column string, tests []any) {
			for _, one := range tests {
				test := dbtTestOf(m.Name, column, one)
				if test.off {
					continue
				}
				c, err := test.check()
				if err != nil {
					f.Unread = append(f.Unread, api.Caveat{Kind: api.CaveatUnread,
						Text: fmt.Sprintf("the test %s of %s was not run: %v", api.Clip(test.kind, 60), strings.TrimSuffix(m.Name+"."+column, "."), err)})
					continue
				}
				t.Checks = append(t.Checks, c)
			}
		}
		add("", append(m.Tests, m.DataTests...))
		for _, c := range m.Columns {
			add(c.Name, append(c.Tests, c.DataTests...))
		}
		if len(t.Checks) > 0 {
			f.Tables[m.Name] = t
		}
	}
	if len(f.Tables) == 0 {
		return nil, true, errors.New("no model of it has a test that da knows")
	}
	return f, true, nil
}

// dbtTestOf reads a test, which is its name or an object with one member.
func dbtTestOf(model, column string, test any) dbtTest {
	t := dbtTest{model: model, column: column, of: map[string]any{}}
	object, _ := test.(map[string]any)
	t.kind, _ = test.(string)
	for key, value := range object {
		inner, isObject := value.(map[string]any)
		if (isObject || value == nil) && key != "config" && key != "arguments" {
			t.kind = key
			t.take(inner)
		}
	}
	if t.kind == "" { // the form with test_name
		t.kind = textOf(object["test_name"])
		t.take(object)
	}
	return t
}

func (t *dbtTest) take(of map[string]any) {
	for key, value := range of {
		inner, _ := value.(map[string]any)
		switch key {
		case "arguments", "config":
			t.take(inner)
		case "severity":
			t.severity = Severity(strings.ToLower(textOf(value)))
		case "where", "row_condition":
			t.where = textOf(value)
		case "enabled":
			if t.off = value == false; value != true && value != false {
				t.of[key] = value
			}
		case "test_name", "tags", "meta", "description", "alias", "store_failures", "store_failures_as", "limit", "is_raw": // not what is tested
		case "name":
			t.name = textOf(value)
		default:
			t.of[key] = value
		}
	}
}

// check returns the test as a check. The error says why a test cannot be one.
func (t dbtTest) check() (Check, error) {
	c := Check{Name: t.name, Severity: t.severity}
	column := cmp.Or(t.column, textOf(t.of["column_name"]), textOf(t.of["column"]))
	known, err := t.common()
	if err != nil {
		return c, err
	}
	takes := func(names ...string) { known = append(known, names...) }
	switch kind := t.kind[strings.LastIndex(t.kind, ".")+1:]; kind { // without its package
	case "not_null", "expect_column_values_to_not_be_null":
		c.NotNull = []string{column}
	case "unique", "expect_column_values_to_be_unique":
		c.Unique = []string{column}
	case "unique_combination_of_columns":
		takes("combination_of_columns")
		c.Unique = textsOf(t.of["combination_of_columns"])
	case "expect_compound_columns_to_be_unique":
		if takes("column_list"); t.of["ignore_row_if"] == "any_value_is_missing" {
			takes("ignore_row_if")
		}
		c.Unique = textsOf(t.of["column_list"])
	case "accepted_values", "expect_column_values_to_be_in_set":
		takes("values", "value_set")
		values, isList := t.of["values"].([]any)
		if !isList {
			values, _ = t.of["value_set"].([]any)
		}
		takes(t.quotes(values)...)
		c.AcceptedValues = &Accepted{Column: column, Values: values}
	case "accepted_range", "expect_column_values_to_be_between":
		takes("min_value", "max_value", "inclusive", "strictly")
		c.Range = &Range{Column: column, Min: t.of["min_value"], Max: t.of["max_value"]}
		if sql := t.between(quote(column), " > ", " < "); sql != "" && (t.of["inclusive"] == false || t.of["strictly"] == true) {
			c.Range, c.Condition = nil, quote(column)+" IS NULL OR "+sql
		}
	case "expect_column_values_to_match_regex":
		takes("regex")
		c.Pattern = &Pattern{Column: column, Regex: textOf(t.of["regex"])}
	case "relationships":
		takes("to", "field")
		c.Relationships = &Related{Column: column, To: modelOf(textOf(t.of["to"])), Field: textOf(t.of["field"])}
	case "expression_is_true":
		takes("expression") // for dbt, NULL is not false
		if sql := strings.TrimSpace(column + " " + textOf(t.of["expression"])); sql != column {
			c.Name, c.Condition = cmp.Or(c.Name, sql), "("+sql+") IS NOT FALSE"
		}
	case "expect_table_row_count_to_be_between":
		takes("min_value", "max_value")
		c.Rows = &Rows{Min: wholeOf(t.of["min_value"]), Max: wholeOf(t.of["max_value"])}
	default:
		names := t.further(kind, column, &c)
		if names == nil {
			names = t.whole(kind, column, &c)
		}
		if names == nil {
			return c, errors.New("da has no check like it")
		}
		takes(names...)
	}
	for _, name := range slices.Sorted(maps.Keys(t.of)) {
		if !slices.Contains(known, name) {
			return c, fmt.Errorf("da does not know its argument %s", api.Clip(name, 60))
		}
	}
	if t.where == "" {
		_, err = c.Compile(Table{}, time.Time{})
		return c, err
	}
	return t.ofSome(c)
}

// ofSome limits a check to the rows that the test's where selects.
func (t dbtTest) ofSome(c Check) (Check, error) {
	compiled, err := c.Compile(Table{}, time.Time{})
	if err != nil || c.Empty != "" { // a statement of its own has it
		return c, err
	}
	if c.Freshness != nil { // its age is that of the moment when it runs
		return c, errors.New("da does not know its argument where")
	}
	some := "(SELECT * FROM " + quote(t.model) + " WHERE " + t.where + ")"
	c = Check{Name: compiled.Name, Severity: t.severity}
	switch {
	case compiled.Condition != "":
		c.Condition = "(" + t.where + ") IS NOT TRUE OR (" + compiled.Condition + ")"
	case compiled.Whole != "":
		c.Empty = "SELECT " + compiled.Seen + " AS seen FROM " + some + " HAVING (" + compiled.Whole + ") IS NOT TRUE"
	case compiled.Broken != nil && !compiled.Free:
		c.Empty = "SELECT * FROM " + compiled.Broken(some)
	default:
		return c, errors.New("da does not know its argument where")
	}
	return c, nil
}

// common returns the arguments that any test may have and da understands. The error says why a test
// cannot be read.
func (t dbtTest) common() ([]string, error) {
	known := []string{"column_name", "column"}
	if templated(t.where) {
		return nil, errors.New("its where is written in Jinja")
	}
	for _, name := range slices.Sorted(maps.Keys(t.of)) {
		if templated(t.of[name]) {
			return nil, fmt.Errorf("its argument %s is written in Jinja", api.Clip(name, 60))
		}
	}
	for name, than := range map[string]string{"warn_if": "", "error_if": "warn"} { // how many rows must break it
		switch strings.ReplaceAll(textOf(t.of[name]), " ", "") {
		case ">0", ">=1", "!=0", "<>0":
			known = append(known, name)
		default:
			if than != "" && string(t.severity) == than {
				known = append(known, name) // dbt does not look at it either
			}
		}
	}
	return known, nil
}

// needed are the arguments without which a test means nothing.
var needed = map[string]string{
	"expect_column_values_to_not_match_regex": "regex", "expect_column_values_to_match_like_pattern": "like_pattern",
	"expect_column_values_to_not_match_like_pattern": "like_pattern", "expect_column_pair_values_to_be_equal": "column_B",
	"expect_column_values_to_match_regex_list": "regex_list", "expect_column_values_to_not_match_regex_list": "regex_list",
	"expect_column_value_lengths_to_equal": "value", "expect_column_pair_values_A_to_be_greater_than_B": "column_B",
}

// further makes a check of the less common tests of dbt_utils and dbt_expectations, and
// returns the names of the arguments that it takes; nil: it is another test.
func (t dbtTest) further(kind, column string, c *Check) []string {
	// each is a condition on the values that are not NULL.
	each := func(sql string) {
		if sql != "" {
			c.Condition = quote(column) + " IS NULL OR " + sql
		}
	}
	text := func(name string) string { return literal(textOf(t.of[name])) }
	if name := needed[kind]; name != "" && t.of[name] == nil {
		return []string{} // without it, there is nothing to check
	}
	switch q := quote(column); kind {
	case "expect_column_values_to_be_null":
		c.Condition = q + " IS NULL"
		return []string{}
	case "not_empty_string":
		value := "trim(" + q + ")"
		if t.of["trim_whitespace"] == false {
			value = q
		}
		each(value + " <> ''")
		return []string{"trim_whitespace"}
	case "not_accepted_values", "expect_column_values_to_not_be_in_set":
		accepted := Compiled{}
		list, isList := t.of["values"].([]any)
		if !isList {
			list, _ = t.of["value_set"].([]any)
		}
		if (&Accepted{Column: column, Values: list}).compile(&accepted) == nil {
			each("NOT (" + accepted.Condition + ")")
		}
		return append(t.quotes(list), "values", "value_set")
	case "expect_column_values_to_not_match_regex":
		each("NOT regexp_matches(" + q + ", " + text("regex") + ")")
		return []string{"regex"}
	case "expect_column_values_to_match_like_pattern":
		each(q + " LIKE " + text("like_pattern"))
		return []string{"like_pattern"}
	case "expect_column_values_to_not_match_like_pattern":
		each(q + " NOT LIKE " + text("like_pattern"))
		return []string{"like_pattern"}
	case "expect_column_values_to_match_regex_list", "expect_column_values_to_not_match_regex_list":
		not := map[bool]string{true: "NOT "}[strings.Contains(kind, "_not_")]
		var all []string
		for _, regex := range textsOf(t.of["regex_list"]) {
			all = append(all, not+"regexp_matches("+q+", "+literal(regex)+")")
		}
		each("(" + strings.Join(all, map[bool]string{false: " OR ", true: " AND "}[t.of["match_on"] == "all"]) + ")")
		return []string{"regex_list", "match_on"}
	case "expect_column_value_lengths_to_be_between":
		each(t.between("length("+q+")", " >= ", " <= "))
		return []string{"min_value", "max_value"}
	case "expect_column_value_lengths_to_equal":
		each("length(" + q + ") = " + literal(t.of["value"]))
		return []string{"value"}
	}
	return t.ofTable(kind, column, c)
}

// between is a condition by the bounds of a test.
func (t dbtTest) between(value, least, most string) string {
	var all []string
	if v := t.of["min_value"]; v != nil {
		all = append(all, value+least+literal(v))
	}
	if v := t.of["max_value"]; v != nil {
		all = append(all, value+most+literal(v))
	}
	return strings.Join(all, " AND ")
}

var modelNamed = lazyregexp.New(`['"]([^'"]+)['"]\s*\)`)

// modelOf is the table that ref('x') or source('a', 'x') names.
func modelOf(text string) string {
	if m := modelNamed().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

func textOf(v any) string {
	text, _ := v.(string)
	return text
}

func textsOf(v any) (texts []string) {
	list, _ := v.([]any)
	for _, item := range list {
		texts = append(texts, textOf(item))
	}
	return texts
}

// wholeOf returns a value of YAML as a whole number; nil if it is something else.
func wholeOf(v any) *int64 {
	var n int64
	if _, err := fmt.Sscan(fmt.Sprint(v), &n); err != nil {
		return nil
	}
	return &n
}
