package httpapi

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/server/core"
)

// line is a connection between client and server that breaks.
type line struct {
	cuts    []int64 // after so many bytes of the first, the second, … body
	asked   []*http.Request
	last    *cutBody
	onCut   func()
	strip   bool // takes off Range and trailers
	collect bool // passes a body on when it has all of it
	garble  bool // sends something else behind the cut
}

// cutBody ends after some bytes as a lost connection does.
type cutBody struct {
	io.ReadCloser
	left int64
	cut  func()
}

func (c *cutBody) Read(p []byte) (int, error) {
	if c.left == 0 {
		c.cut()
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.ReadCloser.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

func (l *line) to(t testing.TB, server string) string {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if l.strip {
				r.Out.Header.Del("Range")
			}
		},
		ModifyResponse: func(res *http.Response) error {
			if res.Request.URL.Path != "/api/v2/scan" {
				return nil
			}
			l.asked = append(l.asked, res.Request)
			if l.strip {
				res.Trailer = nil
			}
			if l.collect {
				data, err := io.ReadAll(res.Body)
				if err != nil {
					return err
				}
				res.Body = io.NopCloser(bytes.NewReader(data))
			}
			if n := len(l.asked) - 1; n < len(l.cuts) && res.StatusCode == http.StatusOK {
				l.last = &cutBody{res.Body, l.cuts[n], func() {
					if l.onCut != nil {
						l.onCut()
					}
				}}
				res.Body = l.last
				if l.garble {
					first := io.LimitReader(l.last.ReadCloser, l.cuts[n])
					res.Body = io.NopCloser(io.MultiReader(first, strings.NewReader(strings.Repeat("?", 1<<20))))
				}
			}
			return nil
		}}
	srv := httptest.NewServer(proxy)
	t.Cleanup(srv.Close)
	return srv.URL
}

// bigServer has a table whose file has some hundred kilobytes.
func bigServer(t *testing.T) *staffServer {
	t.Helper()
	dir := t.TempDir()
	enginetest.Parquet(t, filepath.Join(dir, "big.parquet"), "SELECT i AS id, md5('x' || i) AS name FROM range(20000) t(i)")
	c := openCore(t, dir, `
sources: { files: { type: lake, root: . } }
tables: [{ id: big, source: files, path: big.parquet }]
`)
	srv := httptest.NewServer(newHandler(c, slog.New(slog.DiscardHandler), testDoor))
	t.Cleanup(srv.Close)
	return &staffServer{t: t, core: c, url: srv.URL}
}

// through is a client behind the line. It does not really wait.
func (s *staffServer) through(l *line, token string) *client.Client {
	s.t.Helper()
	c, err := client.New(client.Options{URL: l.to(s.t, s.url), Token: token, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// read fetches all of the table and returns the file's bytes.
func readBig(t *testing.T, c *client.Client, onCut func(int64)) ([]byte, api.End, error) {
	t.Helper()
	f, err := c.ScanFile(t.Context(), api.FileRequest{Scan: api.ScanRequest{TableID: "big", OrderBy: []string{"id"}}, Keep: true, OnCut: onCut})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f.Data)
	return data, f.End(), err
}

// scans counts the scans of the audit that read rows.
func (s *staffServer) scans() (n int) {
	s.t.Helper()
	events, err := s.core.As(core.LocalAdmin).Audit(s.t.Context(), api.AuditQuery{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range events {
		if e.EventType == api.EventScan && e.Data.ResultRows != nil && *e.Data.ResultRows > 0 {
			n++
		}
	}
	return n
}

// TestAServerThatDribblesIsLeft: a server that sends some bytes and cuts the line,
// again and again, does not hold its client for ever.
func TestAServerThatDribblesIsLeft(t *testing.T) {
	s := bigServer(t)
	token := s.user("una")
	s.grant(api.NewGrant{User: "una", TableID: "big"})
	l := &line{}
	for range 60 {
		l.cuts = append(l.cuts, 1000) // most of them are the schema
	}
	_, _, err := readBig(t, s.through(l, token), nil)
	if !api.CodeStreamCut.Is(err) || len(l.asked) > 10 {
		t.Errorf("after %d requests: %v", len(l.asked), err)
	}
}

// TestAMalformedAnswerIsLeftAtOnce: no line is cut so that other bytes follow, and
// asking for the rest would not mend it. That is so at the first request and where
// a cut fetch goes on.
func TestAMalformedAnswerIsLeftAtOnce(t *testing.T) {
	s := bigServer(t)
	token := s.user("una")
	s.grant(api.NewGrant{User: "una", TableID: "big"})
	l := &line{cuts: []int64{5000}, garble: true}
	_, _, err := readBig(t, s.through(l, token), nil)
	if e := (*api.Error)(nil); !errors.As(err, &e) || e.Kind != api.KindMalformed || len(l.asked) != 1 {
		t.Errorf("after %d requests: %v", len(l.asked), err)
	}
	l = &line{cuts: []int64{5000, 6000}}
	l.onCut = func() { l.garble = true }
	_, _, err = readBig(t, s.through(l, token), nil)
	if e := (*api.Error)(nil); !errors.As(err, &e) || e.Kind != api.KindMalformed || len(l.asked) != 2 {
		t.Errorf("while it goes on, after %d requests: %v", len(l.asked), err)
	}
}

// TestACutFetchGoesOn breaks the line at regions of the body and of what follows
// it, also behind proxies that keep the whole body back, and ones that know
// neither ranges nor trailers. The scan runs once.
func TestACutFetchGoesOn(t *testing.T) {
	s := bigServer(t)
	token := s.user("una")
	s.grant(api.NewGrant{User: "una", TableID: "big"})
	free := &line{cuts: []int64{1 << 40}}
	want, end, err := readBig(t, s.through(free, token), nil)
	if err != nil || int64(len(want)) != end.FileBytes || end.Rows != 20_000 {
		t.Fatalf("%d bytes, %+v, %v", len(want), end, err)
	}
	whole := 1<<40 - free.last.left // with its frames
	for what, l := range map[string]*line{
		"within the first data": {cuts: []int64{700}}, "in the middle": {cuts: []int64{whole / 2}},
		"several times":                {cuts: []int64{whole / 3, whole / 5, 1000, 800, whole / 4}},
		"in the end record":            {cuts: []int64{whole - 200}},
		"in what follows":              {cuts: []int64{whole / 2, 3, 400, 500}},
		"without ranges and trailers":  {cuts: []int64{whole / 2, whole / 3}, strip: true},
		"by a proxy that keeps it all": {cuts: []int64{whole / 2}, collect: true},
	} {
		before := s.scans()
		var told []int64
		got, gotEnd, err := readBig(t, s.through(l, token), func(at int64) { told = append(told, at) })
		if err != nil || gotEnd.Rows != end.Rows || gotEnd.FileBytes != int64(len(got)) || len(got) < len(want)/2 {
			t.Errorf("%s: %d bytes of %d, %+v, %v", what, len(got), len(want), gotEnd, err)
		}
		if len(told) == 0 || s.scans() != before+1 {
			t.Errorf("%s: it was told of %v, and %d scans ran", what, told, s.scans()-before)
		}
	}
}

// TestACutAnywhereGoesOn breaks the line at places all over the body, and thickly
// where the file begins and ends: in its magic, pages and footer, in the frames
// around them, and in the end record. What follows the cut is cut as well.
func TestACutAnywhereGoesOn(t *testing.T) {
	s := bigServer(t)
	token := s.user("una")
	s.grant(api.NewGrant{User: "una", TableID: "big"})
	free := &line{cuts: []int64{1 << 40}}
	want, _, err := readBig(t, s.through(free, token), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := 1<<40 - free.last.left
	head := whole - int64(len(want)) // of schema, frames and end record: some hundred bytes
	var places []int64
	for i := int64(1); i < 12; i++ {
		places = append(places, whole*i/12, head-24+4*i, whole-head*i/12)
	}
	for _, at := range places {
		got, end, err := readBig(t, s.through(&line{cuts: []int64{at, head + at%5000}}, token), nil)
		if err != nil {
			// Before the schema there is nothing to go on with.
			t.Errorf("cut at %d of %d: %v", at, whole, err)
			continue
		}
		sum := xxh3.Hash128(got).Bytes()
		if end.Rows != 20_000 || end.FileBytes != int64(len(got)) || end.BodyXXH3 != hex.EncodeToString(sum[:]) {
			t.Errorf("cut at %d of %d: %d bytes, %+v", at, whole, len(got), end)
		}
	}
}

// TestARestIsGivenUnderTheSameRightsOnly: a grant that is taken back between the
// cut and what follows, and a token that is.
func TestARestIsGivenUnderTheSameRightsOnly(t *testing.T) {
	for what, change := range map[string]func(s *staffServer, g *api.Grant){
		"the grant is revoked": func(s *staffServer, g *api.Grant) {
			if err := s.core.As(core.LocalAdmin).RevokeGrant(context.Background(), g.ID); err != nil {
				s.t.Error(err)
			}
		},
		"the grant is narrower": func(s *staffServer, g *api.Grant) {
			if err := s.core.As(core.LocalAdmin).RevokeGrant(context.Background(), g.ID); err != nil {
				s.t.Error(err)
			}
			s.grant(api.NewGrant{User: "una", TableID: "big", Rows: "id < 10"})
		},
		"the token is revoked": func(s *staffServer, _ *api.Grant) {
			admin := s.core.As(core.LocalAdmin)
			tokens, err := admin.Tokens(context.Background(), "una")
			if err == nil {
				err = admin.RevokeToken(context.Background(), tokens[0].ID)
			}
			if err != nil {
				s.t.Error(err)
			}
		},
	} {
		s := bigServer(t)
		token := s.user("una")
		g := s.grant(api.NewGrant{User: "una", TableID: "big"})
		l := &line{cuts: []int64{2000}}
		changed := false
		l.onCut = func() {
			if !changed {
				changed = true
				change(s, g)
			}
		}
		_, _, err := readBig(t, s.through(l, token), nil)
		if err == nil || !changed {
			t.Errorf("%s: the rest came (changed: %t)", what, changed)
		}
		if n := s.scans(); n != 1 {
			t.Errorf("%s: %d scans ran", what, n)
		}
	}
}

// TestAKeptFileIsItsOwnersAlone: another user with the same rights and the tag
// neither reads nor removes it, and another request gets nothing of it.
func TestAKeptFileIsItsOwnersAlone(t *testing.T) {
	s := bigServer(t)
	una, ben := s.over(s.user("una")), s.over(s.user("ben"))
	for _, user := range []string{"una", "ben"} {
		s.grant(api.NewGrant{User: user, TableID: "big"})
	}
	scan := api.ScanRequest{TableID: "big"}
	f, err := una.ScanFile(t.Context(), api.FileRequest{Scan: scan, Keep: true})
	if err != nil || len(f.Tag) != 32 {
		t.Fatalf("%+v, %v", f, err)
	}
	if err := ben.ForgetFile(t.Context(), f.Tag); err != nil {
		t.Error(err)
	}
	limited := scan
	limited.Where = "id < 5"
	sessions := map[string]*core.Session{"una": s.as("una"), "ben": s.as("ben")}
	for what, c := range map[string]struct {
		user string
		req  api.FileRequest
	}{
		"another user":    {"ben", api.FileRequest{Scan: scan, Codec: api.FileSnappy, Tag: f.Tag}},
		"another request": {"una", api.FileRequest{Scan: limited, Codec: api.FileSnappy, Tag: f.Tag}},
		"another codec":   {"una", api.FileRequest{Scan: scan, Codec: api.FileZstd, Tag: f.Tag}},
		"another tag":     {"una", api.FileRequest{Scan: scan, Codec: api.FileSnappy, Tag: "0123456789abcdef0123456789abcdef"}},
		"beyond its end":  {"una", api.FileRequest{Scan: scan, Codec: api.FileSnappy, Tag: f.Tag, From: 1 << 40}},
	} {
		if got, err := sessions[c.user].ScanFile(t.Context(), c.req); !errors.Is(err, &api.Error{Code: api.CodeBadRequest, Kind: api.KindChanged}) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	if data, err := io.ReadAll(f.Data); err != nil || int64(len(data)) != f.End().FileBytes {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	f.Close()
	_, err = sessions["una"].ScanFile(t.Context(), api.FileRequest{Scan: scan, Codec: api.FileSnappy, Tag: f.Tag})
	if !errors.Is(err, &api.Error{Code: api.CodeBadRequest, Kind: api.KindChanged}) {
		t.Errorf("it is kept for one who has it: %v", err)
	}
}
