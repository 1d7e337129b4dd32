// Package catalog has the tools for tables of the catalog, and for snapshots of
// parts of them: find, price, fetch, query. Each tool is one file: the structs for
// its schemas, and a function that calls package analyst or the service.
package catalog

import (
	"github.com/agnes-data/da/toolbox/tool"
)

// Tools returns the tools for tables of the catalog and snapshots of them, in their usual order of use.
func Tools() tool.Tools {
	return tool.Tools{
		catalogSearch(), catalogSchema(), catalogSample(), metrics(), joinsOf(), columnValues(), profileOf(), contextOf(), whereCheck(),
		fetchEstimate(), fetchPart(), snapshotList(), snapshotRefresh(), snapshotRestore(), snapshotDrop(), snapshotImport(), catalogSync(),
		planQuery(), queryHere(), queryRemote(), diskInfo(), quota(),
	}
}
