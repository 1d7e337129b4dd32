package syntax

// Node is a node of the syntax tree, before names and types are resolved.
type Node struct {
	Kind    NodeKind
	Negated bool
	Paren   bool   // is in parentheses
	Flag    bool   // String: in double quotes; Cast: NULL where it fails; Like: ignores case
	At, End int    // bytes of the text
	Text    string // operator, function, keyword, number or decoded string
	Args    []*Node
	Names   []Token  // of Name: the parts of a dotted name
	Target  *TypeRef // of Cast
}

// NodeKind says what a node is.
type NodeKind uint8

// The kinds of nodes, and what they hold.
const (
	Name     NodeKind = iota
	Field             // Args[0].Text
	Index             // Args[0][Args[1]]
	Number            // Text
	String            // Text
	Bytes             // Text
	Typed             // Text is the type word; Args[0] the string
	Interval          // Args[0] a string or an expression; Text the unit or ""
	Null              //
	Bool              // Text "true" or "false"
	Unary             // Text the operator
	Binary            // Text the operator
	Compare           // Text the operator
	And               //
	Or                //
	Not               //
	In                // Args[0] IN Args[1:]
	Between           //
	Like              // Args[0] LIKE Args[1:]; Text "", "any" or "all"
	IsNull            //
	IsTruth           // Text "true" or "false"
	Call              // Text the function in lower case
	Cast              //
	Case              // Args: operand or nil, when, then, …; the else last, if odd
	Regexp            // Args[0] ~ args[1]; Flag: ignores case
)

// TypeRef is the target of a cast.
type TypeRef struct {
	At   int
	Name string // in lower case, words joined by one blank
	// Params are those of DECIMAL(10, 2).
	Params []int
	List   bool
}

// newNode builds a node that ends where the parser is.
func (p *parser) newNode(kind NodeKind, at int, text string, args ...*Node) *Node {
	if len(p.nodes) == 0 {
		p.nodes = make([]Node, 10)
	}
	n := &p.nodes[0]
	p.nodes = p.nodes[1:]
	*n = Node{Kind: kind, At: at, End: p.prevEnd(), Text: text, Args: p.list(args)}
	return n
}

// list returns a copy of operands, with no room to grow into another list.
func (p *parser) list(args []*Node) []*Node {
	if len(args) == 0 {
		return nil
	}
	if len(args) > cap(p.args)-len(p.args) {
		p.args = make([]*Node, 0, max(16, len(args)))
	}
	start := len(p.args)
	p.args = append(p.args, args...)
	return p.args[start:len(p.args):len(p.args)]
}
