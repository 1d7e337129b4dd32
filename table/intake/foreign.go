package intake

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/compound"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/shellwords"
)

var (
	isXML  = lazyregexp.New(`^\s*<\?xml[\s?]`)
	isHTML = lazyregexp.New(`(?i)^\s*(<!--[^>]*-->\s*)*<(!doctype\s+html|html)[\s>]`)
	isMail = lazyregexp.New(`(?i)^(From [^\n]*\n)?([!-9;-~]+:[^\n]*\n([ \t][^\n]*\n)*)*(mime-version|message-id):|^From [^\n ]+ +[a-z]{3} [a-z]{3} +\d+ \d+:\d\d[^\n]* \d{4}`)
)

// mailHint is the next step for a message with a table attached.
const mailHint = "Open it in a mail program, save the file that is attached, and give that."

// notATable is the error for a file that holds something else: what it is, and
// what makes a table of it.
type notATable struct {
	what, hint string
	next       []api.Step
}

func (n notATable) errorAt(path, kind string) error {
	name := filepath.Base(path)
	if path == standardInput {
		name = "standard input"
	}
	return &api.Error{
		Code: api.CodeReadFailed, Kind: kind, Details: map[string]any{"path": path},
		Message: name + " is " + n.what, Hint: n.hint, Next: n.next,
	}
}

// standardInput is the path of what came through a pipe.
const standardInput = "-"

// inWorkspace is the hint for documents whose text the workspace reads.
const inWorkspace = "The workspace for files reads its text, and imports tables of documents."

// put returns the step that stores a file in the workspace. Its extension is
// replaced by ext, if there is one: the file is saved in another format first,
// which standard input cannot be.
func put(path, ext string) []api.Step {
	step := api.Do(api.ActionPutFile, "store it in the workspace", "path", path)
	switch {
	case path == standardInput && ext != "":
		return nil
	case path == standardInput:
		step.Args["as"] = "NAME"
	case ext != "":
		step.Args["path"] = strings.TrimSuffix(path, filepath.Ext(path)) + ext
	}
	return []api.Step{step}
}

// saved is a document that the workspace reads once it is saved in another format.
func saved(path, what, ext string) notATable {
	return notATable{what, "Save it as " + ext + ". " + inWorkspace, put(path, ext)}
}

// foreign rejects files for other programs: the lines of many of them would pass
// for a table in text. The hint says what makes a table of them.
func (f *File) foreign(head []byte) error {
	path := f.Path
	if f.Compression != "" {
		path = strings.TrimSuffix(path, format.Packing(path))
	}
	n := foreignKind(path, bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if n.what == "" {
		return nil
	}
	if n.what += ", not a table in text"; f.Compression != "" {
		n.hint = "Unpack it first. " + n.hint
	}
	return n.errorAt(f.Path, api.KindMarkup)
}

func foreignKind(path string, head []byte) (n notATable) {
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	word := shellwords.File(path)
	switch {
	case isHTML().Match(head):
		n = notATable{what: "a page in HTML", hint: "Open it in a browser or a spreadsheet program, and save the table in it as CSV."}
	case isXML().Match(head):
		n = notATable{what: "XML", hint: "Make JSON of it and then rows of its records, as in: yq -p xml -o json " + word + " > records.json"}
	case isMail().Match(head[:min(len(head), 8<<10)]):
		return notATable{what: "a message of electronic mail", hint: mailHint}
	case begins("%PDF-"):
		return notATable{"a PDF document", "The tables of a page can be read, and the workspace for files reads its text.",
			append([]api.Step{api.Set(api.OptionPage, "say which page")}, put(path, "")...)}
	case begins(`{\rtf`):
		return saved(path, "a document in RTF", ".docx")
	case begins("BZh") && len(head) > 10 && (string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17rE8P\x90"):
		return notATable{what: "packed with bzip2", hint: "Unpack it: bzip2 -dk " + word}
	case begins("\xfd7zXZ\x00"):
		return notATable{what: "packed with xz", hint: "Unpack it: xz -dk " + word}
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return notATable{what: "an archive", hint: "Unpack it, as in: tar -xf " + word}
	case begins("7z\xbc\xaf\x27\x1c"), begins("Rar!\x1a\x07"):
		return notATable{what: "an archive", hint: "Unpack it and give the file inside."}
	case begins("Obj\x01"):
		return notATable{what: "a file of Avro", hint: "Save it as parquet or CSV."}
	}
	if n.what != "" && strings.HasPrefix(format.Ending(path), ".xls") {
		n.hint = "Open it in a spreadsheet program, and save it as .xlsx."
	}
	return n
}

// archiveKind says what a zip archive is that holds no workbook that can be read.
func (f *File) archiveKind() notATable {
	holds, mime := map[string]bool{}, []byte(nil)
	if z, err := zip.NewReader(f.file, f.Info.Size()); err == nil {
		for _, part := range z.File {
			folder, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(part.Name, "\\", "/")), "/")
			holds[folder] = true
			if r, err := part.Open(); err == nil && part.Name == "mimetype" { // programs write it first or last, and packed or not
				mime, _ = io.ReadAll(io.LimitReader(r, 128)) // what is damaged is no type
			}
		}
	}
	open, isOpen := bytes.CutPrefix(mime, []byte("application/vnd.oasis.opendocument."))
	begins := func(kind string) bool { return isOpen && bytes.HasPrefix(open, []byte(kind)) }
	switch {
	case holds["[content_types].xml"] && (holds["word"] || holds["ppt"]):
		return notATable{"a document, but no workbook", inWorkspace, put(f.Path, "")}
	case begins("text"):
		return saved(f.Path, "an OpenDocument text, but no workbook", ".docx")
	case begins("presentation"):
		return saved(f.Path, "an OpenDocument presentation, but no workbook", ".pptx")
	case begins("spreadsheet"), format.Ending(f.Path) == ".xlsb":
		return notATable{what: "a workbook of another kind than XLSX", hint: "Save it as .xlsx."}
	}
	return notATable{what: "an archive, but no workbook", hint: "Unpack it and give the file inside."}
}

// compoundKind says what a document of the kind before zip archives is.
func (f *File) compoundKind() (notATable, error) {
	kind, err := compound.Detect(f.file)
	damaged := errors.Is(err, compound.ErrDamaged)
	if err != nil && !damaged {
		return notATable{}, err
	}
	switch kind {
	case compound.Encrypted:
		return notATable{what: "encrypted with a password", hint: "Open it in the program that wrote it, and save it without a password."}, nil
	case compound.Workbook:
		return notATable{what: "a workbook of the kind before .xlsx", hint: "Save it as .xlsx, without a password."}, nil
	case compound.Text:
		return saved(f.Path, "a document of a word processor, of the kind before .docx", ".docx"), nil
	case compound.Presentation:
		return saved(f.Path, "a presentation of the kind before .pptx", ".pptx"), nil
	case compound.Mail:
		return notATable{what: "a message of electronic mail", hint: mailHint}, nil
	case compound.Drawing:
		return notATable{what: "a drawing, but no workbook",
			hint: "Open it in the program that wrote it, and save the data of its shapes as .xlsx or CSV."}, nil
	case compound.Other:
		if damaged {
			return notATable{what: "a document of an old program, and damaged or incomplete",
				hint: "Get it again, and save the table in it as .xlsx or CSV."}, nil
		}
	}
	return notATable{what: "a document of an old program, but no workbook",
		hint: "Open it in the program that wrote it, and save the table in it as .xlsx or CSV."}, nil
}
