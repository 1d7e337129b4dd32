package checks

import (
	"cmp"
	"errors"
	"fmt"
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
	kind     string
	column   string // empty: of the whole model
	name     string
	where    string
	severity Severity
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
				test := dbtTestOf(column, one)
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
func dbtTestOf(column string, test any) dbtTest {
	t := dbtTest{column: column, of: map[string]any{}}
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
		case "where":
			t.where = textOf(value)
		case "test_name": // read before
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
	known := []string{"column_name", "column"}
	takes := func(names ...string) { known = append(known, names...) }
	switch t.kind[strings.LastIndex(t.kind, ".")+1:] { // without its package
	case "not_null", "expect_column_values_to_not_be_null":
		c.NotNull = []string{column}
	case "unique", "expect_column_values_to_be_unique":
		c.Unique = []string{column}
	case "unique_combination_of_columns":
		takes("combination_of_columns")
		c.Unique = textsOf(t.of["combination_of_columns"])
	case "expect_compound_columns_to_be_unique":
		takes("column_list")
		c.Unique = textsOf(t.of["column_list"])
	case "accepted_values", "expect_column_values_to_be_in_set":
		takes("values", "value_set")
		values, isList := t.of["values"].([]any)
		if !isList {
			values, _ = t.of["value_set"].([]any)
		}
		c.AcceptedValues = &Accepted{Column: column, Values: values}
	case "accepted_range", "expect_column_values_to_be_between":
		takes("min_value", "max_value")
		c.Range = &Range{Column: column, Min: t.of["min_value"], Max: t.of["max_value"]}
	case "expect_column_values_to_match_regex":
		takes("regex")
		c.Pattern = &Pattern{Column: column, Regex: textOf(t.of["regex"])}
	case "relationships":
		takes("to", "field")
		c.Relationships = &Related{Column: column, To: modelOf(textOf(t.of["to"])), Field: textOf(t.of["field"])}
	case "expression_is_true":
		takes("expression")
		c.Condition = strings.TrimSpace(column + " " + textOf(t.of["expression"]))
	case "expect_table_row_count_to_be_between":
		takes("min_value", "max_value")
		c.Rows = &Rows{Min: wholeOf(t.of["min_value"]), Max: wholeOf(t.of["max_value"])}
	default:
		return c, errors.New("da has no check like it")
	}
	for name := range t.of {
		if !slices.Contains(known, name) {
			return c, fmt.Errorf("da does not know its argument %s", api.Clip(name, 60))
		}
	}
	compiled, err := c.Compile(Table{}, time.Time{})
	switch {
	case err != nil || t.where == "":
		return c, err
	case compiled.Condition == "":
		return c, errors.New("with where, da checks single rows only")
	}
	return Check{Name: compiled.Name, Severity: t.severity, Condition: "(" + t.where + ") IS NOT TRUE OR (" + compiled.Condition + ")"}, nil
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
