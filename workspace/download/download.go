package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
)

// Get downloads a URL into the workspace. If the name is empty, the server's name
// for the file is used. A name that is already taken is refused. A download that
// fails stores nothing.
func Get(ctx context.Context, w *workspace.Workspace, address, name string, o Options) (workspace.File, error) {
	u, err := url.Parse(address)
	if err == nil {
		err = o.check(u)
	} else {
		err = refused(api.KindURL, "the address is not a URL", "")
	}
	if err != nil {
		return workspace.File{}, err
	}
	o.complete()
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return workspace.File{}, refused(api.KindURL, "the address is not a URL", "")
	}
	req.Header.Set("User-Agent", "da")
	req.Header.Set("Accept-Encoding", "identity") // so that its length is that of the file
	res, err := o.client().Do(req)
	if err != nil {
		return workspace.File{}, o.failed(u, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return workspace.File{}, &api.Error{Code: api.CodeReadFailed, Kind: api.KindStatus,
			Message: fmt.Sprintf("'%s' answers with %d %s", u.Host, res.StatusCode, http.StatusText(res.StatusCode)),
			Details: map[string]any{"status": res.StatusCode}}
	}
	if res.ContentLength > w.MaxFile {
		return workspace.File{}, workspace.TooLarge(w.MaxFile)
	}
	if name == "" {
		name = nameOf(res)
	}
	return w.PutBy(ctx, workspace.PutRequest{Name: name, Source: workspace.Created, New: true}, func(out io.Writer) error {
		n, err := io.Copy(out, res.Body)
		if err == nil && res.ContentLength >= 0 && n != res.ContentLength {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return o.failed(u, err)
		}
		return nil
	})
}

// client uses no proxy and keeps neither cookies nor connections.
func (o Options) client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: o.dial, TLSClientConfig: o.TLS, DisableKeepAlives: true, DisableCompression: true,
			TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return refused(api.KindRedirects, fmt.Sprintf("the address leads on more than %d times", maxRedirects), "")
			}
			req.Header.Del("Referer")
			return o.check(req.URL)
		},
	}
}

// failed describes why a download failed.
func (o Options) failed(u *url.URL, err error) error {
	var known *api.Error
	if errors.As(err, &known) {
		return known
	}
	message := fmt.Sprintf("cannot download from '%s'", u.Host)
	if errors.Is(err, context.DeadlineExceeded) {
		return &api.Error{Code: api.CodeTimeout, Message: message + fmt.Sprintf(": it took longer than %s", o.Timeout), Err: err}
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the URL, which may contain a secret
	}
	return &api.Error{Code: api.CodeReadFailed, Message: message + ": " + err.Error(), Err: err}
}

// nameOf is the name that the server has for a file, or the end of its address.
func nameOf(res *http.Response) string {
	if _, params, err := mime.ParseMediaType(res.Header.Get("Content-Disposition")); err == nil {
		if name := path.Base(strings.ReplaceAll(params["filename"], `\`, "/")); name != "." && name != "/" {
			return name
		}
	}
	if name := path.Base(res.Request.URL.Path); name != "." && name != "/" {
		return name
	}
	return "download"
}
