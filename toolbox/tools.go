package toolbox

import (
	"slices"
	"sync"
)

// tools is the one list of tools, in the order in which a model needs them.
var tools = sync.OnceValue(func() []tool {
	return append([]tool{
		catalogSearch(), catalogSchema(), catalogSample(), whereCheck(), fetchEstimate(),
		fetch(), snapshotList(), snapshotRefresh(), snapshotDrop(), snapshotImport(), catalogSync(), plan(), query(), queryRemote(), diskInfo(), quota(),
		tableGetMap(), tableDescribe(), tableStats(), tableReadRows(), tableQuery(), tableExport(),
		listFiles(), getFileInfo(), readFile(), writeTextFile(), xlsxOperations(), docxOperations(), pptxOperations(), addResult(), importFile(),
		fileReadBytes(), fileWriteBytes(), fileAppendBytes(), fileDownload(),
	}, slices.Concat(fileSteps(), stepTools())...)
})
