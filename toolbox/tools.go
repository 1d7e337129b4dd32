package toolbox

import (
	"slices"
	"sync"
)

// tools is the list of all tools, in their usual order of use.
var tools = sync.OnceValue(func() []tool {
	return append([]tool{
		catalogSearch(), catalogSchema(), catalogSample(), whereCheck(), fetchEstimate(),
		fetch(), snapshotList(), snapshotRefresh(), snapshotRestore(), snapshotDrop(), snapshotImport(), catalogSync(), plan(), query(), queryRemote(), diskInfo(), quota(),
		tableGetMap(), tableDescribe(), tableStats(), tableReadRows(), tableQuery(), tableExport(),
		listFiles(), getFileInfo(), readFile(), writeTextFile(), xlsxOperations(), docxOperations(), pptxOperations(), addResult(), importFile(),
		fileReadBytes(), fileWriteBytes(), fileAppendBytes(), fileDownload(),
		listDatasets(), getDatasetInfo(), findValueColumns(),
	}, slices.Concat(fileSteps(), stepTools())...)
})
