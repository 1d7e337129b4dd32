package checks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/agnes-data/da/api"
)

// File is a file of checks.
type File struct {
	Tables map[string]Table `yaml:"tables" json:"tables" jsonschema:"by the name of a snapshot, a synced table, or a table of the catalog whose rows may be fetched"`
	// Unread are tests of a file of dbt that are not run.
	Unread []api.Caveat `yaml:"-" json:"-"`
}

// Table is what is expected of a table.
type Table struct {
	Where    string   `yaml:"where,omitempty" json:"where,omitempty" jsonschema:"SQL: check these rows only"`
	Severity Severity `yaml:"severity,omitempty" json:"severity,omitempty" jsonschema:"error (the default) or warn, of the checks that do not say"`
	Checks   []Check  `yaml:"checks" json:"checks"`
	// Were is how many rows there were when the bounds on them last held; nil: nobody knows.
	Were *int64 `yaml:"-" json:"-"`
}

// Check is one check: exactly one of its kinds is given.
type Check struct {
	Name     string   `yaml:"name,omitempty" json:"name,omitempty"`
	Severity Severity `yaml:"severity,omitempty" json:"severity,omitempty" jsonschema:"error or warn: warnings do not change the exit code"`

	Rows           *Rows       `yaml:"rows,omitempty" json:"rows,omitempty" jsonschema:"the number of rows"`
	Freshness      *Freshness  `yaml:"freshness,omitempty" json:"freshness,omitempty" jsonschema:"the newest value of a column"`
	NotNull        []string    `yaml:"not_null,omitempty" json:"not_null,omitempty" jsonschema:"columns without NULL"`
	Unique         []string    `yaml:"unique,omitempty" json:"unique,omitempty" jsonschema:"columns whose values together occur once; rows with NULL among them do not count"`
	AcceptedValues *Accepted   `yaml:"accepted_values,omitempty" json:"accepted_values,omitempty" jsonschema:"the only values of a column, beside NULL"`
	Range          *Range      `yaml:"range,omitempty" json:"range,omitempty" jsonschema:"the least and the largest value of a column, beside NULL"`
	Pattern        *Pattern    `yaml:"pattern,omitempty" json:"pattern,omitempty" jsonschema:"a regular expression that is found in each text of a column, beside NULL"`
	Relationships  *Related    `yaml:"relationships,omitempty" json:"relationships,omitempty" jsonschema:"each value of a column, beside NULL, is one of another table's column"`
	NullShare      *NullShare  `yaml:"null_share,omitempty" json:"null_share,omitempty" jsonschema:"how many values of a column are NULL"`
	Duplicates     *Duplicates `yaml:"duplicates,omitempty" json:"duplicates,omitempty" jsonschema:"how many rows repeat another"`
	Drift          *Drift      `yaml:"drift,omitempty" json:"drift,omitempty" jsonschema:"how far the values of a column have moved"`
	Periods        *Periods    `yaml:"periods,omitempty" json:"periods,omitempty" jsonschema:"days, months or years that have rows"`
	Schema         *Schema     `yaml:"schema,omitempty" json:"schema,omitempty" jsonschema:"the columns that the table has"`
	Empty          string      `yaml:"empty,omitempty" json:"empty,omitempty" jsonschema:"a SELECT that has no rows; it may read other tables"`
	Condition      string      `yaml:"condition,omitempty" json:"condition,omitempty" jsonschema:"SQL that is true for every row; NULL is not true"`
}

// Rows are bounds on the number of rows.
type Rows struct {
	Min       *int64   `yaml:"min,omitempty" json:"min,omitempty"`
	Max       *int64   `yaml:"max,omitempty" json:"max,omitempty"`
	MaxChange *float64 `yaml:"max_change,omitempty" json:"max_change,omitempty" jsonschema:"as a share of the rows that there were when the bounds of the file on them last held here"`
}

// Schema is what columns a table has. Nothing is said of their order.
type Schema struct {
	Columns map[string]string `yaml:"columns" json:"columns" jsonschema:"the type of each, such as BIGINT; empty: any"`
	Only    bool              `yaml:"only,omitempty" json:"only,omitempty" jsonschema:"there are no other columns"`
}

// Freshness is how old the newest value may be.
type Freshness struct {
	Column string `yaml:"column" json:"column"`
	MaxAge string `yaml:"max_age" json:"max_age" jsonschema:"such as 36h or 7d"`
}

// Accepted are the values of a column.
type Accepted struct {
	Column string `yaml:"column" json:"column"`
	Values []any  `yaml:"values" json:"values"`
}

// Range is the range of a column; its ends belong to it.
type Range struct {
	Column string `yaml:"column" json:"column"`
	Min    any    `yaml:"min,omitempty" json:"min,omitempty" jsonschema:"a number, or a date as text"`
	Max    any    `yaml:"max,omitempty" json:"max,omitempty" jsonschema:"a number, or a date as text"`
}

// Pattern is what the texts of a column match.
type Pattern struct {
	Column string `yaml:"column" json:"column"`
	Regex  string `yaml:"regex" json:"regex"`
}

// Related is where the values of a column occur.
type Related struct {
	Column string `yaml:"column" json:"column"`
	To     string `yaml:"to" json:"to"`
	Field  string `yaml:"field" json:"field"`
}

// ReadFile reads a file of checks, or the tests of a file of dbt.
func ReadFile(name, text string) (*File, error) {
	dbt, isDBT, err := readDBT(text)
	if err != nil {
		return nil, faulty(name, err.Error())
	}
	if isDBT {
		return dbt, dbt.valid(name)
	}
	var f File
	if err := Decode(name, text, api.KindBadChecks, &f); err != nil {
		return nil, err
	}
	return &f, f.valid(name)
}

// schemaHint says what a file may have.
const schemaHint = "The JSON Schema of the file says what it may have."

// valid returns an error for a file that cannot be checked.
func (f *File) valid(name string) error {
	if len(f.Tables) == 0 {
		return faulty(name, "it has no tables")
	}
	for table, t := range f.Tables {
		if err := api.CheckName("table", table); err != nil {
			return err
		}
		if len(t.Checks) == 0 {
			return faulty(name, table+" has no checks")
		}
		for i, c := range t.Checks {
			if _, err := c.Compile(t, time.Time{}); err != nil {
				return faulty(name, fmt.Sprintf("check %d of %s: %v", i+1, table, err))
			}
		}
	}
	return nil
}

func faulty(name, what string) error {
	return &api.Error{Code: api.CodeConfig, Kind: api.KindBadChecks, Message: name + ": " + what, Hint: schemaHint}
}

// Sum is equal for checks of the same of a table, whatever their names and severities.
func (c Check) Sum(of string, t Table) string {
	c.Name, c.Severity = "", ""
	text, _ := yaml.Marshal([]any{of, t.Where, c}) // they are read from YAML
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Compiled is a check as SQL. Exactly one of Condition, Whole, Schema and Broken is given.
type Compiled struct {
	Name     string
	Severity Severity
	// Condition is true for each good row. Whole is an aggregate that is true for good
	// rows, and Seen one that says what there is.
	Condition   string
	Whole, Seen string
	// NotNull are the columns that the condition declares free of NULL.
	NotNull []string
	// Footer, if given, is an aggregate that is true if the check holds, and that the footer
	// of a parquet file answers. Breaks is a condition of the rows that break it, which
	// its dictionaries answer. Both are made of names and values alone.
	Footer, Breaks string
	// Alone, if given, is a SELECT over a relation that tells the same as Whole in less time.
	Alone func(from string) string
	// Schema is compared with the columns that there are.
	Schema *Schema
	// Broken returns the relation of what breaks the check, of the rows of a relation. Free
	// says that it has nothing to do with those.
	Broken func(from string) string
	Free   bool
}

// Compile returns the check as SQL at a time. A change of the number of rows is checked if
// the table says how many there Were.
func (c Check) Compile(t Table, now time.Time) (*Compiled, error) {
	out := &Compiled{Name: c.Name, Severity: cmp.Or(c.Severity, t.Severity, Error)}
	if out.Severity != Error && out.Severity != Warn {
		return nil, fmt.Errorf("the severity is error or warn, not '%s'", out.Severity)
	}
	var kinds []string
	add := func(given bool, kind string, compile func() error) error {
		if !given {
			return nil
		}
		kinds = append(kinds, kind)
		if err := compile(); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		return nil
	}
	err := errors.Join(
		add(c.Rows != nil, "rows", func() error { return c.Rows.compile(t.Were, out) }),
		add(c.Freshness != nil, "freshness", func() error { return c.Freshness.compile(out, now) }),
		add(len(c.NotNull) > 0, "not_null", func() error {
			out.NotNull = c.NotNull
			items := make([]string, len(c.NotNull))
			for i, column := range c.NotNull {
				items[i] = "count(*) = count(" + quote(column) + ")"
			}
			out.Footer = strings.Join(items, " AND ")
			return out.condition("not_null", strings.Join(c.NotNull, ", "), c.NotNull, onEach(c.NotNull, " IS NOT NULL"))
		}),
		add(len(c.Unique) > 0, "unique", func() error { return compileUnique(c.Unique, out) }),
		add(c.AcceptedValues != nil, "accepted_values", func() error { return c.AcceptedValues.compile(out) }),
		add(c.Range != nil, "range", func() error { return c.Range.compile(out) }),
		add(c.Pattern != nil, "pattern", func() error {
			p := c.Pattern
			return out.condition("pattern", p.Column, []string{p.Column, p.Regex},
				fmt.Sprintf("%s IS NULL OR regexp_matches(%s, %s)", quote(p.Column), quote(p.Column), literal(p.Regex)))
		}),
		add(c.Relationships != nil, "relationships", func() error { return c.Relationships.compile(out) }),
		add(c.NullShare != nil, "null_share", func() error { return c.NullShare.compile(out) }),
		add(c.Duplicates != nil, "duplicates", func() error { return c.Duplicates.compile(out) }),
		add(c.Drift != nil, "drift", func() error { return c.Drift.compile(out) }),
		add(c.Periods != nil, "periods", func() error { return c.Periods.compile(out) }),
		add(c.Schema != nil, "schema", func() error {
			out.Schema = c.Schema
			out.name("schema", fmt.Sprintf("%d columns", len(c.Schema.Columns)))
			return filled(slices.Collect(maps.Keys(c.Schema.Columns))...)
		}),
		add(c.Empty != "", "empty", func() error {
			out.name("empty", c.Empty)
			out.Free, out.Broken = true, func(string) string { return "(\n" + c.Empty + "\n)" }
			return nil
		}),
		add(c.Condition != "", "condition", func() error { return out.condition("", c.Condition, nil, c.Condition) }),
	)
	switch {
	case err != nil:
		return nil, err
	case len(kinds) == 0:
		return nil, errors.New("it has no kind of check, such as not_null")
	case len(kinds) > 1:
		return nil, fmt.Errorf("it is %s at once: write a check for each", strings.Join(kinds, " and "))
	}
	return out, nil
}

// condition sets the condition, and a name where none is given. Texts must not be empty.
func (c *Compiled) condition(kind, of string, texts []string, sql string) error {
	c.name(kind, of)
	c.Condition = sql
	return filled(texts...)
}

func (c *Compiled) name(kind, of string) {
	if kind != "" {
		of = kind + "(" + of + ")"
	}
	c.Name = cmp.Or(c.Name, of)
}

func filled(texts ...string) error {
	if slices.Contains(texts, "") {
		return errors.New("a column or another part is missing")
	}
	return nil
}

func (r *Rows) compile(were *int64, out *Compiled) error {
	var bounds, sql []string
	seen := "count(*) || CASE count(*) WHEN 1 THEN ' row' ELSE ' rows' END"
	if r.MaxChange != nil {
		bounds, sql = append(bounds, fmt.Sprintf("max_change %g", *r.MaxChange)), append(sql, "true")
		if were != nil {
			sql = append(sql, fmt.Sprintf("abs(count(*) - %d) <= %g * %d", *were, *r.MaxChange, *were))
			seen += fmt.Sprintf(" || '; %d when the check last passed'", *were)
		}
	}
	if r.Min != nil {
		bounds, sql = append(bounds, fmt.Sprintf("min %d", *r.Min)), append(sql, fmt.Sprintf("count(*) >= %d", *r.Min))
	}
	if r.Max != nil {
		bounds, sql = append(bounds, fmt.Sprintf("max %d", *r.Max)), append(sql, fmt.Sprintf("count(*) <= %d", *r.Max))
	}
	if len(sql) == 0 {
		return errors.New("none of min, max and max_change is given")
	}
	out.name("rows", strings.Join(bounds, ", "))
	out.Whole, out.Seen = strings.Join(sql, " AND "), seen
	out.Footer = out.Whole
	return nil
}

func (f *Freshness) compile(out *Compiled, now time.Time) error {
	age, err := ParseAge(f.MaxAge)
	if err != nil {
		return err
	}
	out.name("freshness", f.Column+", "+f.MaxAge)
	newest := "max(" + quote(f.Column) + ")"
	out.Whole = fmt.Sprintf("epoch(%s) >= %d", newest, now.Add(-age).Unix())
	out.Footer = out.Whole
	out.Seen = "'the newest is ' || coalesce(CAST(" + newest + " AS VARCHAR), 'NULL')"
	return filled(f.Column)
}

// ParseAge reads a duration with days, such as 7d or 36h.
func ParseAge(text string) (time.Duration, error) {
	number, days := strings.CutSuffix(text, "d")
	if days {
		number += "h"
	}
	age, err := time.ParseDuration(number)
	if days {
		age *= 24
	}
	if err != nil || age <= 0 {
		return 0, fmt.Errorf("'%s' is not an age such as 36h or 7d", text)
	}
	return age, nil
}

func compileUnique(columns []string, out *Compiled) error {
	out.name("unique", strings.Join(columns, ", "))
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = quote(c)
	}
	names := strings.Join(list, ", ")
	out.Broken = func(from string) string {
		return fmt.Sprintf("(SELECT %s, count(*) AS occurs FROM %s WHERE %s GROUP BY %s HAVING count(*) > 1 ORDER BY ALL)", names, from,
			onEach(columns, " IS NOT NULL"), names)
	}
	return filled(columns...)
}

func (v *Accepted) compile(out *Compiled) error {
	if len(v.Values) == 0 {
		return errors.New("no values are given")
	}
	items := make([]string, len(v.Values))
	for i, value := range v.Values {
		items[i] = literal(value)
	}
	list := "(" + strings.Join(items, ", ") + ")"
	out.Breaks = quote(v.Column) + " NOT IN " + list
	return out.condition("accepted_values", v.Column, []string{v.Column},
		fmt.Sprintf("%s IS NULL OR %s IN %s", quote(v.Column), quote(v.Column), list))
}

func (r *Range) compile(out *Compiled) error {
	var bounds, ends []string
	if r.Min != nil {
		bounds, ends = append(bounds, quote(r.Column)+" >= "+literal(r.Min)), append(ends, "min("+quote(r.Column)+") >= "+literal(r.Min))
	}
	if r.Max != nil {
		bounds, ends = append(bounds, quote(r.Column)+" <= "+literal(r.Max)), append(ends, "max("+quote(r.Column)+") <= "+literal(r.Max))
	}
	out.Footer = strings.Join(ends, " AND ")
	if len(bounds) == 0 {
		return errors.New("neither min nor max is given")
	}
	return out.condition("range", r.Column, []string{r.Column},
		fmt.Sprintf("%s IS NULL OR %s", quote(r.Column), strings.Join(bounds, " AND ")))
}

func (r *Related) compile(out *Compiled) error {
	out.name("relationships", fmt.Sprintf("%s to %s.%s", r.Column, r.To, r.Field))
	out.Broken = func(from string) string {
		return fmt.Sprintf("(SELECT %s, count(*) AS occurs FROM %s AS a WHERE a.%s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM %s AS b WHERE b.%s = a.%s) GROUP BY ALL ORDER BY ALL)",
			quote(r.Column), from, quote(r.Column), quote(r.To), quote(r.Field), quote(r.Column))
	}
	return errors.Join(filled(r.Column, r.To, r.Field))
}

func onEach(columns []string, test string) string {
	items := make([]string, len(columns))
	for i, c := range columns {
		items[i] = quote(c) + test
	}
	return strings.Join(items, " AND ")
}

// Differs says how the columns that there are, with their types, differ from those that are
// expected; empty: they do not.
func (s *Schema) Differs(names, types []string) string {
	var all []string
	for _, want := range slices.Sorted(maps.Keys(s.Columns)) {
		is, of := slices.Index(names, want), s.Columns[want]
		switch {
		case is < 0:
			all = append(all, want+" is missing")
		case of != "" && !strings.EqualFold(of, types[is]):
			all = append(all, want+" is "+types[is]+", not "+strings.ToUpper(of))
		}
	}
	for _, name := range names {
		if _, known := s.Columns[name]; s.Only && !known {
			all = append(all, name+" is new")
		}
	}
	return strings.Join(all, ", ")
}
