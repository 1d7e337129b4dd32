package download

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
)

// site is a server that Options reach as example.com, at a public address.
type site struct {
	*httptest.Server
	files *workspace.Workspace
	asked []string // what was resolved
	Options
}

func newSite(t *testing.T, serve http.HandlerFunc) *site {
	t.Helper()
	s := &site{Server: httptest.NewTLSServer(serve)}
	t.Cleanup(s.Close)
	var err error
	if s.files, err = workspace.Open(filepath.Join(t.TempDir(), "files"), workspace.Options{MaxFile: 1000}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.files.Close() })
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	s.Options = Options{
		Hosts: []string{"example.com", "*.example.com"}, TLS: &tls.Config{RootCAs: roots},
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			s.asked = append(s.asked, host)
			switch host {
			case "inner.example.com":
				return []netip.Addr{netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("10.0.0.8")}, nil
			case "nowhere.example.com":
				return nil, errors.New("no such host")
			}
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address != "93.184.216.34:443" {
				t.Errorf("%s is dialled", address)
			}
			return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
		},
	}
	return s
}

func (s *site) get(t *testing.T, address, name string) (workspace.File, error) {
	t.Helper()
	return Get(t.Context(), s.files, address, name, s.Options)
}

func TestDownload(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "https://www.example.com/data/may.csv", http.StatusFound)
		case "/named":
			w.Header().Set("Content-Disposition", `attachment; filename="..\..\june.csv"`)
			_, _ = io.WriteString(w, "c\n")
		default:
			if r.Header.Get("Referer") != "" || r.Header.Get("Cookie") != "" {
				t.Error("the request tells where it comes from")
			}
			_, _ = io.WriteString(w, "a,b\n1,2\n")
		}
	})
	for address, want := range map[string]string{"https://example.com/moved": "may.csv", "https://example.com/named": "june.csv", "https://example.com": "download"} {
		f, err := s.get(t, address, "")
		if err != nil || f.Name != want || f.Source != workspace.Created {
			t.Errorf("%s: %+v %v", address, f, err)
		}
	}
	if _, err := s.get(t, "https://example.com/x", "may.csv"); !api.CodeTargetExists.Is(err) {
		t.Errorf("a name that is taken: %v", err)
	}
	if f, err := s.get(t, "https://example.com/x", "in/other.csv"); err != nil || f.Name != "in/other.csv" || f.Size != 8 {
		t.Errorf("%+v %v", f, err)
	}
}

// TestRefusals holds that nothing is asked, and nothing stored, of what may not be
// downloaded.
func TestRefusals(t *testing.T) {
	endless := make(chan struct{})
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			_, _ = io.WriteString(w, strings.Repeat("x", 999))
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, strings.Repeat("x", 999))
		case "/announced":
			w.Header().Set("Content-Length", "2000000000")
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
		case "/slow":
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-endless:
			case <-r.Context().Done():
			}
		case "/none":
			http.NotFound(w, r)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		default:
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
		}
	})
	defer close(endless)
	to := "https://example.com/?to="
	for address, kind := range map[string]string{
		"http://example.com/a": "scheme", "file:///etc/passwd": "scheme", "https://": "url", "https://u:p@example.com/a": "url", "%": "url",
		"https://other.org/a": "host", "https://example.com.other.org/": "host", "https://127.0.0.1/": "host",
		"https://inner.example.com/a": "private_address",
		to + "http://example.com/a":   "scheme", to + "https://other.org/": "host", to + "https://inner.example.com/": "private_address", to + "https://169.254.169.254/": "host",
		"https://example.com/loop": "redirects", "https://example.com/none": "status",
		"https://example.com/large": "file_size", "https://example.com/announced": "file_size", "https://example.com/cut": "", "https://nowhere.example.com/": "",
	} {
		_, err := s.get(t, address, "x")
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != kind {
			t.Errorf("%s: %v", address, err)
		}
	}
	s.Timeout = 20 * time.Millisecond
	if _, err := s.get(t, "https://example.com/slow", "x"); !api.CodeTimeout.Is(err) {
		t.Errorf("a slow server: %v", err)
	}
	if files, err := s.files.List(t.Context(), ""); err != nil || len(files) != 0 {
		t.Errorf("stored: %+v %v", files, err)
	}
	s.Hosts = []string{"*"}
	for _, address := range []string{"https://127.0.0.1/", "https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://169.254.169.254/", "https://100.64.0.1/", "https://0.0.0.0/", "https://[64:ff9b::a00:1]/", "https://[fd00::1]/", "https://[fe80::1%25lo]/"} {
		_, err := s.get(t, address, "x")
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != "private_address" {
			t.Errorf("%s: %v", address, err)
		}
	}
}
