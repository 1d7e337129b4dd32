package filehttp

import (
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
	Lines *int64       `json:"lines,omitempty"` // of a text
	// Content is what is in it, by its kind: sheets, headings, slides, pixels.
	Content any `json:"content,omitempty"`
	// Problem says why the content could not be looked into.
	Problem  string              `json:"problem,omitempty"`
	Versions []workspace.Version `json:"versions"` // the newest first
}

// FileChange is the body of POST /api/files/{id}: one of the first three, and
// the version that it is for.
type FileChange struct {
	Rename  string `json:"rename,omitempty"`  // the new name
	Copy    string `json:"copy,omitempty"`    // the name of the copy
	Restore int64  `json:"restore,omitempty"` // an older version; -1: the last one of a deleted file

	IfVersion int64 `json:"if_version,omitempty"` // of a rename; 0: any
}

// FileDownload is the body of POST /api/files/download.
type FileDownload struct {
	URL string `json:"url"`
	// Filename is the name that it gets; empty: the one that its server has for it.
	Filename string `json:"filename,omitempty"`
}

// DraftList is the answer of GET /api/drafts.
type DraftList struct {
	Drafts []workspace.Draft `json:"drafts"`
}

// DraftChanges is what a draft does, or has done.
type DraftChanges struct {
	Draft   string                  `json:"draft"`
	Changes []workspace.DraftChange `json:"changes"`
}

// DraftDiff is what a draft does, and what each change makes of its file's content.
type DraftDiff struct {
	Draft   string            `json:"draft"`
	Changes []content.Changed `json:"changes"`
}
