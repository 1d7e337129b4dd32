package syntax

import "sync"

// room is memory for the tokens and nodes of a short predicate. It is used again
// for the next: allocating it would be a considerable part of the time.
type room struct {
	toks  [64]Token
	nodes [32]Node
	args  [48]*Node
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// release ends the use of the parser, its tokens and its nodes. It also clears
// them, so that no caller's text is kept.
func (p *parser) release() {
	r := p.room
	*p = parser{}
	*r = room{}
	rooms.Put(r)
}
