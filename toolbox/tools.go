package toolbox

import (
	"slices"
	"sync"

	"github.com/agnes-data/da/toolbox/catalog"
	"github.com/agnes-data/da/toolbox/files"
	"github.com/agnes-data/da/toolbox/local"
	"github.com/agnes-data/da/toolbox/tool"
)

// tools is the list of all tools, in their usual order of use.
var tools = sync.OnceValue(func() tool.Tools {
	return slices.Concat(catalog.Tools(), local.Tools(), files.Tools(), local.Datasets(), files.Texts(), files.Steps())
})

// All returns every existing tool, in the same order.
func All() []tool.Tool { return tools() }

// unlisted are the tools for programs, which models do not see.
var unlisted = sync.OnceValue(func() tool.Tools { return tool.Tools{local.ResultRows(), local.PlaceRows()} })
