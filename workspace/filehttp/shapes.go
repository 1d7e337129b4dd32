package filehttp

import (
	"encoding/json"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/strictjson"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

// FileList is the answer of GET /api/files.
type FileList struct {
	Files []workspace.File `json:"files"` // by name
	Usage workspace.Usage  `json:"usage"`
}

// FileInfo is the answer of GET /api/files/{id}.
type FileInfo struct {
	workspace.File
	Kind  content.Kind `json:"kind"`            // text, spreadsheet, document, presentation, image, other
	Lines *int64       `json:"lines,omitempty"` // for text
	// Content describes the content, depending on its kind: sheets, headings,
	// slides, pixels.
	Content any `json:"content,omitempty"`
	// Problem explains why the content could not be examined.
	Problem  string              `json:"problem,omitempty"`
	Versions []workspace.Version `json:"versions"` // newest first
}

// FileChange is the body of POST /api/files/{id}: one of the first three, and
// the version that it is for.
type FileChange struct {
	Rename  string `json:"rename,omitempty"`  // the new name
	Copy    string `json:"copy,omitempty"`    // the name of the copy
	Restore int64  `json:"restore,omitempty"` // an older version; -1: the last one of a deleted file

	IfVersion int64 `json:"if_version,omitempty"` // of a rename; 0: any
}

// FileForms are the operations that change a file, with the fields of each.
type FileForms struct {
	Operations []strictjson.Form `json:"operations"` // none of a file that has none
}

// FileOperations is the body of POST /api/files/{id}/operations.
type FileOperations struct {
	Operations json.RawMessage `json:"operations"`           // a list of them; all are applied, or none
	IfVersion  int64           `json:"if_version,omitempty"` // the version that they are for; 0: any
}

// FileOperated is a file after operations, and what to know of them.
type FileOperated struct {
	File workspace.File `json:"file"`
	api.CaveatList
}

// FileDownload is the body of POST /api/files/download.
type FileDownload struct {
	URL string `json:"url,omitempty"`
	// Path is that of a file in the folder that the server's operator has named, in
	// place of an address.
	Path string `json:"path,omitempty"`
	// Filename is the name of the new file; empty: the name that its server
	// suggests.
	Filename string `json:"filename,omitempty"`
}

// DraftList is the answer of GET /api/drafts.
type DraftList struct {
	Drafts []workspace.Draft `json:"drafts"`
}

// DraftChanges lists the changes that a draft makes, or has made.
type DraftChanges struct {
	Draft          string                  `json:"draft"`
	Changes        []workspace.DraftChange `json:"changes"`
	api.CaveatList                         // what to know of what was applied
}

// DraftDiff lists the changes of a draft, each with its effect on the content of
// the file.
type DraftDiff struct {
	Draft   string            `json:"draft"`
	Changes []content.Changed `json:"changes"`
}
