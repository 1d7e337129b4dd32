package workspace

import (
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// headBytes is how much of a content its type is read from.
const headBytes = 3072

// plainText maps file extensions to the types of text that cannot be told apart
// by their content.
var plainText = map[string]string{
	".csv": "text/csv", ".tsv": "text/tab-separated-values", ".md": "text/markdown", ".markdown": "text/markdown",
	".sql": "application/sql", ".yaml": "application/yaml", ".yml": "application/yaml", ".css": "text/css",
}

// mimeOf detects a content's type from its first bytes. The name only decides
// between kinds of plain text.
func mimeOf(name string, head []byte) string {
	kind, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	if kind == "text/plain" {
		if by, ok := plainText[strings.ToLower(path.Ext(name))]; ok {
			return by
		}
	}
	return kind
}
