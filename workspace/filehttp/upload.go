package filehttp

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"path"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
)

// envelope is the maximum size of a form's other parts, besides its file, in
// bytes.
const envelope = 64 << 10

// upload stores the one file of a form as it comes.
func (s *Server) upload(v *visit) (reply, error) {
	done, err := s.spaces.take(&v.space.uploads, maxUploads, api.KindTooManyUploads, "uploads")
	if err != nil {
		return nil, err
	}
	v.atEnd(done)
	most := v.files.MaxFile
	if v.ContentLength > most+envelope { // before a byte of it has come
		return nil, workspace.TooLarge(most)
	}
	req := workspace.PutRequest{Name: v.param("name"), New: v.param("new") == "true"}
	if req.IfVersion, err = v.number("if_version"); err != nil {
		return nil, err
	}
	v.Body = http.MaxBytesReader(nil, v.Body, most+envelope)
	form, err := v.MultipartReader()
	if err != nil {
		return nil, bad(api.KindContentType, "an upload is a form: multipart/form-data with one part 'file'")
	}
	part, err := form.NextPart()
	if err != nil {
		return nil, broken(err, most)
	}
	if part.FormName() != "file" {
		return nil, bad(api.KindForm, "the one part of the form must be called 'file', and is called '"+api.Clip(part.FormName(), 80)+"'")
	}
	if req.Name == "" {
		req.Name = part.FileName()
	}
	if folder := v.param("folder"); folder != "" {
		req.Name = path.Join(folder, req.Name)
	}
	f, err := v.files.PutBy(v.Context(), req, func(out io.Writer) error { return receive(out, part, form, most) })
	v.about = f.Subject()
	return answer(http.StatusCreated, f), err
}

// receive writes a part, and makes sure that the form ends behind it: a form that
// was cut must not become a file.
func receive(out io.Writer, part *multipart.Part, form *multipart.Reader, most int64) error {
	if _, err := io.Copy(out, part); err != nil {
		return broken(err, most)
	}
	_, err := form.NextPart()
	if err == nil {
		return bad(api.KindForm, "the form has more than one part: send each file by a request of its own")
	}
	if !errors.Is(err, io.EOF) {
		return broken(err, most)
	}
	return nil
}

// broken returns the error for a form that does not arrive completely. Errors of
// the workspace are returned unchanged.
func broken(err error, most int64) error {
	var tooLarge *http.MaxBytesError
	var known *api.Error
	switch {
	case errors.As(err, &tooLarge):
		return workspace.TooLarge(most)
	case errors.As(err, &known):
		return err
	}
	return &api.Error{Code: api.CodeBadRequest, Kind: api.KindIncomplete, Message: "the upload is incomplete, or came too slowly",
		Hint: "Nothing was stored. Send it again.", Err: err}
}
