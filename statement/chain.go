package statement

import (
	"fmt"

	"github.com/agnes-data/da/api"
)

const (
	// longChain is how many alternatives the engine plans as they are written.
	longChain = 32
	// maxChain is how many conditions OR or AND can join: the engine compares
	// each of them with all others.
	maxChain = 10_000

	chainHint = "Write a list of values as IN (…), or put them into a file and join with it."
)

// unrewritten are engine settings for statements with long chains of
// alternatives. The engine's expression rewriter searches the alternatives for
// common parts, which takes minutes for a few thousand of them. Its other rules
// only save time.
var unrewritten = map[string]string{"disabled_optimizers": "expression_rewriter"}

// chain checks conditions that are joined by OR or AND.
func (w *walker) chain(node map[string]any) error {
	terms := links(node, name(node, "type"))
	if terms > maxChain {
		return w.Refuse(api.KindTooLong, fmt.Sprintf("%d conditions are joined here; %d may be", terms, maxChain),
			chainHint)
	}
	if terms > longChain && name(node, "type") == "CONJUNCTION_OR" {
		w.settings = unrewritten
	}
	return nil
}

// links counts the conditions of a chain, in parentheses or not.
func links(v any, kind string) int {
	node := child(v, "")
	if name(node, "type") != kind {
		return 1
	}
	n := 0
	for _, c := range list(node["children"]) {
		n += links(c, kind)
	}
	return n
}
