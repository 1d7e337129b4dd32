package workspace

import (
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// headBytes is how much of a content its type is read from.
const headBytes = 3072

// plainText are the types of text that differ by their names alone.
var plainText = map[string]string{
	".csv": "text/csv", ".tsv": "text/tab-separated-values", ".md": "text/markdown", ".markdown": "text/markdown",
	".sql": "application/sql", ".yaml": "application/yaml", ".yml": "application/yaml", ".css": "text/css",
}

// mimeOf tells a content's type by its first bytes. The name only says which
// kind of plain text it is.
func mimeOf(name string, head []byte) string {
	kind, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	if kind == "text/plain" {
		if by, ok := plainText[strings.ToLower(path.Ext(name))]; ok {
			return by
		}
	}
	return kind
}
