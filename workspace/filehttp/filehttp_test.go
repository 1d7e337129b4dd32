package filehttp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/internal/guard/strictjson"
	"github.com/agnes-data/da/workspace"
)

// owner is a caller, and what was written down of the caller's requests.
type owner struct {
	name  string
	mu    *sync.Mutex
	notes *[]string
}

func (o owner) Owner() string { return o.name }

func (o owner) Folder() string { return o.name }

func (o owner) NoteFile(_ context.Context, action string, f api.FileSubject, err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var e *api.Error
	code := api.Code("ok")
	if errors.As(err, &e) {
		code = e.Code
	}
	*o.notes = append(*o.notes, fmt.Sprintf("%s %s %s", o.name, action, code))
	return err
}

func (o owner) NoteModel(_ context.Context, _ string, _ *float64, err error) error { return err }

// site is a server whose callers say in a header who they are.
type site struct {
	t     *testing.T
	url   string
	mux   *http.ServeMux
	dir   string
	notes []string
	mu    sync.Mutex
}

func newSite(t *testing.T, o workspace.Options, inbox ...string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	closing, end := context.WithCancel(context.Background())
	files := New(Config{Inbox: strings.Join(inbox, ""), Closing: closing, Poll: time.Millisecond, Open: func(name string) (*workspace.Workspace, error) {
		return workspace.Open(filepath.Join(s.dir, name), o)
	}})
	mux := http.NewServeMux()
	s.mux = mux
	for _, route := range files.Routes() {
		mux.HandleFunc(route.Method+" "+route.Path, func(w http.ResponseWriter, r *http.Request) {
			err := route.Handle(api.Data{FileOwner: owner{r.Header.Get("User"), &s.mu, &s.notes}}, w, r)
			var e *api.Error
			switch {
			case errors.As(err, &e):
				w.WriteHeader(e.Code.HTTPStatus())
				_ = json.NewEncoder(w).Encode(e.Body())
			case err != nil:
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
	}
	srv := httptest.NewServer(mux)
	s.url = srv.URL
	t.Cleanup(func() {
		end()
		srv.Close()
		if n := len(files.spaces.open); n != 0 {
			t.Errorf("%d workspaces are open when nobody uses them", n)
		}
	})
	return s
}

// ask sends a request and returns the answer, whose body it has read.
func (s *site) ask(user, method, path, body string, header ...string) (*http.Response, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("User", user)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res, string(text)
}

// form is a form with one file.
func form(t *testing.T, field, name, text string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile(field, name)
	if err == nil {
		_, err = io.WriteString(part, text)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

// send uploads a file.
func (s *site) send(user, query, name, text string) (workspace.File, *http.Response, string) {
	s.t.Helper()
	body, kind := form(s.t, "file", name, text)
	res, answer := s.ask(user, "POST", "/api/files/upload"+query, body, "Content-Type", kind)
	var f workspace.File
	_ = json.Unmarshal([]byte(answer), &f) // of an error nothing is in it
	return f, res, answer
}

func (s *site) names(user string) string {
	s.t.Helper()
	_, text := s.ask(user, "GET", "/api/files", "")
	var list FileList
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		s.t.Fatal(text)
	}
	names := []string{}
	for _, f := range list.Files {
		names = append(names, fmt.Sprintf("%s@%d", f.Name, f.Version))
	}
	return strings.Join(names, " ")
}

func TestFilesOfUsers(t *testing.T) {
	s := newSite(t, workspace.Options{})
	f, res, text := s.send("1", "?folder=reports", "Žluť \"5\".csv", "a,b\n1,2\n")
	if res.StatusCode != http.StatusCreated || f.Name != "reports/Žluť \"5\".csv" || f.MIMEType != "text/csv" || f.Source != workspace.Upload {
		t.Fatalf("%d %s", res.StatusCode, text)
	}
	if s.names("2") != "" {
		t.Error("another user sees the file")
	}
	for _, r := range [][2]string{{"GET", ""}, {"GET", "/download"}, {"DELETE", ""}} {
		if res, text := s.ask("2", r[0], "/api/files/"+f.ID+r[1], ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("another user: %s %s: %d %s", r[0], r[1], res.StatusCode, text)
		}
	}
	var info FileInfo
	_, text = s.ask("1", "GET", "/api/files/"+f.ID, "")
	if err := json.Unmarshal([]byte(text), &info); err != nil || info.Kind != "text" || *info.Lines != 2 || len(info.Versions) != 1 {
		t.Errorf("info: %s", text)
	}
	if res, text := s.ask("1", "POST", "/api/files/"+f.ID, `{"rename":"may.csv"}`); res.StatusCode != 200 || s.names("1") != "may.csv@2" {
		t.Errorf("rename: %s", text)
	}
	if res, text := s.ask("1", "POST", "/api/files/may.csv", `{"rename":"x.csv","if_version":1}`); res.StatusCode != http.StatusConflict {
		t.Errorf("rename of an older version: %d %s", res.StatusCode, text)
	}
	for _, body := range []string{`{}`, `{"rename":"a","copy":"b"}`, `{"raname":"x"}`, `[`, `{"copy":"../x"}`} {
		if res, text := s.ask("1", "POST", "/api/files/may.csv", body); res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d %s", body, res.StatusCode, text)
		}
	}
	s.ask("1", "POST", "/api/files/may.csv", `{"copy":"copy.csv"}`)
	s.ask("1", "DELETE", "/api/files/may.csv", "")
	if got := s.names("1"); got != "copy.csv@1" {
		t.Errorf("after copy and delete: %s", got)
	}
	if s.ask("1", "POST", "/api/files/"+f.ID, `{"restore":1}`); s.names("1") != "copy.csv@1 may.csv@4" {
		t.Errorf("after the restore: %s", s.names("1"))
	}
	want := []string{"1 upload ok", "2 list ok", "2 info unknown_file", "2 download unknown_file", "2 delete unknown_file", "1 info ok", "1 change ok"}
	if len(s.notes) < len(want) || strings.Join(s.notes[:len(want)], "\n") != strings.Join(want, "\n") {
		t.Errorf("the record: %q", s.notes)
	}
}

func TestDownload(t *testing.T) {
	s := newSite(t, workspace.Options{})
	page := "<html><script>alert(1)</script></html>"
	f, _, _ := s.send("1", "?name=seiten/%C3%BC%0A.html", "x", page) // a control character in a name
	if f.ID != "" {
		t.Fatal("a name with a line end was taken")
	}
	f, _, _ = s.send("1", "?name=seiten/%C3%BC.html", "x", page)
	s.send("1", "?name=seiten/%C3%BC.html&if_version=1", "x", "new")
	res, text := s.ask("1", "GET", "/api/files/"+f.ID+"/download?version=1", "")
	for header, want := range map[string]string{
		"Content-Disposition": "attachment; filename*=utf-8''%C3%BC.html", "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
		"Accept-Ranges": "bytes", "Content-Length": "38", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if res.Header.Get(header) != want {
			t.Errorf("%s: %q", header, res.Header.Get(header))
		}
	}
	if text != page {
		t.Errorf("got %q", text)
	}
	path := "/api/files/" + f.ID + "/download"
	res, text = s.ask("1", "GET", path, "", "Range", "bytes=1-1")
	if res.StatusCode != http.StatusPartialContent || text != "e" {
		t.Errorf("a range: %d %q", res.StatusCode, text)
	}
	if res, text = s.ask("1", "GET", path, "", "Range", "bytes=0-0,2-2"); res.StatusCode != 200 || text != "new" {
		t.Errorf("two ranges: %d %q", res.StatusCode, text)
	}
	if res, _ = s.ask("1", "GET", path, "", "Range", "bytes=9-"); res.StatusCode != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("a range behind the end: %d", res.StatusCode)
	}
	if res, _ = s.ask("1", "GET", path, "", "If-None-Match", res.Header.Get("ETag")); res.StatusCode != http.StatusOK {
		t.Errorf("without an etag: %d", res.StatusCode)
	}
	if res, _ = s.ask("1", "GET", path, "", "If-None-Match", res.Header.Get("ETag")); res.StatusCode != http.StatusNotModified {
		t.Errorf("what the client has: %d", res.StatusCode)
	}
	if res, _ = s.ask("1", "GET", path+"?version=9", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("a version that is not: %d", res.StatusCode)
	}
}

// endless is a body of zeros that counts what was taken of it.
type endless struct {
	head  io.Reader
	taken int64
}

func (e *endless) Read(p []byte) (int, error) {
	if n, err := e.head.Read(p); err == nil {
		return n, nil
	}
	clear(p)
	e.taken += int64(len(p))
	return len(p), nil
}

// TestUploadsAreBounded holds that what is too large is refused as early as it can
// be, and that nothing is stored of what does not come whole.
func TestUploadsAreBounded(t *testing.T) {
	s := newSite(t, workspace.Options{MaxFile: 1 << 20, MaxTotal: 3 << 20})
	refused := func(name string, req *http.Request, status int, code api.Code, kind string) {
		t.Helper()
		req.Header.Set("User", "1")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer res.Body.Close()
		var e api.ErrorBody
		if err := json.NewDecoder(res.Body).Decode(&e); err != nil || res.StatusCode != status || e.Code != code || e.Kind != kind {
			t.Errorf("%s: %d %+v", name, res.StatusCode, e)
		}
	}
	request := func(body io.Reader, kind string) *http.Request {
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/api/files/upload", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", kind)
		return req
	}
	whole, kind := form(t, "file", "x.bin", "text")
	head := whole[:strings.Index(whole, "text")]

	announced := &endless{head: strings.NewReader(head)}
	req := request(announced, kind)
	req.ContentLength = 2 << 30
	req.Header.Set("Expect", "100-continue")
	refused("2 GB that are announced", req, http.StatusRequestEntityTooLarge, api.CodeTooLarge, "file_size")
	if announced.taken != 0 {
		t.Errorf("%d bytes were taken of what was too large from the start", announced.taken)
	}
	refused("too much without a length", request(io.LimitReader(&endless{head: strings.NewReader(head)}, 3<<20), kind), http.StatusRequestEntityTooLarge, api.CodeTooLarge, "file_size")
	refused("cut", request(strings.NewReader(whole[:len(whole)-8]), kind), http.StatusBadRequest, api.CodeBadRequest, "incomplete")
	refused("no form", request(strings.NewReader("x"), "text/plain"), http.StatusBadRequest, api.CodeBadRequest, "content_type")
	other, otherKind := form(t, "upload", "x.bin", "text")
	refused("another field", request(strings.NewReader(other), otherKind), http.StatusBadRequest, api.CodeBadRequest, "form")
	two := strings.Replace(whole, "text", "text\r\n"+whole[:strings.Index(whole, "\r\n")+2]+"Content-Disposition: form-data; name=\"b\"\r\n\r\nmore", 1)
	refused("two parts", request(strings.NewReader(two), kind), http.StatusBadRequest, api.CodeBadRequest, "form")
	if _, res, text := s.send("1", "?name=../x", "x", "text"); res.StatusCode != http.StatusBadRequest {
		t.Errorf("a name that leads out: %s", text)
	}
	if got := s.names("1"); got != "" {
		t.Fatalf("stored: %s", got)
	}
	for i := range 4 {
		_, res, text := s.send("1", "", fmt.Sprintf("%d.bin", i), strings.Repeat("x", 900_000)+fmt.Sprint(i))
		if want := map[bool]int{true: 201, false: 413}[i < 3]; res.StatusCode != want {
			t.Errorf("upload %d: %d %s", i, res.StatusCode, text)
		}
	}
	if got := s.names("1"); got != "0.bin@1 1.bin@1 2.bin@1" {
		t.Errorf("in the full workspace: %s", got)
	}
}

// TestUploadsAtOnce holds that a user may not send more files at a time than the
// server allows, and may again afterwards.
func TestUploadsAtOnce(t *testing.T) {
	s := newSite(t, workspace.Options{})
	body, kind := form(t, "file", "x.txt", "text")
	var open []*io.PipeWriter
	answers := make(chan int, maxUploads)
	for range maxUploads {
		in, out := io.Pipe()
		req := httptest.NewRequestWithContext(t.Context(), "POST", "/api/files/upload", in)
		req.Header.Set("User", "1")
		req.Header.Set("Content-Type", kind)
		go func() {
			w := httptest.NewRecorder()
			s.mux.ServeHTTP(w, req)
			answers <- w.Code
		}()
		_, _ = io.WriteString(out, body[:20]) // ends when the upload has begun
		open = append(open, out)
	}
	if _, res, text := s.send("1", "", "y.txt", "y"); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d %s", res.StatusCode, text)
	}
	if _, res, _ := s.send("2", "", "y.txt", "y"); res.StatusCode != http.StatusCreated {
		t.Error("another user has to wait")
	}
	for _, w := range open {
		_, _ = io.WriteString(w, body[20:])
		_ = w.Close()
		if status := <-answers; status != http.StatusCreated {
			t.Errorf("an upload that had begun: %d", status)
		}
	}
	if _, res, text := s.send("1", "", "z.txt", "z"); res.StatusCode != http.StatusCreated {
		t.Errorf("afterwards: %s", text)
	}
}

// follow reads events from a stream.
func (s *site) follow(path string, header ...string) func() string {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), "GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("User", "1")
	if len(header) > 0 {
		req.Header.Set(header[0], header[1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		s.t.Fatal(res, err)
	}
	s.t.Cleanup(func() { _ = res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	return func() string {
		s.t.Helper()
		var event strings.Builder
		for lines.Scan() {
			line := lines.Text()
			switch {
			case line == "" && event.Len() > 0:
				return event.String()
			case line != "" && !strings.HasPrefix(line, ":"):
				event.WriteString(line + "\n")
			}
		}
		s.t.Fatalf("the stream has ended: %v", lines.Err())
		return ""
	}
}

func TestEvents(t *testing.T) {
	s := newSite(t, workspace.Options{})
	next := s.follow("/api/files/events")
	f, _, _ := s.send("1", "", "a.txt", "one")
	if got, want := next(), fmt.Sprintf("id: 1\nevent: file:created\ndata: {\"id\":%q,\"name\":\"a.txt\",\"size\":3,\"mime_type\":\"text/plain\",\"source_session_id\":null}\n", f.ID); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// Another process changes the file, too.
	w, err := workspace.Open(filepath.Join(s.dir, "1"), workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Rename(t.Context(), "a.txt", "b.txt", 0); err != nil {
		t.Fatal(err)
	}
	if got := next(); !strings.HasPrefix(got, "id: 2\nevent: file:modified\n") || !strings.Contains(got, `"name":"b.txt"`) {
		t.Errorf("got %s", got)
	}
	s.ask("1", "DELETE", "/api/files/b.txt", "")
	if got, want := next(), fmt.Sprintf("id: 3\nevent: file:deleted\ndata: {\"id\":%q}\n", f.ID); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if back := s.follow("/api/files/events", "Last-Event-ID", "1"); !strings.HasPrefix(back(), "id: 2\n") || !strings.HasPrefix(back(), "id: 3\n") {
		t.Error("a client that came back has missed events")
	}
	if all := s.follow("/api/files/events?after=0"); !strings.HasPrefix(all(), "id: 1\n") {
		t.Error("from the first event on")
	}
	if got := s.follow("/api/files/events?after=99")(); got != "id: 3\nevent: file:missed\ndata: {}\n" {
		t.Errorf("a number that never was: %s", got)
	}
	if res, _ := s.ask("1", "GET", "/api/files/events", "", "Last-Event-ID", "x"); res.StatusCode != http.StatusBadRequest {
		t.Errorf("a number that is none: %d", res.StatusCode)
	}
}

func TestDraftsOverHTTP(t *testing.T) {
	s := newSite(t, workspace.Options{})
	s.send("1", "", "a.txt", "one")
	s.send("1", "?draft=plan", "a.txt", "two")
	s.send("1", "?draft=plan", "b.txt", "new")
	if got := s.names("1"); got != "a.txt@1" {
		t.Errorf("before: %s", got)
	}
	_, text := s.ask("1", "GET", "/api/drafts/plan", "")
	var d DraftChanges
	if err := json.Unmarshal([]byte(text), &d); err != nil || len(d.Changes) != 2 || d.Changes[0].Action != workspace.ActionModified {
		t.Fatalf("%s", text)
	}
	if _, text := s.ask("1", "GET", "/api/drafts", ""); !strings.Contains(text, `"name":"plan","changes":2`) {
		t.Errorf("drafts: %s", text)
	}
	s.send("1", "", "a.txt", "three")
	if res, text := s.ask("1", "POST", "/api/drafts/plan/apply", ""); res.StatusCode != http.StatusConflict {
		t.Errorf("apply over another change: %d %s", res.StatusCode, text)
	}
	if res, _ := s.ask("1", "DELETE", "/api/drafts/plan", ""); res.StatusCode != http.StatusOK {
		t.Error("discard")
	}
	s.send("1", "?draft=next", "a.txt", "four")
	if res, text := s.ask("1", "POST", "/api/drafts/next/apply", ""); res.StatusCode != http.StatusOK || s.names("1") != "a.txt@3" {
		t.Errorf("apply: %s, %s", text, s.names("1"))
	}
	if res, _ := s.ask("1", "GET", "/api/drafts/next", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("an applied draft: %d", res.StatusCode)
	}
}

// TestFilesOfTheServersFolder copies files of the folder that the operator has named, and
// no others.
func TestFilesOfTheServersFolder(t *testing.T) {
	dir := t.TempDir()
	inbox := filepath.Join(dir, "inbox")
	if err := os.MkdirAll(filepath.Join(inbox, "may"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"inbox/may/sales.csv": "a,b\n1,2\n", "inbox/large.csv": strings.Repeat("x", 200), "secret.csv": "s"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "secret.csv"), filepath.Join(inbox, "link.csv")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(inbox, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSite(t, workspace.Options{MaxFile: 100}, inbox)
	for body, want := range map[string]string{
		`{"path": "may/sales.csv"}`:                                `201 "name":"sales.csv"`,
		`{"path": "may/sales.csv", "filename": "reports/may.csv"}`: `201 "name":"reports/may.csv"`,
		`{"path": "large.csv"}`:                                    "413 too_large",
		`{"path": "../secret.csv"}`:                                "404 unknown_file",
		`{"path": "link.csv"}`:                                     "404 unknown_file",
		`{"path": "` + filepath.Join(dir, "secret.csv") + `"}`:     "404 unknown_file",
		`{"path": "pipe"}`:                                         "404 unknown_file",
		`{"path": "may"}`:                                          "404 unknown_file",
		`{"path": "may/sales.csv", "url": "https://example.com"}`:  "400 one of url and path",
	} {
		status, part, _ := strings.Cut(want, " ")
		if res, text := s.ask("ann", http.MethodPost, "/api/files/download", body); fmt.Sprint(res.StatusCode) != status || !strings.Contains(text, part) {
			t.Errorf("%s: %d %s", body, res.StatusCode, text)
		}
	}
	if got := s.names("ann"); got != "reports/may.csv@1 sales.csv@1" {
		t.Errorf("her files: %s", got)
	}
	if res, text := newSite(t, workspace.Options{}).ask("ann", http.MethodPost, "/api/files/download", `{"path": "a.csv"}`); res.StatusCode != 403 || !strings.Contains(text, "files.inbox") {
		t.Errorf("without a folder: %d %s", res.StatusCode, text)
	}
}

// TestNoDownloadsUnlessConfigured holds that a server asks no host that its
// operator has not named.
func TestNoDownloadsUnlessConfigured(t *testing.T) {
	s := newSite(t, workspace.Options{})
	if res, text := s.ask("1", "POST", "/api/files/download", `{"url":"https://example.com/x"}`); res.StatusCode != http.StatusForbidden || !strings.Contains(text, "downloads_off") {
		t.Errorf("%d %s", res.StatusCode, text)
	}
}

func TestNoFilesUnlessConfigured(t *testing.T) {
	for _, r := range New(Config{}).Routes() {
		err := r.Handle(api.Data{FileOwner: owner{}}, httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), r.Method, "/", nil))
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeUnavailable || e.Kind != "files_off" {
			t.Errorf("%s %s: %v", r.Method, r.Path, err)
		}
	}
}

// TestOperationsOverHTTP changes a document by operations, whose fields are told.
func TestOperationsOverHTTP(t *testing.T) {
	s := newSite(t, workspace.Options{})
	blank, err := docx.Blank()
	if err != nil {
		t.Fatal(err)
	}
	memo, _, _ := s.send("ann", "", "memo.docx", string(blank))
	path := "/api/files/" + memo.ID + "/operations"
	var forms FileForms
	if _, text := s.ask("ann", http.MethodGet, path, ""); json.Unmarshal([]byte(text), &forms) != nil || !slices.ContainsFunc(forms.Operations, func(f strictjson.Form) bool {
		return f.Op == "append_bullets" && slices.Contains(f.Fields, strictjson.Field{Name: "items", Kind: "lines", About: "one text an item; each leading tab is a level down"})
	}) {
		t.Errorf("%+v", forms)
	}
	for _, c := range []struct {
		user, body string
		status     int
		want       string
	}{
		{"ann", `{"operations": [{"op": "append_paragraph", "text": "Hello"}], "if_version": 1}`, 200, `"version":2`},
		{"ann", `{"operations": [{"op": "append_paragraph", "text": "Again"}], "if_version": 1}`, 409, "conflict"},
		{"ann", `{"operations": [{"op": "append_paragraph", "txt": "Hello"}]}`, 400, "Did you mean 'text'?"},
		{"ann", `{"operations": {"op": "append_paragraph"}}`, 400, "not a JSON list"},
		{"bob", `{"operations": [{"op": "append_paragraph", "text": "Hello"}]}`, 404, "unknown_file"},
	} {
		if res, text := s.ask(c.user, http.MethodPost, path, c.body); res.StatusCode != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s", c.body, res.StatusCode, text)
		}
	}
	if res, _ := s.ask("bob", http.MethodGet, path, ""); res.StatusCode != 404 {
		t.Errorf("another's file: %d", res.StatusCode)
	}
	notes, _, _ := s.send("ann", "", "notes.md", "# Notes\n")
	if _, text := s.ask("ann", http.MethodGet, "/api/files/"+notes.ID+"/operations", ""); strings.TrimSpace(text) != `{"operations":[]}` {
		t.Errorf("of a text: %s", text)
	}
}
