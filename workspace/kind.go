package workspace

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"io"
	"os"
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

// mimeOf detects the type of a content, which lies at path, from its first bytes.
// The name only decides between kinds of plain text.
func mimeOf(name string, head []byte, path string) string {
	kind, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	switch kind {
	case "text/plain":
		if by, ok := plainText[extension(name)]; ok {
			return by
		}
	case "application/zip", folders["word"], folders["xl"], folders["ppt"]:
		if by, ok := office(path); ok {
			return by
		}
	}
	return kind
}

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

// folders are where office programs put the parts of their files.
var folders = map[string]string{
	"word": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xl":   "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"ppt":  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}

// special are parts that only files of another type have.
var special = map[string]string{
	"xl/vbaproject.bin":   "application/vnd.ms-excel.sheet.macroEnabled.12",
	"xl/workbook.bin":     "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
	"word/vbaproject.bin": "application/vnd.ms-word.document.macroEnabled.12",
	"ppt/vbaproject.bin":  "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
}

const (
	directoryEnd   = "PK\x05\x06"
	directoryEntry = "PK\x01\x02"
	// mostEntries is how many entries of an archive are looked at.
	mostEntries = 20_000
)

// office tells files of office programs from other archives. Some of them begin
// with parts that other archives could have, so it reads the directory at the end.
func office(path string) (mime string, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", false
	}
	tail := make([]byte, min(info.Size(), 22+1<<16)) // the end, and the longest comment behind it
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return "", false
	}
	at := bytes.LastIndex(tail, []byte(directoryEnd))
	if at < 0 || len(tail) < at+22 {
		return "", false
	}
	start := int64(binary.LittleEndian.Uint32(tail[at+16:]))
	directory := bufio.NewReader(io.NewSectionReader(f, start, info.Size()-start))
	types, as := false, ""
	for range mostEntries {
		head := make([]byte, 46)
		if _, err := io.ReadFull(directory, head); err != nil || string(head[:4]) != directoryEntry {
			break
		}
		entry := make([]byte, binary.LittleEndian.Uint16(head[28:]))
		if _, err := io.ReadFull(directory, entry); err != nil {
			break
		}
		part := strings.ReplaceAll(strings.ToLower(string(entry)), "\\", "/")
		if part == "mimetype" { // of an open document
			if by := stored(f, head); strings.HasPrefix(by, "application/vnd.oasis.opendocument.") {
				return by, true
			}
		}
		if by := special[part]; as == "" || strings.Contains(by, "binary") {
			as = cmp.Or(by, as)
		}
		folder, _, _ := strings.Cut(part, "/")
		types = types || folder == "[content_types].xml"
		if by := folders[folder]; by != "" && mime == "" {
			mime = by
		}
		if _, err := directory.Discard(int(binary.LittleEndian.Uint16(head[30:])) + int(binary.LittleEndian.Uint16(head[32:]))); err != nil {
			break
		}
	}
	return cmp.Or(as, mime), types && mime != ""
}

// stored is the text of a short entry of an archive.
func stored(f io.ReaderAt, entry []byte) string {
	at, local := int64(binary.LittleEndian.Uint32(entry[42:])), make([]byte, 30)
	if _, err := f.ReadAt(local, at); err != nil {
		return ""
	}
	at += 30 + int64(binary.LittleEndian.Uint16(local[26:])) + int64(binary.LittleEndian.Uint16(local[28:]))
	var content io.Reader = io.NewSectionReader(f, at, int64(binary.LittleEndian.Uint32(entry[20:])))
	if binary.LittleEndian.Uint16(entry[10:]) == zip.Deflate {
		content = flate.NewReader(content)
	}
	text, _ := io.ReadAll(io.LimitReader(content, 100)) // what is damaged is no type
	return string(text)
}
