package sheet

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/agnes-data/da/document/ooxml"
)

// Rule says which cells are meant, or allowed.
type Rule struct {
	Is    string   `json:"is" jsonschema:"<, <=, >, >=, =, <>, between, formula; conditional_format also contains, duplicate, scale, bars; validate also list"`
	Value any      `json:"value,omitempty" jsonschema:"number, text, date, formula, or for list a range"`
	To    any      `json:"to,omitempty" jsonschema:"end of between"`
	List  []string `json:"list,omitempty"`
}

// operators are the names that files have for comparisons.
var operators = map[string]string{"<": "lessThan", "<=": "lessThanOrEqual", ">": "greaterThan", ">=": "greaterThanOrEqual", "=": "equal",
	"<>": "notEqual", "between": "between"}

// formatIf formats the cells of a range that a rule is true for.
func (e *editor) formatIf(s *sheetPart, o *Operation) error {
	a, err := areaOf(o.Range)
	if err != nil {
		return err
	}
	inner, attributes, err := e.condition(o, a.from)
	if err != nil {
		return err
	}
	priority := 1
	for n := range s.layout.tree.Root.All(nil) {
		if strings.HasSuffix(n.Name, "cfRule") {
			priority = max(priority, n.Int("priority", 0)+1)
		}
	}
	if !strings.HasPrefix(inner, "<s:colorScale>") && !strings.HasPrefix(inner, "<s:dataBar>") {
		dxf, err := e.lookOf(o.Format)
		if err != nil {
			return err
		}
		attributes += fmt.Sprintf(` dxfId="%d"`, dxf)
	}
	_, err = s.layout.place("conditionalFormatting", fmt.Sprintf(`<s:conditionalFormatting sqref="%s"><s:cfRule %s priority="%d">%s</s:cfRule></s:conditionalFormatting>`, a, attributes, priority, inner))
	return err
}

// condition is a rule as files have it: its content and its attributes.
func (e *editor) condition(o *Operation, first cell) (inner, attributes string, err error) {
	r := o.Rule
	color := func(otherwise string) string {
		if o.Format != nil && len(o.Format.Fill) == 7 {
			otherwise = strings.ToUpper(o.Format.Fill[1:])
		}
		return `<s:color rgb="FF` + otherwise + `"/>`
	}
	const ends = `<s:cfvo type="min"/><s:cfvo type="max"/>`
	switch {
	case r.Is == "duplicate":
		return "", `type="duplicateValues"`, nil
	case r.Is == "scale":
		return `<s:colorScale>` + ends + `<s:color rgb="FFFFFFFF"/>` + color("63BE7B") + `</s:colorScale>`, `type="colorScale"`, nil
	case r.Is == "bars":
		return `<s:dataBar>` + ends + color("638EC6") + `</s:dataBar>`, `type="dataBar"`, nil
	case r.Is == "contains":
		text, ok := r.Value.(string)
		if !ok || text == "" {
			return "", "", ooxml.Invalid("Give a text as value.", "contains needs value")
		}
		search := fmt.Sprintf(`NOT(ISERROR(SEARCH("%s",%s)))`, strings.ReplaceAll(text, `"`, `""`), first)
		return `<s:formula>` + ooxml.Escape(search) + `</s:formula>`,
			`type="containsText" operator="containsText" text="` + ooxml.Escape(text) + `"`, ooxml.CheckText("value", text)
	case r.Is == "formula":
		inner, err = e.operands(r, "formula", "", true)
		return inner, `type="expression"`, err
	case operators[r.Is] != "":
		inner, err = e.operands(r, "formula", "", false)
		return inner, `type="cellIs" operator="` + operators[r.Is] + `"`, err
	}
	return "", "", ooxml.Invalid("Give one of <, <=, >, >=, =, <>, between, contains, duplicate, formula, scale, bars.",
		"there is no condition %q", r.Is)
}

// operands are the value of a rule and, of between, its end. Those of validations are
// numbered.
func (e *editor) operands(r *Rule, name, number string, formula bool) (string, error) {
	values := []any{r.Value}
	if r.Is == "between" {
		values = append(values, r.To)
	}
	text := ""
	for i, v := range values {
		operand, err := e.ruleValue(v, formula)
		if err != nil {
			return "", err
		}
		end := ""
		if number != "" {
			end = strconv.Itoa(i + 1)
		}
		text += "<s:" + name + end + ">" + ooxml.Escape(operand) + "</s:" + name + end + ">"
	}
	return text, nil
}

func (e *editor) ruleValue(v any, formula bool) (string, error) {
	text, isText := v.(string)
	switch {
	case formula && (!isText || text == ""):
		return "", ooxml.Invalid("Give a formula that is true or false, seen from the first cell of the range, such as $B2>100.",
			"formula needs value")
	case formula:
		var c edit
		if err := e.putFormula(&c, "", text); err != nil {
			return "", err
		}
		for _, what := range reachesOut(text) {
			e.reaching = note(e.reaching, what, "a rule")
		}
		return storedFormula(strings.TrimPrefix(strings.TrimSpace(text), "=")), nil
	case isText && asTime(text) != nil:
		serial, err := e.serial(*asTime(text))
		return strconv.FormatFloat(serial, 'f', -1, 64), err
	case isText:
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`, ooxml.CheckText("value", text)
	case v == nil:
		return "", ooxml.Invalid("Give value, and for between also to.", "the rule has nothing to compare with")
	}
	switch n := v.(type) {
	case json.Number:
		return n.String(), nil
	case float64:
		return strconv.FormatFloat(n, 'f', -1, 64), nil
	}
	return "", ooxml.Invalid("Give a number, a text or a date.", "a rule cannot compare with %v", v)
}

// lookOf returns the index of what a format changes of cells that have another one.
func (e *editor) lookOf(f *Format) (int, error) {
	if f == nil {
		return 0, ooxml.Invalid(`Give it, such as {"fill": "#FFC7CE"}.`, "conditional_format needs format")
	}
	if err := f.check(); err != nil {
		return 0, err
	}
	if f.Size > 0 || f.Number != "" || f.Align != "" || f.Wrap != nil || f.Border != "" || f.Width > 0 {
		return 0, ooxml.Invalid("Give bold, italic, underline, color or fill.", "a condition cannot change that of a format")
	}
	font := ""
	for _, c := range []struct {
		on   *bool
		name string
	}{{f.Bold, "b"}, {f.Italic, "i"}, {f.Underline, "u"}} {
		if c.on != nil && *c.on {
			font += "<s:" + c.name + "/>"
		}
	}
	if f.Color != "" {
		font += `<s:color rgb="FF` + strings.ToUpper(f.Color[1:]) + `"/>`
	}
	text := ""
	if font != "" {
		text = "<s:font>" + font + "</s:font>"
	}
	if len(f.Fill) == 7 {
		text += `<s:fill><s:patternFill><s:bgColor rgb="FF` + strings.ToUpper(f.Fill[1:]) + `"/></s:patternFill></s:fill>`
	}
	all, err := e.styleTable()
	if err != nil {
		return 0, err
	}
	e.pkg.Touch(all.part)
	return all.addText("dxfs", "<s:dxf>"+text+"</s:dxf>")
}

const maxMessage = 225 // characters of what a program says of a wrong value

// validate has programs refuse other values in a range.
func (e *editor) validate(s *sheetPart, o *Operation) error {
	a, err := areaOf(o.Range)
	if err != nil {
		return err
	}
	if n := len(utf16.Encode([]rune(o.Text))); n > maxMessage {
		return ooxml.Invalid("", "the text has %d characters: programs show %d", n, maxMessage)
	}
	r := o.Rule
	kind, inner := "decimal", ""
	switch {
	case r.Is == "list":
		kind = "list"
		inner, err = e.choices(s, r)
	case r.Is == "formula":
		kind = "custom"
		inner, err = e.operands(r, "formula", "n", true)
	case operators[r.Is] != "":
		text, isText := r.Value.(string)
		switch {
		case isText && asTime(text) == nil:
			err = ooxml.Invalid("Give a number or a date, or a list of texts.", "a value cannot be compared with the text %q", text)
		case isText:
			kind = "date"
		}
		if err == nil {
			inner, err = e.operands(r, "formula", "n", false)
		}
	default:
		err = ooxml.Invalid("Give one of <, <=, >, >=, =, <>, between, list, formula.", "there is no validation %q", r.Is)
	}
	if err == nil {
		err = ooxml.CheckText("the text", o.Text)
	}
	if err != nil {
		return err
	}
	attributes := `type="` + kind + `"`
	if name := operators[r.Is]; name != "" {
		attributes += ` operator="` + name + `"`
	}
	if o.Text != "" {
		attributes += ` error="` + ooxml.Escape(o.Text) + `"`
	}
	list, err := s.layout.child("dataValidations")
	if err != nil {
		return err
	}
	nodes, err := list.Fragment(fmt.Sprintf(`<s:dataValidation %s allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="%s">%s</s:dataValidation>`, attributes, a, inner))
	if err != nil {
		return err
	}
	list.Append(nodes...)
	list.Set("count", strconv.Itoa(list.Int("count", 0)+1))
	s.layout.changed = true
	return nil
}

// choices are the values of a list: themselves, or the cells that have them.
func (e *editor) choices(s *sheetPart, r *Rule) (string, error) {
	if from, ok := r.Value.(string); ok && len(r.List) == 0 {
		found, err := e.blocks(s, from)
		if err != nil {
			return "", err
		}
		if b := found[0]; len(found) > 1 || b.columns() > 1 && b.area.rows() > 1 {
			return "", ooxml.Invalid("Give one column, such as Lists!A1:A9.", "a list is one column or row, not %s", from)
		}
		return "<s:formula1>" + ooxml.Escape(found[0].in(found[0].area)) + "</s:formula1>", nil
	}
	text := strings.Join(r.List, ",")
	if len(r.List) == 0 || strings.Count(text, ",") != len(r.List)-1 || len(utf16.Encode([]rune(text))) > 255 {
		return "", ooxml.Invalid("Write the texts into cells, and give their range as value.",
			"a list has texts without commas, of 255 characters in all")
	}
	return `<s:formula1>"` + ooxml.Escape(strings.ReplaceAll(text, `"`, `""`)) + `"</s:formula1>`, ooxml.CheckText("the list", text)
}
