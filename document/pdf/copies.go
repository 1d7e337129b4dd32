package pdf

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// gathering is a new file of pages of others, with what belongs to these pages: fields
// of forms, bookmarks, links, layers, and the properties of the first file.
type gathering struct {
	out    *objectWriter
	pages  ref
	kids   list
	fields list
	form   dict
	marks  []*mark
	root   dict
	info   any
	names  map[string]bool // of fields of earlier files
	files  int
	told   []string
}

func gather(w io.Writer) *gathering {
	g := &gathering{out: newObjectWriter(w), form: dict{}, root: dict{}, names: map[string]bool{}}
	g.pages = g.out.next()
	return g
}

func (g *gathering) tell(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(g.told, text) {
		g.told = append(g.told, text)
	}
}

// caveats says what of the files did not go along.
func (g *gathering) caveats() (all []api.Caveat) {
	for _, text := range g.told {
		all = append(all, api.NewCaveat(api.CaveatUnread, text))
	}
	return all
}

// origin is a file that pages are taken from.
type origin struct {
	*objects
	g       *gathering
	root    dict
	dests   map[string]any // named places
	gone    map[ref]bool   // pages, fields and their marks on pages that do not go along
	changed map[ref]dict   // what is copied in place of an object
	numbers map[ref]ref    // of the copies, by those of before
	waiting []ref          // that are copied and not written
	lost    int            // links to pages that do not go along
}

// inherited are what a page has of the nodes above it.
var inherited = []string{"/Resources", "/MediaBox", "/CropBox", "/Rotate"}

// take adds pages of a file, counted from 1; nil: all of them.
func (g *gathering) take(f *objects, which []int) error {
	o := &origin{objects: f, g: g, root: f.dict(f.trailer["/Root"]), dests: map[string]any{}, gone: map[ref]bool{},
		changed: map[ref]dict{}, numbers: map[ref]ref{}}
	var all []ref
	o.walk(o.root["/Pages"], dict{}, 0, &all)
	if which == nil {
		for n := range all {
			which = append(which, n+1)
		}
	}
	for _, r := range all {
		o.gone[r] = true
	}
	var chosen []ref
	for _, n := range which {
		if n > len(all) {
			return errObjects
		}
		chosen = append(chosen, all[n-1])
		delete(o.gone, all[n-1])
	}
	o.place(o.root["/Dests"])
	o.tree(o.dict(o.root["/Names"])["/Dests"], 0)
	o.takeForm(chosen)
	for _, page := range chosen {
		g.kids = append(g.kids, o.copyRef(page))
	}
	g.marks = append(g.marks, o.outline(o.dict(o.root["/Outlines"])["/First"], map[ref]bool{})...)
	o.takeRoot()
	o.write()
	if o.lost > 0 {
		g.tell("%s to pages that are not in the new file, and lead nowhere now", humanize.PluralCount(int64(o.lost), "link leads", "links lead"))
	}
	g.files++
	return g.out.err
}

// walk lists the pages below a node, which get what they have inherited.
func (o *origin) walk(node any, above dict, depth int, pages *[]ref) {
	r, _ := node.(ref)
	d := o.dict(node)
	if d == nil || r == 0 || o.gone[r] || depth > mostWithin {
		return
	}
	o.gone[r] = true // also a node that leads to itself
	have := maps.Clone(above)
	for _, key := range inherited {
		if v, ok := d[key]; ok {
			have[key] = v
		}
	}
	if kids := o.list(d["/Kids"]); kids != nil {
		for _, kid := range kids {
			o.walk(kid, have, depth+1, pages)
		}
		return
	}
	page := maps.Clone(d)
	maps.Copy(page, have)
	for _, key := range []string{"/StructParents", "/B"} { // of what does not go along
		delete(page, key)
	}
	page["/Parent"] = copied(o.g.pages)
	o.changed[r] = page
	*pages = append(*pages, r)
}

// place notes the named places of a dictionary.
func (o *origin) place(v any) {
	for name, to := range o.dict(v) {
		o.dests[name] = to
	}
}

// tree notes those of a tree of names.
func (o *origin) tree(node any, depth int) {
	d := o.dict(node)
	if d == nil || depth > mostWithin {
		return
	}
	names := o.list(d["/Names"])
	for i := 0; i+1 < len(names); i += 2 {
		o.dests[plainText(o.raw(names[i]))] = names[i+1]
	}
	for _, kid := range o.list(d["/Kids"]) {
		o.tree(kid, depth+1)
	}
}

// where is a place that a link leads to, with the page for a name; nil: it is gone.
func (o *origin) where(v any) any {
	v = o.get(v)
	if name, ok := v.(raw); ok {
		to, known := o.dests[string(name)]
		if !known {
			to = o.dests[plainText(name)]
		}
		if v = o.get(to); o.dict(v) != nil {
			v = o.get(o.dict(v)["/D"])
		}
	}
	to, ok := v.(list)
	if !ok || len(to) == 0 {
		return nil
	}
	if r, ok := to[0].(ref); ok && o.gone[r] {
		return nil
	}
	return to
}

// copyRef returns the number of a copy of an object, which is written later.
func (o *origin) copyRef(r ref) any {
	if o.gone[r] {
		return nil
	}
	to, ok := o.numbers[r]
	if !ok {
		to = o.g.out.next()
		o.numbers[r] = to
		o.waiting = append(o.waiting, r)
	}
	return to
}

// write writes what is copied, and what that refers to.
func (o *origin) write() {
	for len(o.waiting) > 0 && o.g.out.err == nil {
		r := o.waiting[0]
		o.waiting = o.waiting[1:]
		v := o.get(r)
		if d, ok := o.changed[r]; ok {
			v = d
		}
		o.g.out.put(o.numbers[r], o.copy(v))
	}
}

// copy returns an object with the numbers of the new file.
func (o *origin) copy(v any) any {
	switch v := v.(type) {
	case ref:
		return o.copyRef(v)
	case list:
		l := list{}
		for _, e := range v {
			l = append(l, o.copy(e))
		}
		return l
	case stream:
		return stream{o.copyDict(v.dict), v.data}
	case dict:
		return o.copyDict(v)
	}
	return v
}

func (o *origin) copyDict(d dict) dict {
	c := dict{}
	for key, v := range d {
		switch {
		case key == "/Kids", key == "/Fields", key == "/Annots", key == "/CO":
			if l := o.list(v); l != nil {
				v = slices.DeleteFunc(slices.Clone(l), func(e any) bool { r, ok := e.(ref); return ok && o.gone[r] })
			}
		case key == "/Dest", key == "/D" && o.raw(d["/S"]) == "/GoTo":
			if v = o.where(v); v == nil {
				o.lost++
				v = list{} // a link that leads nowhere
			}
		}
		c[key] = o.copy(v)
	}
	return c
}

// takeRoot takes what the first file says of itself as a whole, and tells what is not
// kept of any.
func (o *origin) takeRoot() {
	for _, key := range []string{"/PageMode", "/PageLayout", "/ViewerPreferences", "/Lang", "/Metadata", "/OCProperties"} {
		v, has := o.root[key]
		switch {
		case has && o.g.files == 0:
			o.g.root[key] = o.copy(v)
		case has && key == "/OCProperties":
			o.g.tell("the layers of file %d can no longer be switched on and off", o.g.files+1)
		}
	}
	info := o.dict(o.trailer["/Info"])
	if o.g.files == 0 && len(info) > 0 {
		o.g.info = o.copy(info)
	} else if strings.Trim(string(o.raw(info["/Title"])+o.raw(info["/Author"])), "()<>") != "" {
		o.g.tell("title, author and other properties are those of the first file")
	}
	for key, what := range map[string]string{"/StructTreeRoot": "the marks for screen readers", "/PageLabels": "the labels of pages"} {
		if o.root[key] != nil {
			o.g.tell("%s are not kept", what)
		}
	}
	if o.dict(o.root["/Names"])["/EmbeddedFiles"] != nil {
		o.g.tell("the files within it are not kept")
	}
	slices.Sort(o.g.told)
}

// save writes the rest of the file.
func (g *gathering) save() error {
	root := maps.Clone(g.root)
	root["/Type"], root["/Pages"] = raw("/Catalog"), g.pages
	g.out.put(g.pages, dict{"/Type": raw("/Pages"), "/Kids": g.kids, "/Count": raw(strconv.Itoa(len(g.kids)))})
	if len(g.fields) > 0 {
		form := dict{"/Fields": g.fields, "/DR": dict{}}
		for key, v := range g.form {
			if key == "/NeedAppearances" {
				form[key] = v
				continue
			}
			form["/DR"].(dict)[key] = v
		}
		root["/AcroForm"] = form
	}
	if len(g.marks) > 0 {
		at := g.out.next()
		outlines := g.putMarks(g.marks, at)
		outlines["/Type"] = raw("/Outlines")
		g.out.put(at, outlines)
		root["/Outlines"] = at
	}
	at := g.out.next()
	g.out.put(at, root)
	trailer := dict{"/Root": at}
	if g.info != nil {
		info := g.out.next()
		g.out.put(info, g.info)
		trailer["/Info"] = info
	}
	return g.out.end(trailer)
}
