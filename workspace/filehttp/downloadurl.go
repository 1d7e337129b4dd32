package filehttp

import (
	"cmp"
	"net/http"
	"os"
	"path"
	"path/filepath"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/workspace"
	web "github.com/agnes-data/da/workspace/download"
)

// downloadURL brings a file of the web into the workspace. It counts as an upload.
func (s *Server) downloadURL(v *visit) (reply, error) {
	var in FileDownload
	if err := wire.DecodeBody(v.Body, &in); err != nil {
		return nil, err
	}
	if in.Path != "" && in.URL != "" {
		return nil, bad(api.KindBody, "the body must have one of url and path")
	}
	if in.Path != "" && s.Inbox == "" {
		return nil, &api.Error{Code: api.CodeForbidden, Kind: api.KindDownloadsOff, Message: "this server has no folder to take files from",
			Hint: "Its operator can name one by files.inbox in the instance file."}
	}
	if in.Path == "" && len(s.Hosts) == 0 {
		return nil, &api.Error{Code: api.CodeForbidden, Kind: api.KindDownloadsOff, Message: "this server downloads no files",
			Hint: "Its operator can allow hosts by files.download_hosts in the instance file."}
	}
	done, err := s.spaces.take(&v.space.uploads, maxUploads, api.KindTooManyUploads, "uploads")
	if err != nil {
		return nil, err
	}
	v.atEnd(done)
	if in.Path != "" {
		return s.fromInbox(v, in)
	}
	f, err := web.Get(v.Context(), v.files, in.URL, in.Filename, web.Options{Hosts: s.Hosts})
	v.about = f.Subject()
	return answer(http.StatusCreated, f), err
}

// fromInbox copies a file of the operator's folder. Neither a path nor a link leads out
// of that folder.
func (s *Server) fromInbox(v *visit, in FileDownload) (reply, error) {
	root, err := os.OpenRoot(s.Inbox)
	if err != nil {
		return nil, err
	}
	v.atEnd(func() { _ = root.Close() })
	absent := &api.Error{Code: api.CodeUnknownFile, Message: "there is no file '" + api.Clip(in.Path, 80) + "' in the server's folder", Hint: "Give its path within the folder."}
	file, err := root.OpenFile(filepath.FromSlash(in.Path), os.O_RDONLY|kernelfs.NoWait, 0)
	if err != nil {
		return nil, absent
	}
	v.atEnd(func() { _ = file.Close() })
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, absent
	}
	if info.Size() > v.files.MaxFile {
		return nil, workspace.TooLarge(v.files.MaxFile)
	}
	f, err := v.files.Put(v.Context(), workspace.PutRequest{Name: cmp.Or(in.Filename, path.Base(in.Path))}, file)
	v.about = f.Subject()
	return answer(http.StatusCreated, f), err
}
