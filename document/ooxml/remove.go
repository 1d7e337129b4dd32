package ooxml

import "strings"

// RemoveWithOwn removes a part, and the related parts that no other part is
// related to.
func (p *Package) RemoveWithOwn(part string) error {
	own, err := p.Relations(part)
	if err != nil {
		return err
	}
	p.Remove(part)
	for _, r := range own {
		if r.External || !p.Has(r.Target) {
			continue
		}
		used, err := p.used(r.Target, part)
		if err != nil {
			return err
		}
		if !used {
			if err := p.RemoveWithOwn(r.Target); err != nil {
				return err
			}
		}
	}
	return nil
}

// used reports whether a part other than gone, and other than target itself, is
// joined to target.
func (p *Package) used(target, gone string) (bool, error) {
	names := p.Parts()
	for _, r := range p.rels {
		names = append(names, r.name) // those of new parts are in none yet
	}
	for _, name := range names {
		from, ok := relationsOwner(name)
		if !ok || key(from) == key(gone) || key(from) == key(target) {
			continue
		}
		all, err := p.Relations(from)
		if err != nil {
			return false, err
		}
		for _, r := range all {
			if !r.External && key(r.Target) == key(target) {
				return true, nil
			}
		}
	}
	return false, nil
}

// relationsOwner is the part whose relationships are in a part, if it is one of these.
func relationsOwner(rels string) (string, bool) {
	i := strings.LastIndex(rels, "_rels/")
	if i < 0 || !strings.HasSuffix(rels, ".rels") {
		return "", false
	}
	return rels[:i] + strings.TrimSuffix(rels[i+len("_rels/"):], ".rels"), true
}
