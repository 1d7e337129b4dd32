package wire

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/agnes-data/da/api"
)

// DecodeBody reads the one JSON object of a request's body into dst, a pointer to a
// struct that has all of its fields. Errors are of CodeBadRequest, kind "body".
func DecodeBody(body io.Reader, dst any) error {
	dec := json.NewDecoder(body)
	dec.DisallowUnknownFields()
	err := dec.Decode(dst)
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.New("something follows the object")
	}
	return &api.Error{Code: api.CodeBadRequest, Kind: api.KindBody,
		Message: "the body is not the JSON object that is expected: " + err.Error()}
}
