package predicate

import (
	"reflect"
	"strings"
	"testing"
)

// optional are the functions of traits that a dialect may go without.
const optional = " rewrite comparison element interval likeForm decimalLimit "

// onlyParsed are those that are asked for where predicates are parsed.
const onlyParsed = " floatNumber bigInteger job "

// TestTraitsAreComplete holds that a dialect has what nobody asks twice for: a
// field that was left out would be a crash at the first predicate that needs it.
func TestTraitsAreComplete(t *testing.T) {
	for _, d := range dialects {
		tr := d.traits()
		if tr.name != d.name || tr.title == "" || tr.hints["date_literal"] == "" {
			t.Errorf("%s has the name %q, the title %q and the hints %v", d.name, tr.name, tr.title, tr.hints)
		}
		for field, v := range fieldsOf(reflect.ValueOf(*tr)) {
			is := func(list string) bool { return strings.Contains(list, " "+field+" ") }
			switch {
			case v.Kind() == reflect.Func && v.IsNil() && !is(optional) && (tr.parsed || !is(onlyParsed)) && field != "readBytes":
				t.Errorf("%s has no %s", d.name, field)
			case v.Kind() == reflect.Map && tr.parsed && v.Len() == 0 && (field == "reserved" || field == "typeNames" || field == "typedLiterals"):
				t.Errorf("%s: %s is empty", d.name, field)
			}
		}
		if tr.untypedText && (tr.readBytes == nil || tr.bytesExample == "") {
			t.Errorf("%s does not say how a text is read as bytes", d.name)
		}
		for which := range clockTypes {
			if tr.clockSpelling[which] == "" {
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
		for name, inner := range fieldsOf(v.Field(i)) {
			all[name] = inner
		}
	}
	return all
}
