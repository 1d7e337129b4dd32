package files

import (
	"context"

	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

type fileReadBytesIn struct {
	idIn
	Offset int64 `json:"offset,omitempty" jsonschema:"first byte, from 0"`
	Length int   `json:"length,omitempty" jsonschema:"default 16384, at most 262144"`
}

func fileReadBytes() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_read_bytes", Title: "Read bytes of a file", Set: tool.SetFine, ReadOnly: true,
		About: "Read a range of bytes as base64, of formats that no other tool reads.",
	}, func(ctx context.Context, w *workspace.Workspace, in fileReadBytesIn) (*content.Bytes, error) {
		return content.ReadBytes(ctx, w, in.ID, in.Offset, in.Length)
	})
}

type fileWriteBytesIn struct {
	idIn
	Offset int64  `json:"offset" jsonschema:"first byte to write over, from 0 to the size"`
	Data   string `json:"base64data" jsonschema:"base64, at most 1 MiB of bytes"`
	writtenIn
}

type fileAppendBytesIn struct {
	idIn
	Data string `json:"base64data" jsonschema:"base64, at most 1 MiB of bytes"`
	writtenIn
}

// bytesOut describes a file after a write of bytes.
type bytesOut struct {
	OK      bool  `json:"ok"`
	Size    int64 `json:"size"`
	Version int64 `json:"version"`
}

func bytesWritten(f workspace.File, err error) (*bytesOut, error) {
	if err != nil {
		return nil, err
	}
	return &bytesOut{true, f.Size, f.Version}, nil
}

func fileWriteBytes() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_write_bytes", Title: "Write bytes of a file", Set: tool.SetFine, Destructive: true,
		About: "Write bytes, as base64, over those from an offset on. What goes beyond the end is appended.",
	}, func(ctx context.Context, w *workspace.Workspace, in fileWriteBytesIn) (*bytesOut, error) {
		if in.Offset < 0 {
			return nil, tool.BadValue("offset is out of range", "It is counted from 0.")
		}
		return bytesWritten(content.WriteBytes(ctx, w, content.Target{File: in.ID, IfVersion: in.IfVersion}, in.Offset, in.Data))
	})
}

func fileAppendBytes() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_append_bytes", Title: "Append bytes to a file", Set: tool.SetFine,
		About: "Append bytes, as base64, to the end of a file.",
	}, func(ctx context.Context, w *workspace.Workspace, in fileAppendBytesIn) (*bytesOut, error) {
		return bytesWritten(content.WriteBytes(ctx, w, content.Target{File: in.ID, IfVersion: in.IfVersion}, content.AtEnd, in.Data))
	})
}
