package filehttp

import (
	"net/http"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	web "github.com/agnes-data/da/workspace/download"
)

// downloadURL brings a file of the web into the workspace. It counts as an upload.
func (s *Server) downloadURL(v *visit) (reply, error) {
	var in FileDownload
	if err := wire.DecodeBody(v.Body, &in); err != nil {
		return nil, err
	}
	if len(s.Hosts) == 0 {
		return nil, &api.Error{Code: api.CodeForbidden, Kind: api.KindDownloadsOff, Message: "this server downloads no files",
			Hint: "Its operator can allow hosts by files.download_hosts in the instance file."}
	}
	done, err := s.spaces.take(&v.space.uploads, maxUploads, api.KindTooManyUploads, "uploads")
	if err != nil {
		return nil, err
	}
	v.atEnd(done)
	f, err := web.Get(v.Context(), v.files, in.URL, in.Filename, web.Options{Hosts: s.Hosts})
	v.about = f.ID
	return answer(http.StatusCreated, f), err
}
