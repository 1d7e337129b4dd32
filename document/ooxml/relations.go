package ooxml

import (
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Relation joins a part to another, or to something outside of the package.
type Relation struct {
	ID string
	// Kind is the last word of its type: "image", "hyperlink", "slide".
	Kind string
	// Target is the name of a part, or an address if External.
	Target   string
	External bool
}

// relations are those of one part.
type relations struct {
	name  string // of the part that they are in
	tree  *Tree
	list  []Relation // nil before the first use and after a change
	dirty bool
}

const (
	relationsSpace = "http://schemas.openxmlformats.org/package/2006/relationships"
	relationsType  = "application/vnd.openxmlformats-package.relationships+xml"
	officeSpace    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	strictSpace    = "http://purl.oclc.org/ooxml/officeDocument/relationships/"
	prolog         = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
)

// relationsName is the part with the relationships of a part; of the package for "".
func relationsName(part string) string {
	if part == "" {
		return "_rels/.rels"
	}
	return path.Join(path.Dir(part), "_rels", path.Base(part)+".rels")
}

func (p *Package) relationsOf(part string) (*relations, error) {
	k := key(part)
	if r := p.rels[k]; r != nil {
		return r, nil
	}
	name := relationsName(part)
	text := []byte(prolog + `<Relationships xmlns="` + relationsSpace + `"></Relationships>`)
	if p.Has(name) {
		var err error
		if text, err = p.Read(name); err != nil {
			return nil, err
		}
	}
	tree, err := Parse(name, text)
	if err != nil {
		return nil, err
	}
	r := &relations{name: name, tree: tree}
	p.rels[k] = r
	return r, nil
}

// Relations lists the relationships of a part, or with "" those of the package.
func (p *Package) Relations(part string) ([]Relation, error) {
	r, err := p.relationsOf(part)
	if err != nil {
		return nil, err
	}
	if r.list != nil {
		return slices.Clone(r.list), nil
	}
	out := []Relation{}
	for n := range r.tree.Root.Elements() {
		rel := Relation{ID: n.Attr("Id"), Kind: path.Base(n.Attr("Type")), Target: n.Attr("Target")}
		if rel.External = n.Attr("TargetMode") == "External"; !rel.External {
			rel.Target = resolve(part, rel.Target)
		}
		out = append(out, rel)
	}
	r.list = out
	return slices.Clone(out), nil
}

// called has the names by which the parts that were read refer to others, by key.
func (p *Package) called() map[string]string {
	names := map[string]string{}
	for _, r := range p.rels {
		owner, _ := relationsOwner(r.name)
		all, _ := p.Relations(owner) // it was read before
		for _, rel := range all {
			if k := key(rel.Target); !rel.External && (names[k] == "" || rel.Target < names[k]) {
				names[k] = rel.Target
			}
		}
	}
	return names
}

// Related returns the first part of that kind to which a part is related, or ""
// if there is none.
func (p *Package) Related(part, kind string) (string, error) {
	all, err := p.Relations(part)
	for _, r := range all {
		if r.Kind == kind && !r.External {
			return r.Target, nil
		}
	}
	return "", err
}

// Target returns the relationship with that id.
func (p *Package) Target(part, id string) (Relation, bool) {
	if _, err := p.Relations(part); err != nil || id == "" {
		return Relation{}, false
	}
	all := p.rels[key(part)].list
	if i := slices.IndexFunc(all, func(r Relation) bool { return r.ID == id }); i >= 0 {
		return all[i], true
	}
	return Relation{}, false
}

// Relate joins a part to another and returns the relationship's id.
func (p *Package) Relate(part, kind, target string) (string, error) {
	return p.relate(part, kind, relative(part, target), "")
}

// RelateOutside joins a part to an address outside of the package.
func (p *Package) RelateOutside(part, kind, address string) (string, error) {
	return p.relate(part, kind, address, ` TargetMode="External"`)
}

func (p *Package) relate(part, kind, target, mode string) (string, error) {
	r, err := p.relationsOf(part)
	if err != nil {
		return "", err
	}
	used := map[string]bool{}
	space := officeSpace
	for n := range r.tree.Root.Elements() {
		used[n.Attr("Id")] = true
		if strings.HasPrefix(n.Attr("Type"), strictSpace) {
			space = strictSpace
		}
	}
	id := ""
	for n := len(used) + 1; id == "" || used[id]; n++ {
		id = "rId" + itoa(n)
	}
	return id, p.addRelation(r, `<Relationship Id="`+id+`" Type="`+space+kind+`" Target="`+Escape(target)+`"`+mode+`/>`)
}

// CheckLink returns the address of a link, refusing what could start a program or read a
// file.
func CheckLink(link string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) || u.Host == "" && u.Scheme != "mailto" {
		return "", Invalid("Give an address that begins with https://, http:// or mailto:.", "a link cannot lead to %q", api.Clip(link, 200))
	}
	return u.String(), nil
}

// relative is the name of a part as another part's relationships have it.
func relative(part, target string) string {
	if rel, ok := strings.CutPrefix(target, path.Dir(part)+"/"); ok {
		return rel
	}
	if up := path.Dir(path.Dir(part)); up != "." {
		if rel, ok := strings.CutPrefix(target, up+"/"); ok {
			return "../" + rel
		}
	}
	return "/" + target
}

func (p *Package) addRelation(r *relations, text string) error {
	nodes, err := r.tree.Root.Fragment(strings.Replace(text, "<Relationship", "<rel:Relationship", 1))
	if err != nil {
		return err
	}
	r.tree.Root.Append(nodes...)
	r.list, r.dirty = nil, true
	return nil
}

// Unrelate takes a relationship away; the part that it leads to stays.
func (p *Package) Unrelate(part, id string) error {
	r, err := p.relationsOf(part)
	if err != nil {
		return err
	}
	for n := range r.tree.Root.Elements() {
		if n.Attr("Id") == id {
			n.Remove()
			r.list, r.dirty = nil, true
			return nil
		}
	}
	return nil
}

// flush writes changed trees, relationships and content types to their parts.
func (p *Package) flush() {
	for _, part := range p.touched {
		if t := p.trees[key(part)]; t != nil {
			p.Set(part, t.Bytes())
		}
	}
	for _, r := range p.rels {
		if r.dirty {
			p.Set(r.name, r.tree.Bytes())
			r.dirty = false
		}
	}
	slices.Sort(p.added) // relationships came in no order
	if p.types.dirty {
		p.Set(contentTypesPart, p.types.tree.Bytes())
		p.types.dirty = false
	}
}

// Main returns the main part of the package.
func (p *Package) Main() (string, error) {
	main, err := p.Related("", "officeDocument")
	if err == nil && main == "" {
		err = Damaged("_rels/.rels", "nothing says with which part the document begins")
	}
	return main, err
}

// CopyRelations gives a part the relationships of another, with their ids. follow
// returns to which part one leads that stays within the package; "" leaves it out.
func (p *Package) CopyRelations(from, to string, follow func(Relation) (string, error)) error {
	source, err := p.relationsOf(from)
	if err != nil {
		return err
	}
	all, err := p.Relations(from)
	if err != nil || len(all) == 0 {
		return err
	}
	copied, err := p.relationsOf(to)
	if err != nil {
		return err
	}
	types := map[string]string{}
	for n := range source.tree.Root.Elements() {
		types[n.Attr("Id")] = n.Attr("Type")
	}
	for _, rel := range all {
		target, mode := rel.Target, ` TargetMode="External"`
		if !rel.External {
			if target, err = follow(rel); err != nil {
				return err
			}
			if target == "" {
				continue
			}
			target, mode = relative(to, target), ""
		}
		if err := p.addRelation(copied, `<Relationship Id="`+Escape(rel.ID)+`" Type="`+Escape(types[rel.ID])+`" Target="`+Escape(target)+`"`+
			mode+`/>`); err != nil {
			return err
		}
	}
	return nil
}
