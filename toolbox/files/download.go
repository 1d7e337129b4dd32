package files

import (
	"context"

	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace/download"
)

type fileDownloadIn struct {
	URL      string `json:"url" jsonschema:"an https:// address of an allowed host"`
	Filename string `json:"filename,omitempty" jsonschema:"default: the server's name"`
}

type fileDownloadOut struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Size     int64  `json:"size"`
	MIMEType string `json:"mime_type"`
}

func fileDownload() tool.Tool {
	t := tool.Typed(tool.Tool{
		Name: "file_download", Title: "Download a file into the workspace", Set: tool.SetFine, Open: true, Long: true,
		About: "Download a file by https from a host that the user has allowed.",
	}, func(ctx context.Context, c *tool.Call, in fileDownloadIn) (*fileDownloadOut, error) {
		w, err := c.Space()
		if err != nil {
			return nil, err
		}
		f, err := download.Get(ctx, w, in.URL, in.Filename, download.Options{Hosts: c.DownloadHosts})
		if err != nil {
			return nil, err
		}
		return &fileDownloadOut{f.ID, f.Name, f.Size, f.MIMEType}, nil
	})
	t.Needs = tool.NeedsSpace | tool.NeedsWeb
	return t
}
