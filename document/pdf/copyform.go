package pdf

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/agnes-data/da/internal/words/humanize"
)

// takeForm copies the form fields shown on the chosen pages.
func (o *origin) takeForm(chosen []ref) {
	form := o.dict(o.root["/AcroForm"])
	if form == nil {
		return
	}
	on := map[ref]bool{}
	for _, page := range chosen {
		for _, a := range o.list(o.changed[page]["/Annots"]) {
			for r, ok := a.(ref); ok && !on[r]; r, ok = o.dict(r)["/Parent"].(ref) { // also fields that do not list it
				on[r] = true
			}
		}
	}
	if _, xfa := form["/XFA"]; xfa {
		o.g.tell("the form of the kind XFA is not kept; what it has as plain fields is")
	}
	seen, renamed := map[ref]bool{}, 0
	names := map[string]bool{}
	all := slices.Clone(o.list(form["/Fields"]))
	for _, r := range slices.Sorted(maps.Keys(on)) { // fields that the form forgets
		if d := o.dict(r); d["/FT"] != nil && d["/Parent"] == nil && !slices.Contains(all, any(r)) {
			all = append(all, r)
		}
	}
	for _, f := range all {
		r, ok := f.(ref)
		if !ok || !o.keeps(r, on, seen) {
			continue
		}
		d := o.fieldOf(r)
		if _, has := d["/DA"]; !has && form["/DA"] != nil {
			d["/DA"] = form["/DA"]
		}
		name := plainText(o.raw(d["/T"]))
		for n := 2; o.g.names[name]; n++ {
			if try := name + "_" + strconv.Itoa(n); !o.g.names[try] {
				d["/T"], name = textOf(try), try
				renamed++
			}
		}
		names[name] = true
		o.g.fields = append(o.g.fields, o.copyRef(r))
	}
	maps.Copy(o.g.names, names)
	if renamed > 0 {
		o.g.tell("file %[2]d: %[1]s named with _2 behind, as earlier files have fields of these names", humanize.PluralCount(int64(renamed), "field is", "fields are"), o.g.files+1)
	}
	if o.raw(form["/NeedAppearances"]) == "true" {
		o.g.form["/NeedAppearances"] = raw("true")
	}
	for _, kind := range slices.Sorted(maps.Keys(o.dict(form["/DR"]))) {
		shared, _ := o.g.form[kind].(dict)
		if shared == nil {
			shared = dict{}
		}
		for name, v := range o.dict(o.dict(form["/DR"])[kind]) {
			if _, has := shared[name]; !has {
				shared[name] = o.copy(v)
			}
		}
		if len(shared) > 0 {
			o.g.form[kind] = shared
		}
	}
}

// fieldOf is the dictionary of a field that is copied, which can be changed.
func (o *origin) fieldOf(r ref) dict {
	if o.changed[r] == nil {
		o.changed[r] = maps.Clone(o.dict(r))
	}
	return o.changed[r]
}

// keeps reports whether a field, or one below it, is on a page of on, and removes the
// fields that are not.
func (o *origin) keeps(r ref, on, seen map[ref]bool) bool {
	d := o.dict(r)
	if d == nil || seen[r] {
		return false
	}
	seen[r] = true
	keep := on[r]
	for _, kid := range o.list(d["/Kids"]) {
		if k, ok := kid.(ref); ok && o.keeps(k, on, seen) {
			keep = true
		}
	}
	if !keep {
		o.gone[r] = true
	} else if o.raw(d["/FT"]) == "/Sig" && d["/V"] != nil {
		delete(o.fieldOf(r), "/V")
		o.g.tell("signatures are not kept: they hold for the whole file only")
	}
	return keep
}

// plainText is a text of a file without its brackets, as far as names of fields and of
// places need it.
func plainText(r raw) string {
	s := string(r)
	switch {
	case strings.HasPrefix(s, "<"):
		data, err := hex.DecodeString(strings.Trim(strings.Join(strings.Fields(s), ""), "<>"))
		if err != nil {
			return s
		}
		s = string(data)
	case strings.HasPrefix(s, "("):
		s = strings.NewReplacer(`\(`, "(", `\)`, ")", `\\`, `\`).Replace(s[1 : len(s)-1])
	}
	if wide, ok := strings.CutPrefix(s, "\xfe\xff"); ok {
		var units []uint16
		for i := 0; i+1 < len(wide); i += 2 {
			units = append(units, uint16(wide[i])<<8|uint16(wide[i+1]))
		}
		return string(utf16.Decode(units))
	}
	return s
}

// textOf is a text as a file has it.
func textOf(s string) raw {
	var b strings.Builder
	b.WriteString("<FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", u)
	}
	return raw(b.String() + ">")
}
