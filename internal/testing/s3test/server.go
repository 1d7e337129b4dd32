package s3test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/agnes-data/da/internal/testing/freeport"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// The keys of the server's only user, and where it says that it is.
const (
	Region    = "us-east-1"
	AccessKey = "reader"
	SecretKey = "a-secret-of-the-test"
)

// Program is a running S3 server whose buckets are folders.
type Program struct {
	dir, address string
	cmd          *exec.Cmd
}

// Server is a Program as one test sees it.
type Server struct {
	// URL is where clients find it. They come through a proxy that counts.
	URL string
	// Client may write.
	Client *minio.Client

	requests, bytes atomic.Int64
}

// ErrNotBuilt is returned if the server's program is not built.
var ErrNotBuilt = errors.New("bin/versitygw is not built")

// Start starts the program. The caller stops it.
func Start() (*Program, error) {
	path := find()
	if path == "" {
		return nil, ErrNotBuilt
	}
	dir, err := os.MkdirTemp("", "da-s3")
	if err != nil {
		return nil, err
	}
	p := &Program{dir: dir}
	if err := p.start(path); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

func (p *Program) start(path string) error {
	objects, meta := filepath.Join(p.dir, "objects"), filepath.Join(p.dir, "meta")
	if err := errors.Join(os.Mkdir(objects, 0o700), os.Mkdir(meta, 0o700)); err != nil {
		return err
	}
	var err error
	if p.address, err = freeport.Address(); err != nil {
		return err
	}
	p.cmd = exec.Command(path, "--access", AccessKey, "--secret", SecretKey, "--port", p.address, "--quiet", "posix", "--sidecar", meta, objects)
	p.cmd.Dir = p.dir
	if err := p.cmd.Start(); err != nil {
		return err
	}
	return listening(p.address)
}

// Stop ends the program and removes its buckets.
func (p *Program) Stop() error {
	if p.cmd != nil && p.cmd.Process != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait() // of a process that was killed
	}
	return os.RemoveAll(p.dir)
}

// Open is the server for one test, which counts for itself.
func (p *Program) Open(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	var err error
	s.Client, err = minio.New(p.address, &minio.Options{Creds: credentials.NewStaticV4(AccessKey, SecretKey, ""), Region: Region})
	if err != nil {
		t.Fatal(err)
	}
	s.proxy(t, p.address)
	return s
}

// New starts a server that ends with the test. Where its program is not built
// the test is skipped, but not in CI.
func New(t testing.TB) *Server {
	t.Helper()
	p, err := Start()
	Require(t, err)
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p.Open(t)
}

// Require ends a test whose server did not start.
func Require(t testing.TB, err error) {
	t.Helper()
	testneed.Started(t, err, ErrNotBuilt, "bin/versitygw", "make bin/versitygw")
}

// find looks for the program from the test's folder upwards.
func find() string {
	for dir := "."; ; dir = filepath.Join("..", dir) {
		path, err := filepath.Abs(filepath.Join(dir, "bin", "versitygw"))
		if err != nil {
			return ""
		}
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if filepath.Dir(filepath.Dir(path)) == string(filepath.Separator) {
			return ""
		}
	}
}

// listening waits until the server takes connections.
func listening(address string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); ; <-tick.C {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			return conn.Close()
		}
		if time.Now().After(deadline) {
			return errors.New("the S3 server does not start")
		}
	}
}

// proxy counts what is asked of the server, and what it sends.
func (s *Server) proxy(t testing.TB, address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target := &url.URL{Scheme: "http", Host: address}
	forward := &httputil.ReverseProxy{
		// The signature covers the host that the client named.
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		forward.ServeHTTP(&counting{w, &s.bytes}, r)
	})}
	go func() { _ = server.Serve(l) }() // until it is closed
	t.Cleanup(func() { _ = server.Close() })
	s.URL = fmt.Sprintf("http://%s", l.Addr())
}

// Traffic is how many requests there were since it was last asked, and how many
// bytes they were answered with.
func (s *Server) Traffic() (requests, bytes int64) { return s.requests.Swap(0), s.bytes.Swap(0) }

type counting struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

// Write counts.
func (c *counting) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes.Add(int64(n))
	return n, err
}

// Unwrap is for http.ResponseController.
func (c *counting) Unwrap() http.ResponseWriter { return c.ResponseWriter }
