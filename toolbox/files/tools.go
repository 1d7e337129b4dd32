// Package files has the tools for files of the user's workspace. Each tool is the
// structs for its schemas, and a function that calls package content.
package files

import (
	"github.com/agnes-data/da/toolbox/tool"
)

// Tools returns the tools for files of the workspace, in their usual order of use.
func Tools() tool.Tools {
	return tool.Tools{
		listFiles(), getFileInfo(), readFile(), writeTextFile(), xlsxOperations(), docxOperations(), pptxOperations(), addResult(), importFile(),
		why(), renderFile(),
		fileReadBytes(), fileWriteBytes(), fileAppendBytes(), fileDownload(),
	}
}
