// Package local has the tools for local files with rows, and for data sets. Each
// tool is one file: the structs for its schemas, and a function that calls package
// table.
package local

import (
	"github.com/agnes-data/da/toolbox/tool"
)

// Tools returns the tools for local files, in their usual order of use.
func Tools() tool.Tools {
	return tool.Tools{
		tableGetMap(), tableDescribe(), tableStats(), tableReadRows(), tableQuery(), tableExport(),
	}
}

// Datasets returns the tools for data sets: snapshots, and files with rows.
func Datasets() tool.Tools { return tool.Tools{listDatasets(), getDatasetInfo(), findValueColumns()} }
