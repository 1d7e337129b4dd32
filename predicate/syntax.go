package predicate

// node is a node of the syntax tree, before names and types are resolved.
type node struct {
	kind    nodeKind
	negated bool
	paren   bool   // is in parentheses
	flag    bool   // nString: in double quotes; nCast: NULL where it fails; nLike: ignores case
	at, end int    // bytes of the text
	text    string // operator, function, keyword, number or decoded string
	args    []*node
	names   []token  // of nName: the parts of a dotted name
	target  *typeRef // of nCast
}

type nodeKind uint8

const (
	nName     nodeKind = iota
	nField             // args[0].text
	nIndex             // args[0][args[1]]
	nNumber            // text
	nString            // text
	nBytes             // text
	nTyped             // text is the type word; args[0] the string
	nInterval          // args[0] a string or an expression; text the unit or ""
	nNull              //
	nBool              // text "true" or "false"
	nUnary             // text the operator
	nBinary            // text the operator
	nCompare           // text the operator
	nAnd               //
	nOr                //
	nNot               //
	nIn                // args[0] IN args[1:]
	nBetween           //
	nLike              // args[0] LIKE args[1:]; text "", "any" or "all"; target nil
	nIsNull            //
	nIsTruth           // text "true" or "false"
	nCall              // text the function in lower case
	nCast              //
	nCase              // args: operand or nil, when, then, …; the else last, if odd
	nRegexp            // args[0] ~ args[1]; flag: ignores case
)

// typeRef is the target of a cast.
type typeRef struct {
	at   int
	name string // in lower case, words joined by one blank
	// params are those of DECIMAL(10, 2).
	params []int
	list   bool
}

// newNode builds a node that ends where the parser is.
func (p *parser) newNode(kind nodeKind, at int, text string, args ...*node) *node {
	if len(p.nodes) == 0 {
		p.nodes = make([]node, 10)
	}
	n := &p.nodes[0]
	p.nodes = p.nodes[1:]
	*n = node{kind: kind, at: at, end: p.prevEnd(), text: text, args: p.list(args)}
	return n
}

// list returns a copy of operands, with no room to grow into another list.
func (p *parser) list(args []*node) []*node {
	if len(args) == 0 {
		return nil
	}
	if len(args) > cap(p.args)-len(p.args) {
		p.args = make([]*node, 0, max(16, len(args)))
	}
	start := len(p.args)
	p.args = append(p.args, args...)
	return p.args[start:len(p.args):len(p.args)]
}
