package predicate

import (
	"reflect"
	"strings"
	"testing"
)

// optional are the functions of traits that a dialect may go without.
const optional = " LikeForm decimalLimit "

// onlyParsed are those that are asked for where predicates are parsed.
const onlyParsed = " floatNumber bigInteger job "

// TestTraitsAreComplete holds that a dialect has what nobody asks twice for: a
// field that was left out would be a crash at the first predicate that needs it.
func TestTraitsAreComplete(t *testing.T) {
	for _, d := range dialects {
		tr := d.traits()
		if tr.Name != d.name || tr.Title == "" || tr.hints["date_literal"] == "" {
			t.Errorf("%s has the name %q, the title %q and the hints %v", d.name, tr.Name, tr.Title, tr.hints)
		}
		for field, v := range fieldsOf(reflect.ValueOf(*tr)) {
			is := func(list string) bool { return strings.Contains(list, " "+field+" ") }
			switch {
			case v.Kind() == reflect.Func && v.IsNil() && !is(optional) && (tr.parsed || !is(onlyParsed)) && field != "readBytes":
				t.Errorf("%s has no %s", d.name, field)
			case v.Kind() == reflect.Map && tr.parsed && v.Len() == 0 && field == "typeNames":
				t.Errorf("%s: %s is empty", d.name, field)
			}
		}
		for word := range tr.TypedLiterals {
			if _, ok := tr.typeNames[word]; !ok {
				t.Errorf("%s: a literal can be of the type %s, which is unknown", d.name, word)
			}
		}
		if tr.parsed && (len(tr.Reserved) == 0 || len(tr.TypedLiterals) == 0) {
			t.Errorf("%s: a list of words is empty", d.name)
		}
		if tr.untypedText && (tr.readBytes == nil || tr.bytesExample == "") {
			t.Errorf("%s does not say how a text is read as bytes", d.name)
		}
		for which := range clockTypes {
			if tr.ClockSpelling[which] == "" {
				t.Errorf("%s: the clock %d can't be printed", d.name, which)
			}
		}
		if c := operations().byID["datetime_at_zone"].cells[d.name]; tr.parsed && (c == nil || len(c.names) == 0) {
			t.Errorf("%s can't read a time in a named zone", d.name)
		}
	}
}

// fieldsOf lists the fields of a struct by name, with those of embedded ones.
func fieldsOf(v reflect.Value) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.Anonymous {
			all[f.Name] = v.Field(i)
			continue
		}
		for name, inner := range fieldsOf(reflect.Indirect(v.Field(i))) {
			all[name] = inner
		}
	}
	return all
}
