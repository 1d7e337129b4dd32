package toolbox

import (
	"context"

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

func fileDownload() tool {
	t := typed(tool{
		name: "file_download", title: "Download a file into the workspace", set: setFine, open: true, long: true,
		about: "Download a file by https from a host that the user has allowed.",
	}, func(ctx context.Context, c *call, in fileDownloadIn) (*fileDownloadOut, error) {
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
	t.needs = needsSpace | needsWeb
	return t
}
