package filehttp

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

// Limits of concurrent uploads and streams of one user.
const (
	maxUploads = 4
	maxStreams = 20
)

// Limits of decoding contents for all users: workbooks, documents, PDF files and
// pictures. A crafted one can take decodeMemory bytes.
const (
	maxDecoded   = 4
	decodeMemory = 800_000_000
	decodeWait   = 20 * time.Second // shorter than clients wait for an answer
)

// Server answers requests of users.
type Server struct {
	Config
	spaces openWorkspaces
	tables tables
}

// New returns a server that is configured by cfg.
func New(cfg Config) *Server {
	if cfg.Poll == 0 {
		cfg.Poll = 500 * time.Millisecond
	}
	if cfg.Closing == nil {
		cfg.Closing = context.Background()
	}
	n := maxDecoded
	if cfg.Memory > 0 {
		n = int(min(max(cfg.Memory/decodeMemory, 1), maxDecoded))
	}
	room := workspace.NewRoom(n, cmp.Or(cfg.Wait, decodeWait))
	return &Server{Config: cfg, spaces: openWorkspaces{make: func(owner string) (*workspace.Workspace, error) {
		w, err := cfg.Open(owner)
		if err != nil {
			return nil, err
		}
		return w.Within(room), nil
	}}}
}

// Route is one request that the server answers.
type Route struct {
	Method, Path string
	// Params are the parameters of its URL.
	Params              []string
	Takes, Gives, About string
	// Streams says that it reads its body itself, as it comes.
	Streams bool
	// Handle answers a caller, or returns why not.
	Handle func(data api.Data, w http.ResponseWriter, r *http.Request) error
}

// Routes lists them all.
func (s *Server) Routes() []Route {
	file, draft := "/api/files/{id}", "/api/drafts/{name}"
	return []Route{
		{Method: http.MethodPost, Path: file + "/table", Params: []string{"draft"}, Takes: "FileTable, `?draft=` a name",
			Gives:  "what is wanted, as JSON",
			About:  "A file of rows as a table: its form as it was guessed or given, rows, statistics, or a SELECT over it.",
			Handle: s.handle("table", s.table)},
		{Method: http.MethodGet, Path: file + "/text", Params: []string{"pages", "draft"},
			Takes: "`?pages=` of a PDF file, as 1-5,8; `?draft=` a name", Gives: "the text, as JSON",
			About:  "The text of a file, at most 500 kB: lines, or what a document, a presentation or a PDF file says.",
			Handle: s.handle("read", read)},
		{Method: http.MethodGet, Path: file + "/picture", Params: []string{"page", "sheet", "side", "draft"},
			Takes: "`?page=` or a slide, from 1; `?sheet=`, `?side=` in pixels, `?draft=` a name", Gives: "a PNG",
			About:  "A page, slide or sheet as the LibreOffice of the server draws it; `X-Agnes-Pages` says how many there are.",
			Handle: s.handle("render", picture)},
		{Method: http.MethodGet, Path: "/api/files", Params: []string{"pattern", "deleted", "draft"},
			Takes: "`?pattern=` a glob, `?deleted=true`, `?draft=` a name", Gives: "FileList",
			About: "The files that the caller keeps on the server ([files](files.md#on-a-server)).", Handle: s.handle("list", list)},
		{Method: http.MethodPost, Path: "/api/files/upload", Params: []string{"name", "folder", "if_version", "new", "draft"}, Streams: true,
			Takes: "multipart/form-data with one part `file`; `?name=`, `?folder=`, `?if_version=`, `?new=true`, `?draft=`", Gives: "File",
			About:  "Stores a file under its name, or the next version of the one that has it. Nothing is stored of an upload that ends early.",
			Handle: s.handle("upload", s.upload)},
		{Method: http.MethodPost, Path: "/api/files/download", Takes: "FileDownload", Gives: "File",
			About: "Downloads a file of the web, if the server's operator has allowed its host, or copies one of the operator's folder.", Handle: s.handle("download_url", s.downloadURL)},
		{Method: http.MethodGet, Path: "/api/files/events", Params: []string{"after"}, Takes: "`Last-Event-ID`, or `?after=` a number",
			Gives: "events of Event",
			About: "Tells of changes as they happen: `file:created`, `file:modified`, `file:deleted`; after `file:missed` the list must be read anew.", Handle: s.handle("events", s.events)},
		{Method: http.MethodGet, Path: file, Params: []string{"draft"}, Takes: "`?draft=` a name", Gives: "FileInfo",
			About:  "What a file is, what is in it, and its versions. A file is named by its id, or by its name with `/` as `%2F`.",
			Handle: s.handle("info", info)},
		{Method: http.MethodPost, Path: file, Params: []string{"draft"}, Takes: "FileChange", Gives: "File",
			About: "Renames, copies or restores a file.", Handle: s.handle("change", change)},
		{Method: http.MethodGet, Path: file + "/operations", Params: []string{"draft"}, Takes: "`?draft=` a name", Gives: "FileForms",
			About: "The operations that change a workbook, document, presentation, PDF file or picture, with their fields.", Handle: s.handle("forms", forms)},
		{Method: http.MethodPost, Path: file + "/operations", Params: []string{"draft"}, Takes: "FileOperations", Gives: "FileOperated",
			About: "Applies operations to a file: all of them, as its next version, or none.", Handle: s.handle("edit", operate)},
		{Method: http.MethodDelete, Path: file, Params: []string{"if_version", "forever", "draft"},
			Takes: "`?if_version=`, `?forever=true`, `?draft=`", Gives: "File",
			About:  "Deletes a file, which can be restored for 30 days; with `forever` it goes with all versions.",
			Handle: s.handle("delete", remove)},
		{Method: http.MethodGet, Path: file + "/download", Params: []string{"version", "draft"},
			Takes: "`?version=`, `?draft=`, `Range`, `If-None-Match`", Gives: "the file",
			About: "A file, or a part of it; the hash of its content is the ETag.", Handle: s.handle("download", download)},
		{Method: http.MethodGet, Path: "/api/drafts", Gives: "DraftList", About: "The caller's drafts.", Handle: s.handle("drafts", drafts)},
		{Method: http.MethodGet, Path: draft, Gives: "DraftChanges", About: "What a draft changes.",
			Handle: s.handle("draft", draftDo((*workspace.Workspace).Changes))},
		{Method: http.MethodGet, Path: draft + "/diff", Gives: "DraftDiff",
			About: "What a draft changes, with the cells, lines and paragraphs that differ.", Handle: s.handle("diff", diff)},
		{Method: http.MethodPost, Path: draft + "/apply", Gives: "DraftChanges", About: "Makes a draft's changes, all or none.",
			Handle: s.handle("apply", draftTold(content.Apply))},
		{Method: http.MethodDelete, Path: draft, Gives: "DraftChanges", About: "Throws a draft's changes away.",
			Handle: s.handle("discard", draftDo((*workspace.Workspace).Discard))},
	}
}

// Use returns the workspace of an owner, shared with requests for it, and a
// function that ends its use.
func (s *Server) Use(ctx context.Context, owner string) (*workspace.Workspace, func(), error) {
	space, leave, err := s.spaces.enter(ctx, owner)
	if err != nil {
		return nil, nil, served(err)
	}
	return space.files, leave, nil
}

// handle finds the caller's workspace, writes into the record how a request
// ended, and then answers it.
func (s *Server) handle(action string, do func(*visit) (reply, error)) func(api.Data, http.ResponseWriter, *http.Request) error {
	return func(data api.Data, w http.ResponseWriter, r *http.Request) error {
		if !s.Keeps(data) {
			return Off()
		}
		space, leave, err := s.spaces.enter(r.Context(), data.Owner())
		if err != nil {
			return served(err)
		}
		v := &visit{Request: r, files: space.files, space: space}
		v.atEnd(leave)
		defer v.end()
		var answer reply
		if err = v.draft(); err == nil {
			answer, err = do(v)
		}
		// The request is recorded even if the client has disconnected meanwhile.
		if err := data.NoteFile(context.WithoutCancel(r.Context()), action, v.about, served(err)); err != nil {
			return err
		}
		return answer(w, r)
	}
}

// asServed maps error codes that a server does not send to the codes that it
// sends instead.
var asServed = map[api.Code]api.Code{
	api.CodeUsage: api.CodeBadRequest, api.CodeValidation: api.CodeBadRequest, api.CodeDiskFull: api.CodeUnavailable,
}
