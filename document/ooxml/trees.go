package ooxml

import "slices"

// Tree parses a part of XML, once. Changes to it are written with the package if
// Touch has been called.
func (p *Package) Tree(part string) (*Tree, error) {
	k := key(part)
	if t := p.trees[k]; t != nil {
		return t, nil
	}
	data, err := p.Read(part)
	if err != nil {
		return nil, err
	}
	t, err := Parse(part, data)
	if err != nil {
		return nil, err
	}
	p.trees[k] = t
	return t, nil
}

// Touch says that the tree of a part has been changed.
func (p *Package) Touch(part string) {
	if !slices.Contains(p.touched, part) {
		p.touched = append(p.touched, part)
	}
}

// NewTree creates an XML part and returns its tree.
func (p *Package) NewTree(part, contentType, text string) (*Tree, error) {
	p.Set(part, []byte(prolog+text))
	p.Touch(part)
	if err := p.SetType(part, contentType); err != nil {
		return nil, err
	}
	return p.Tree(part)
}

// Current returns the bytes of a part as they are by now, with the changes of its tree.
// The caller must not change them.
func (p *Package) Current(part string) ([]byte, error) {
	if t := p.trees[key(part)]; t != nil {
		return t.Bytes(), nil
	}
	return p.Read(part)
}
