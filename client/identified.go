package client

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
)

// identified adds the request id to the errors of a stream, so that they can be
// found in the server's log.
type identified struct {
	array.RecordReader
	id string
}

// Err implements array.RecordReader.
func (r identified) Err() error {
	if err := r.RecordReader.Err(); err != nil {
		return identify(err, r.id)
	}
	return nil
}

// identify returns err with the id of its request.
func identify(err error, id string) *api.Error {
	named := api.Error{Code: api.CodeUnexpected, Message: err.Error(), Err: err}
	var known *api.Error
	if errors.As(err, &known) {
		named = *known
	}
	named.RequestID = id
	return &named
}
