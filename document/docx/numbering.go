package docx

import (
	"fmt"
	"path"

	"github.com/agnes-data/da/document/ooxml"
)

// numbering are the lists of a document.
type numbering struct {
	part     string
	root     *ooxml.Node
	nums     map[string]*ooxml.Node // by id
	abstract map[string]*ooxml.Node // by id
}

func (d *Document) readNumbering() error {
	part, tree, err := d.related("numbering")
	d.numbers = numbering{part: part, nums: map[string]*ooxml.Node{}, abstract: map[string]*ooxml.Node{}}
	if err != nil || tree == nil {
		return err
	}
	d.numbers.root = tree.Root
	for n := range tree.Root.Elements() {
		switch n.Name {
		case "w:num":
			d.numbers.nums[n.Attr("w:numId")] = n
		case "w:abstractNum":
			d.numbers.abstract[n.Attr("w:abstractNumId")] = n
		}
	}
	return nil
}

// format is how a level of a list is numbered: "bullet", "decimal", ...; "" if the
// paragraph is in no list.
func (l *numbering) format(numID string, level int) string {
	abstract := l.abstract[l.nums[numID].Find("w:abstractNumId").Attr("w:val")]
	for n := range abstract.Elements() {
		if n.Name == "w:lvl" && n.Int("w:ilvl", -1) == level {
			return n.Find("w:numFmt").Attr("w:val")
		}
	}
	return ""
}

// list returns the list and level that a paragraph is in, by itself or by its style.
func (d *Document) list(p *ooxml.Node) (numID string, level int) {
	props := p.Find("w:pPr", "w:numPr")
	if props == nil {
		d.styles.lineage(p.Find("w:pPr", "w:pStyle").Attr("w:val"), func(n *ooxml.Node) bool {
			props = n.Find("w:pPr", "w:numPr")
			return props != nil
		})
	}
	return props.Find("w:numId").Attr("w:val"), props.Find("w:ilvl").Int("w:val", 0)
}

const listLevels = 4

// newList returns the id of a new list: with bullets, or with numbers starting at
// 1. It is based on an existing list of the document, if there is one.
func (d *Document) newList(format string) (numID string, err error) {
	if err := d.needNumbering(); err != nil {
		return "", err
	}
	abstract := ""
	for n := range d.numbers.root.Elements() {
		if n.Name == "w:abstractNum" && abstract == "" && n.Find("w:lvl", "w:numFmt").Attr("w:val") == format && n.Find("w:numStyleLink") == nil {
			abstract = n.Attr("w:abstractNumId")
		}
	}
	if abstract == "" {
		if abstract, err = d.addAbstract(format); err != nil {
			return "", err
		}
	}
	numID = free(d.numbers.nums, 1)
	text := `<w:num w:numId="` + numID + `"><w:abstractNumId w:val="` + abstract + `"/>`
	if format != "bullet" {
		for level := range listLevels {
			text += fmt.Sprintf(`<w:lvlOverride w:ilvl="%d"><w:startOverride w:val="1"/></w:lvlOverride>`, level)
		}
	}
	nodes, err := d.numbers.root.Fragment(text + `</w:num>`)
	if err != nil {
		return "", err
	}
	d.numbers.insert(nodes[0], "w:num", "w:abstractNum")
	d.numbers.nums[numID] = nodes[0]
	return numID, nil
}

// insert inserts n after the last node of its own kind, or else after the last
// node of the other kind, because the standard prescribes their order.
func (l *numbering) insert(n *ooxml.Node, kinds ...string) {
	for _, kind := range kinds {
		var last *ooxml.Node
		for c := range l.root.Elements() {
			if c.Name == kind {
				last = c
			}
		}
		if last != nil {
			last.After(n)
			return
		}
	}
	l.root.Prepend(n)
}

func (d *Document) addAbstract(format string) (string, error) {
	id := free(d.numbers.abstract, 0)
	text := `<w:abstractNum w:abstractNumId="` + id + `"><w:multiLevelType w:val="hybridMultilevel"/>`
	for level := range listLevels {
		label := fmt.Sprintf("%%%d.", level+1)
		if format == "bullet" {
			label = string([]rune("•–•–")[level])
		}
		text += fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/><w:lvlText w:val="%s"/><w:lvlJc w:val="left"/>`+
			`<w:pPr><w:ind w:left="%d" w:hanging="360"/></w:pPr></w:lvl>`, level, format, label, 720*(level+1))
	}
	nodes, err := d.numbers.root.Fragment(text + `</w:abstractNum>`)
	if err != nil {
		return "", err
	}
	d.numbers.insert(nodes[0], "w:abstractNum")
	d.numbers.abstract[id] = nodes[0]
	return id, nil
}

// needNumbering adds the part of lists if it is missing.
func (d *Document) needNumbering() error {
	if d.numbers.root == nil {
		part := partBeside(d.main, "numbering.xml")
		tree, err := d.pkg.NewTree(part, wordType+"numbering+xml",
			`<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"></w:numbering>`)
		if err != nil {
			return err
		}
		if _, err := d.pkg.Relate(d.main, "numbering", part); err != nil {
			return err
		}
		d.numbers.part, d.numbers.root = part, tree.Root
	}
	d.pkg.Touch(d.numbers.part)
	return nil
}

// free returns the first number that is not used as a key.
func free(used map[string]*ooxml.Node, from int) string {
	for n := from; ; n++ {
		if id := fmt.Sprint(n); used[id] == nil {
			return id
		}
	}
}

// partBeside is the name of a part in the folder of another.
func partBeside(part, name string) string { return path.Join(path.Dir(part), name) }
