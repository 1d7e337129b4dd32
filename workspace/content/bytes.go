package content

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
)

// Limits of one call that reads or writes bytes, and the default of a read.
const (
	MaxReadBytes     = 256 << 10
	DefaultReadBytes = 16 << 10
	MaxWriteBytes    = 1 << 20
)

// Bytes are a range of a file.
type Bytes struct {
	File    string `json:"file"`
	Version int64  `json:"version"`
	Offset  int64  `json:"offset"`
	Length  int    `json:"length"` // in bytes of the file, not of the base64 text
	Data    string `json:"data"`   // base64
	Size    int64  `json:"size"`   // of the file
	// EOF says that the range reaches the end of the file.
	EOF bool `json:"eof"`
}

// ReadBytes reads a range of a file; length 0 is DefaultReadBytes. A range behind
// the end is empty.
func ReadBytes(ctx context.Context, w *workspace.Workspace, ref string, offset int64, length int) (*Bytes, error) {
	if offset < 0 || length < 0 || length > MaxReadBytes {
		return nil, &api.Error{Code: api.CodeValidation, Kind: api.KindRange, Message: "the range is not valid",
			Hint: fmt.Sprintf("The offset is counted from 0, and one call reads at most %d bytes.", MaxReadBytes)}
	}
	if length == 0 {
		length = DefaultReadBytes
	}
	c, err := w.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	out := &Bytes{File: c.Of.Name, Version: c.Of.Version, Offset: offset, Size: c.Of.Size}
	out.Length = int(max(min(int64(length), c.Of.Size-offset), 0))
	data := make([]byte, out.Length)
	if _, err := io.ReadFull(io.NewSectionReader(c, offset, int64(out.Length)), data); err != nil {
		return nil, about(c.Of, err)
	}
	out.Data, out.EOF = base64.StdEncoding.EncodeToString(data), offset+int64(out.Length) >= c.Of.Size
	return out, nil
}

// AtEnd is the offset that appends.
const AtEnd = -1

// WriteBytes overwrites the bytes of a file, starting at an offset that is at
// most the file's size. data is base64; bytes beyond the end are appended.
func WriteBytes(ctx context.Context, w *workspace.Workspace, t Target, offset int64, data string) (workspace.File, error) {
	if len(data) > base64.StdEncoding.EncodedLen(MaxWriteBytes) {
		return workspace.File{}, &api.Error{Code: api.CodeTooLarge, Kind: api.KindData,
			Message: fmt.Sprintf("the data has more than the %d bytes that one call writes", MaxWriteBytes), Hint: "Write it in parts."}
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(data)
	if err != nil {
		return workspace.File{}, &api.Error{Code: api.CodeValidation, Kind: api.KindBase64, Message: "the data is not base64: " + err.Error(),
			Hint: "Nothing was changed. It is standard base64 with padding."}
	}
	return w.Edit(ctx, t.File, t.IfVersion, func(old *workspace.Content, out io.Writer) error {
		at := offset
		if at == AtEnd {
			at = old.Of.Size
		}
		if at < 0 || at > old.Of.Size {
			return about(old.Of, &api.Error{Code: api.CodeValidation, Kind: api.KindRange,
				Message: fmt.Sprintf("the file has %d bytes, and none at %d", old.Of.Size, at), Hint: "Nothing was changed.",
				Details: map[string]any{"size": old.Of.Size}})
		}
		_, err := io.Copy(out, io.NewSectionReader(old, 0, at))
		if err == nil {
			_, err = out.Write(raw)
		}
		if end := at + int64(len(raw)); err == nil && end < old.Of.Size {
			_, err = io.Copy(out, io.NewSectionReader(old, end, old.Of.Size-end))
		}
		return err
	})
}
