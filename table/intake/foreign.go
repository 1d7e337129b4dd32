package intake

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/lazyregexp"
	"github.com/agnes-data/da/internal/shellwords"
)

var (
	isXML  = lazyregexp.New(`^\s*<\?xml[\s?]`)
	isHTML = lazyregexp.New(`(?i)^\s*(<!--[^>]*-->\s*)*<(!doctype\s+html|html)[\s>]`)
	isMail = lazyregexp.New(`(?i)^(From [^\n]*\n)?([!-9;-~]+:[^\n]*\n([ \t][^\n]*\n)*)*mime-version:`)
)

// mailHint is the next step for a message with a table attached.
const mailHint = "Open it in a mail program, save the file that is attached, and give that."

// foreign rejects files for other programs: the lines of many of them would pass
// for a table in text. The hint says what makes a table of them.
func foreign(path string, head []byte) error {
	what, hint := foreignKind(path, bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if what == "" {
		return nil
	}
	return &api.Error{
		Code: api.CodeReadFailed, Kind: "markup", Details: map[string]any{"path": path},
		Message: filepath.Base(path) + " is " + what + ", not a table in text", Hint: hint,
	}
}

func foreignKind(path string, head []byte) (what, hint string) {
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	word := shellwords.Quote(path)
	switch {
	case isHTML().Match(head):
		what, hint = "a page in HTML", "Open it in a browser or a spreadsheet program, and save the table in it as CSV."
	case isXML().Match(head):
		what, hint = "XML", "Make JSON of it and then rows of its records, as in: yq -p xml -o json "+word+" > records.json"
	case isMail().Match(head[:min(len(head), 8<<10)]):
		return "a message of electronic mail", mailHint
	case begins("%PDF-"):
		return "a PDF document", "Put it among the files of the workspace, where its text can be read page by page."
	case begins(`{\rtf`):
		return "a document in RTF", "Open it in a word processor, and copy the table in it into a spreadsheet."
	case begins("BZh") && len(head) > 10 && (string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17rE8P\x90"):
		return "packed with bzip2", "Unpack it: bzip2 -dk " + word
	case begins("\xfd7zXZ\x00"):
		return "packed with xz", "Unpack it: xz -dk " + word
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return "an archive", "Unpack it, as in: tar -xf " + word
	case begins("7z\xbc\xaf\x27\x1c"), begins("Rar!\x1a\x07"):
		return "an archive", "Unpack it and give the file inside."
	case begins("SQLite format 3\x00"):
		return "a database of SQLite", "Save what you need of it as CSV, as in: sqlite3 -csv -header " + word + " 'SELECT * FROM name' > name.csv"
	case begins("Obj\x01"):
		return "a file of Avro", "Save it as parquet or CSV."
	}
	if what != "" && strings.HasPrefix(extension(path), ".xls") {
		hint = "Open it in a spreadsheet program, and save it as .xlsx."
	}
	return what, hint
}
