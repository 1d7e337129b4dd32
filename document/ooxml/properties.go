package ooxml

// Properties returns the title and the author that a package names.
func (p *Package) Properties() (title, author string, err error) {
	part, err := p.Related("", "core-properties")
	if err != nil || part == "" || !p.Has(part) {
		return "", "", err
	}
	tree, err := p.Tree(part)
	if err != nil {
		return "", "", err
	}
	return tree.Root.Find("dc:title").Text(), tree.Root.Find("dc:creator").Text(), nil
}
