package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/testing/s3test"
)

// turnout is a proxy in front of servers that sends everything to one of them. Until it is
// opened it passes on at most the first 6 MB of an answer: buffers of connections may take
// all of a large one, however slowly its client reads.
type turnout struct {
	*httptest.Server
	to     atomic.Pointer[url.URL]
	opened chan struct{}
}

func newTurnout(t *testing.T) *turnout {
	x := &turnout{opened: make(chan struct{})}
	x.Server = httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(x.to.Load()) },
		ModifyResponse: func(r *http.Response) error {
			r.Body = &gated{r.Body, 6 << 20, x.opened}
			return nil
		}})
	t.Cleanup(x.Close)
	return x
}

// gated is a body whose rest waits until opened is closed.
type gated struct {
	io.ReadCloser
	left   int
	opened chan struct{}
}

func (g *gated) Read(to []byte) (int, error) {
	if g.left == 0 {
		<-g.opened
		return g.ReadCloser.Read(to)
	}
	n, err := g.ReadCloser.Read(to[:min(len(to), g.left)])
	g.left -= n
	return n, err
}

func (x *turnout) turn(t *testing.T, server string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	x.to.Store(u)
}

// TestAnotherServerGoesOn begins to read a result at one server, which is killed or told
// to end; the rest comes from another one. It is the same file, charged once, and nobody
// else gets any of it.
func TestAnotherServerGoesOn(t *testing.T) {
	t.Parallel()
	p, _ := sharedState(t)
	folder := filepath.Join(p.dir, "shared")
	s3 := s3test.New(t)
	if err := s3.Client.MakeBucket(t.Context(), "shared", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	p = p.with("BLOBS_KEY="+s3test.AccessKey, "BLOBS_SECRET="+s3test.SecretKey)
	inFolder := fmt.Sprintf("{ at: %s }", folder)
	inBucket := fmt.Sprintf("{ at: s3://shared/results, endpoint: %q, region: %s, access_key_env: BLOBS_KEY, secret_key_env: BLOBS_SECRET }", s3.URL, s3test.Region)
	// Records are JSON, beside the files.
	inTheFolder := func() (files int, records string) {
		found, _ := filepath.Glob(filepath.Join(folder, "*", "fetches", "*.*")) // the pattern is sound
		for _, name := range found {
			if text, err := os.ReadFile(name); err == nil && filepath.Ext(name) == ".json" {
				records += string(text)
			}
		}
		return len(found), records
	}
	inTheBucket := func() (files int, records string) {
		for o := range s3.Client.ListObjects(t.Context(), "shared", minio.ListObjectsOptions{Recursive: true}) {
			files++
			if filepath.Ext(o.Key) != ".json" {
				continue
			}
			if in, err := s3.Client.GetObject(t.Context(), "shared", o.Key, minio.GetObjectOptions{}); err == nil {
				text, _ := io.ReadAll(in) // it may be replaced just now
				records += string(text)
			}
		}
		return files, records
	}
	var admin *place
	for i, c := range []struct {
		name, blobs string
		there       func() (files int, records string)
		how         syscall.Signal
	}{
		{"killed, folder", inFolder, inTheFolder, syscall.SIGKILL}, {"ends, folder", inFolder, inTheFolder, syscall.SIGTERM},
		{"killed, bucket", inBucket, inTheBucket, syscall.SIGKILL}, {"ends, bucket", inBucket, inTheBucket, syscall.SIGTERM},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.instance("server: { state_env: STATE, drain_seconds: 60, blobs: " + c.blobs + " }")
			first, one := p.server()
			if admin == nil {
				admin = one
			}
			admin = admin.with("DA_SERVER=" + one.get("DA_SERVER"))
			name := fmt.Sprint("ann", i)
			ann, eve := admin.as(name), admin.as(fmt.Sprint("eve", i))
			second, two := p.server()
			x := newTurnout(t)
			x.turn(t, one.get("DA_SERVER"))
			at := func(who *place) *client.Client {
				c, err := client.New(client.Options{URL: x.URL, Token: who.get("DA_TOKEN")})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(c.Close)
				return c
			}
			cuts := 0
			all := api.FileRequest{Scan: api.ScanRequest{TableID: "big"}, Keep: true, OnCut: func(int64) { cuts++ }}
			file, err := at(ann).ScanFile(t.Context(), all)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if _, err := io.CopyN(io.Discard, file.Data, 5<<20); err != nil {
				t.Fatal(err)
			}
			if c.how == syscall.SIGKILL {
				until(t, func() bool {
					_, records := c.there()
					return strings.Contains(records, `"end":{`)
				})
			}
			x.turn(t, two.get("DA_SERVER"))
			if err := first.Process.Signal(c.how); err != nil {
				t.Fatal(err)
			}
			if c.how == syscall.SIGTERM {
				started := time.Now()
				if err := first.Wait(); err != nil || time.Since(started) > 30*time.Second {
					t.Errorf("it did not hand over what its client read slowly: it ended after %v, %v", time.Since(started), err)
				}
			}
			_, err = at(eve).ScanFile(t.Context(), api.FileRequest{Scan: all.Scan, Keep: true, Tag: file.Tag, From: 0})
			var e *api.Error
			if !errors.As(err, &e) || e.Kind != api.KindChanged {
				t.Errorf("another user with the tag: %v", err)
			}
			close(x.opened)
			if _, err := io.Copy(io.Discard, file.Data); err != nil || cuts == 0 {
				t.Fatalf("cut %d times: %v", cuts, err)
			}
			admin = admin.with("DA_SERVER=" + two.get("DA_SERVER"))
			if u := admin.usage()[name]; u.ResultBytes != file.End().Bytes || u.ReservedBytes != 0 {
				t.Errorf("%d bytes arrived, charged are %+v", file.End().Bytes, u)
			}
			file.Close() // forgets it
			if files, _ := c.there(); files > 0 {
				t.Errorf("%d files stay although their client has all of it", files)
			}
			_ = second.Process.Signal(syscall.SIGTERM)
			_ = second.Wait()
		})
	}
}

// until waits for something that another process does.
func until(t *testing.T, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("it does not happen")
		}
	}
}
