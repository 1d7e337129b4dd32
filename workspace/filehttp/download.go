package filehttp

import (
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/agnes-data/da/workspace"
)

// download sends a file, or a range of it, like any web server, but so that no
// browser runs it or displays it as a page of this server.
func download(v *visit) (reply, error) {
	version, err := v.number("version")
	if err != nil {
		return nil, err
	}
	var c *workspace.Content
	if version != 0 {
		c, err = v.files.OpenVersion(v.Context(), v.PathValue("id"), version)
	} else {
		c, err = v.files.Open(v.Context(), v.PathValue("id"))
	}
	if err != nil {
		return nil, err
	}
	v.about = c.Of.Subject()
	v.atEnd(func() { _ = c.Close() })
	return func(w http.ResponseWriter, r *http.Request) error {
		if strings.Contains(r.Header.Get("Range"), ",") {
			r.Header.Del("Range") // several ranges would need a multipart answer
		}
		h := w.Header()
		h.Set("Content-Type", c.Of.MIMEType)
		h.Set("Content-Disposition", attachment(c.Of.Name))
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("ETag", `"`+c.Of.SHA256+`"`)
		http.ServeContent(w, r, "", time.Time{}, c)
		return nil
	}, nil
}

// attachment returns the header that makes a browser save a file under its own
// name.
func attachment(name string) string {
	if h := mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name)}); h != "" {
		return h
	}
	return "attachment"
}
