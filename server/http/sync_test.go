package httpapi

import (
	"testing"

	"github.com/agnes-data/da/api"
)

func TestSyncedFilesAreServedInRanges(t *testing.T) {
	s := serveTest(t, &testService{})
	const etag = `"0123"`
	for _, x := range []struct {
		what   string
		header []string
		status int
		body   string
		ranged string
	}{
		{"whole", nil, 200, testFile, ""},
		{"a part", []string{"Range", "bytes=2-5"}, 206, testFile[2:6], "bytes 2-5/13"},
		{"the end", []string{"Range", "bytes=9-"}, 206, testFile[9:], "bytes 9-12/13"},
		{"the last", []string{"Range", "bytes=-4"}, 206, testFile[9:], "bytes 9-12/13"},
		{"beyond", []string{"Range", "bytes=2-99"}, 206, testFile[2:], "bytes 2-12/13"},
		{"outside", []string{"Range", "bytes=13-20"}, 416, "", "bytes */13"},
		{"the same file", []string{"Range", "bytes=0-3", "If-Match", etag}, 206, "PAR1", "bytes 0-3/13"},
		{"another file", []string{"Range", "bytes=0-3", "If-Match", `"other"`}, 412, "", ""},
		{"another file, whole then", []string{"Range", "bytes=0-3", "If-Range", `"other"`}, 200, testFile, ""},
		{"several parts", []string{"Range", "bytes=0-1,4-5"}, 200, testFile, ""},
		{"known", []string{"If-None-Match", etag}, 304, "", ""},
	} {
		res, body := s.ask(t, "GET", "/api/sync/tables/t", "", append([]string{"Authorization", "Bearer " + userToken}, x.header...)...)
		if res.StatusCode != x.status || x.status < 300 && body != x.body || res.Header.Get("Content-Range") != x.ranged {
			t.Errorf("%s: %d %q %q", x.what, res.StatusCode, body, res.Header.Get("Content-Range"))
		}
		if x.status < 400 && res.Header.Get("ETag") != etag {
			t.Errorf("%s: ETag %q", x.what, res.Header.Get("ETag"))
		}
		if x.status == 416 {
			if e := errorOf(t, body); e.Code != api.CodeBadRequest || e.Message == "" || e.RequestID == "" || res.Header.Get("Content-Disposition") != "" {
				t.Errorf("%s: %+v", x.what, e)
			}
		}
		if x.status == 412 {
			if e := errorOf(t, body); e.Kind != api.KindChanged {
				t.Errorf("%s: %+v", x.what, e)
			}
		}
	}
	if res, body := s.ask(t, "HEAD", "/api/sync/tables/t", "", "Authorization", "Bearer "+userToken); res.StatusCode != 200 || body != "" || res.ContentLength != int64(len(testFile)) {
		t.Errorf("HEAD: %d, %d bytes", res.StatusCode, res.ContentLength)
	}
}
