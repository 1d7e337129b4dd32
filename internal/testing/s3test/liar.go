package s3test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Lie is an object that a listing and an answer can describe differently.
type Lie struct {
	Key, ETag string
	Size      string // as it is listed
	// Serve answers a request for the object; nil: it is not there.
	Serve http.HandlerFunc
}

// Liar starts a server of one bucket that holds these objects, and asks for no
// credentials. With endless set no page of its listing is the last one. It
// ends with the test.
func Liar(t testing.TB, bucket string, endless bool, lies ...Lie) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/"+bucket+"/")
		if path == "" {
			_, _ = fmt.Fprint(w, listing(lies, endless)) // to a client that may have gone
			return
		}
		for _, l := range lies {
			if l.Key == path && l.Serve != nil {
				w.Header().Set("ETag", `"`+l.ETag+`"`)
				w.Header().Set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
				l.Serve(w, r)
				return
			}
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func listing(lies []Lie, endless bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0"?><ListBucketResult><IsTruncated>%t</IsTruncated><NextContinuationToken>more</NextContinuationToken>`, endless)
	for _, l := range lies {
		fmt.Fprintf(&b, `<Contents><Key>%s</Key><Size>%s</Size><ETag>"%s"</ETag><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`,
			html.EscapeString(l.Key), l.Size, l.ETag)
	}
	b.WriteString("</ListBucketResult>")
	return b.String()
}
